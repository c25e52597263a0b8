import type { FlowCache } from "./checks/flows/flow-cache.ts";
import type { ComposedFlow } from "./core/flow.ts";
import type { Skill } from "./core/skill.ts";
import type { Upstreams } from "./upstream/upstreams.ts";

/** The flows of a run for which a person is asked. Servers tell which of their tools only read, where that matters. */
export async function flowsInNeedOfConsent(
  name: string,
  skills: ReadonlyMap<string, Skill>,
  { flows, upstreams }: { readonly flows: FlowCache; readonly upstreams: Upstreams },
): Promise<readonly ComposedFlow[]> {
  if (flows.ofRun(name, skills).length === 0) return [];
  await upstreams.tools();
  return flows.ofRun(name, skills);
}
