const STOP_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
/** Where a terminal signals a whole group, and a parent passes it on, the same signal comes twice. */
const TWICE_MS = 200;

/** The first signal asks the process to end; another ends it at once. */
export async function stopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    let first: { readonly name: string; readonly at: number } | undefined;
    for (const [name, number] of Object.entries(STOP_SIGNALS)) {
      process.on(name, () => {
        const now = performance.now();
        if (first === undefined) {
          first = { name, at: now };
          resolve();
        } else if (first.name !== name || now - first.at > TWICE_MS) process.exit(128 + number);
      });
    }
  });
}

/** Aborted by the first signal that asks the process to end. */
export function abortedAtStop(): AbortSignal {
  const stop = new AbortController();
  void stopSignal().then(() => stop.abort());
  return stop.signal;
}
