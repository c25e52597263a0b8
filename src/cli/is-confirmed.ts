import { createInterface } from "node:readline/promises";

/** Asks whoever sits at the terminal a question to be answered by yes or no. */
export async function isConfirmed(question: string): Promise<boolean> {
  console.error("");
  const asking = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const closed = new Promise<string>((resolve) => asking.once("close", () => resolve("")));
  const answer = await Promise.race([asking.question(`${question} [y/N] `), closed]);
  asking.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
