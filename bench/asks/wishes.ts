/** A wish in words, and what is right: the skills that do it in their order, to ask for what is missing, or that none fits. */
export interface Wish {
  readonly words: string;
  readonly right: readonly string[] | "ask" | "none";
}

const does = (words: string, ...right: readonly string[]): Wish => ({ words, right });
const asks = (words: string): Wish => ({ words, right: "ask" });
const none = (words: string): Wish => ({ words, right: "none" });

/** Written before they were first measured; those of a kind stand together. */
export const WISHES: readonly Wish[] = [
  does("Add 17 and 25", "add"),
  does("What is the sum of the numbers 8 and 13?", "add"),
  does("Multiply 12 by 11", "multiply"),
  does("The product of the numbers 7 and 6, please", "multiply"),
  does("Square 14", "square"),
  does("Multiply the number 9 by itself", "square"),
  does("Area of a circle with the radius 2.5", "circle-area"),
  does("How large is a circle whose radius is 4?", "circle-area"),
  does("A right triangle has sides of 3 and 4: how long is its longest side?", "hypotenuse"),
  does("Length of the hypotenuse over 5 and 12", "hypotenuse"),
  does("Add the squares of 3 and 5", "sum-of-squares"),
  does("The sum of squares of 2 and 6", "sum-of-squares"),
  does("How many days are there until 2031-05-04?", "days-until"),
  does("Countdown to the deadline on 2030-12-24", "days-until"),
  does('Count the words of "the quick brown fox jumps"', "text-stats"),
  does('How long does one read the text "To be or not to be"?', "text-stats"),
  does('Turn the CSV text "a,b\n1,2" into records', "csv-records"),
  does('Read this table with its quoted fields: "name;age\nAda;36"', "csv-records"),
  does("Work out 2x + 3y + z for 1, 2 and 3", "compound-formula"),
  does("Find the customer ada@example.org of the shop", "shop-customer"),
  does("Which customer has the email chloe@example.org?", "shop-customer"),
  does("List the orders of the customer C-1", "shop-orders"),
  does("What has customer C-3 ordered? Show the orders", "shop-orders"),
  does("Cancel the order O-1002", "shop-cancel"),
  does("Square 3, then add 4 to that", "square", "add"),
  does("Multiply 6 by 7, then square that", "multiply", "square"),
  does("Add 1 and 2, then multiply that by 10", "add", "multiply"),
  does(
    "The longest side of a right triangle with sides 6 and 8, then the area of a circle with that radius",
    "hypotenuse",
    "circle-area",
  ),
  does(
    "Find the customer ada@example.org, then list the orders of that customer",
    "shop-customer",
    "shop-orders",
  ),
  asks("Add a number to 5"),
  asks("What is the area of a circle?"),
  asks("How many days are there until the deadline?"),
  asks("The longest side of a right triangle with one side of 3"),
  asks("Square a number for me"),
  asks("List the orders of a customer"),
  asks("Cancel an order of the shop"),
  none("Translate this letter into Portuguese"),
  none("Play some jazz in the kitchen"),
  none("Draw a red cube on a white ground"),
  none("Who won the chess championship in 1972?"),
  none("Turn the heating down to 18 degrees"),
  none("Compress the video holiday.mov"),
  none("Wake me at seven tomorrow morning"),
  none("Encrypt my passwords with a new key"),
];
