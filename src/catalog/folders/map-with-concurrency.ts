/** The results of `make` for each item, in order, with at most `most` at work at once. */
export async function mapWithConcurrency<Item, Made>(
  items: readonly Item[],
  most: number,
  make: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  const entries = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) made[index] = await make(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return made;
}
