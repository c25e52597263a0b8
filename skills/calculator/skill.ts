export interface Input {
  operation: "add" | "subtract" | "multiply" | "divide";
  a: number;
  b: number;
}

export interface Output {
  result: number;
}

export default function calculate({ operation, a, b }: Input): Output {
  switch (operation) {
    case "add":
      return { result: a + b };
    case "subtract":
      return { result: a - b };
    case "multiply":
      return { result: a * b };
    case "divide":
      if (b === 0) throw new RangeError("cannot divide by zero");
      return { result: a / b };
  }
}
