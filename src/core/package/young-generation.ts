import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Of both halves of the room for a server's young objects: with less, collecting them takes a fifth of a busy server's time. */
const MAIN_BYTES = 16 * 2 ** 20;
/** Of the half that is in use, in each thread that is started from then on. */
const THREAD_MB = 4;

let isBounded = false;
/** How much work is under way for which there may be more. */
let growing = 0;

/**
 * From now on the young objects of this process's threads have room for those of some hundred calls, and no more: most die
 * with the request that made them, and what a thread has once got for them it hardly ever gives back.
 */
export function boundYoungGeneration(): void {
  if (isBounded) return;
  isBounded = true;
  setFlagsFromString(`--min-semi-space-size=${THREAD_MB}`);
  new PerformanceObserver(apply).observe({ entryTypes: ["gc"] });
  apply();
}

/**
 * From now on all objects of this process's threads begin young. V8 makes them old from the start where others of the same
 * place once lived long: such an object of a call that is over keeps all that it refers to until old objects are collected,
 * a sixth of all young objects, and not a hundredth.
 */
export function beginYoung(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
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

// V8 looks at the factor each time that it has collected young objects.
function apply(): void {
  if (!isBounded) return;
  const young = getHeapSpaceStatistics().find((each) => each.space_name === "new_space");
  const isGrowing = growing > 0 || (young?.space_size ?? 0) < MAIN_BYTES;
  setFlagsFromString(`--semi-space-growth-factor=${isGrowing ? 2 : 1}`);
}
