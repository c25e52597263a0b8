import type { ComposedFlow } from "../../core/flow.ts";
import type { Skill } from "../../core/skill.ts";
import { composedFlows, flowsOfRun, type ToolTrust } from "./composed-flows.ts";

type Skills = ReadonlyMap<string, Skill>;

/** The flows of catalogs, worked out when first asked for. */
export class FlowCache {
  readonly #trust: ToolTrust;
  #known = new WeakMap<Skills, ReadonlyMap<string, readonly ComposedFlow[]>>();

  constructor(trust: ToolTrust) {
    this.#trust = trust;
  }

  /** By the skill in whose code source and write come together. */
  all(skills: Skills): ReadonlyMap<string, readonly ComposedFlow[]> {
    const flows = this.#known.get(skills) ?? composedFlows(skills, this.#trust);
    this.#known.set(skills, flows);
    return flows;
  }

  /** Those that a run of the skill can take. */
  ofRun(name: string, skills: Skills): readonly ComposedFlow[] {
    return flowsOfRun(name, skills, this.all(skills));
  }

  /** More is known of tools now. */
  forget(): void {
    this.#known = new WeakMap();
  }
}
