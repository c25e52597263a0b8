import type { TraceStore } from "../trace-store.ts";

/** A store that is opened for the first that asks something of it. */
export function openedWhenUsed(open: () => Promise<TraceStore>): TraceStore {
  let opened: Promise<TraceStore> | undefined;
  const store = async (): Promise<TraceStore> => (opened ??= open());
  return {
    record: async (...given) => (await store()).record(...given),
    runs: async (...given) => (await store()).runs(...given),
    sessions: async (...given) => (await store()).sessions(...given),
    trace: async (...given) => (await store()).trace(...given),
    usage: async (...given) => (await store()).usage(...given),
    chains: async (...given) => (await store()).chains(...given),
    handOffs: async (...given) => (await store()).handOffs(...given),
    codePatterns: async (...given) => (await store()).codePatterns(...given),
    fileTemplates: async (...given) => (await store()).fileTemplates(...given),
    search: async (...given) => (await store()).search(...given),
    prune: async (...given) => (await store()).prune(...given),
    close: async () => (await opened)?.close(),
  };
}
