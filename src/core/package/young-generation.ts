import { setFlagsFromString } from "node:v8";

let isKeptSmall = false;
/** How much work is under way for which it may grow. */
let growing = 0;

/**
 * From now on the young objects of this process's threads get no more memory than they have: most die with the request
 * that made them, and what a thread has once got for them it hardly ever gives back.
 */
export function keepYoungGenerationSmall(): void {
  isKeptSmall = true;
  apply();
}

/** Work that makes many objects which live long, as compilers do: with little memory for them it takes half as long again. */
export async function whileYoungGenerationGrows<Value>(work: () => Promise<Value>): Promise<Value> {
  growing++;
  apply();
  try {
    return await work();
  } finally {
    growing--;
    apply();
  }
}

// V8 looks at it each time that it has collected young objects.
function apply(): void {
  if (isKeptSmall) setFlagsFromString(`--semi-space-growth-factor=${growing > 0 ? 2 : 1}`);
}
