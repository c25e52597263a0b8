import { oneLine } from "../../core/text/display-text.ts";

const EVERY_MS = 1000;
const MAX_CHARACTERS = 500;

/**
 * Prints one line a second at most; what comes between is counted, and the count is told. What others send can so be
 * told of without filling anybody's disk.
 */
export function rateLimited(print: (line: string) => void): (message: string) => void {
  let isWaiting = false;
  let left = 0;
  const printed = (line: string): void => {
    print(line);
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      if (left === 0) return;
      const count = left;
      left = 0;
      printed(`${count} more messages like this were left out`);
    }, EVERY_MS).unref();
  };
  return (message) => {
    if (isWaiting) left++;
    else printed(oneLine(message.slice(0, MAX_CHARACTERS)));
  };
}
