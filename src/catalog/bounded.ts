/** The results of `make` for each item, in order, with at most `most` at work at once. */
export async function mapBounded<Item, Made>(items: readonly Item[], most: number, make: (item: Item) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) made[index] = await make(items[index] as Item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return made;
}
