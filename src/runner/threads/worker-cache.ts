import { LRUCache } from "lru-cache";
import type { Engine, Image, Instance } from "../sandbox/engine.ts";
import type { SkillPackage } from "./protocol.ts";
import type { CallSubtree } from "../call.ts";

const MAX_IMAGE_BYTES = 256 * 2 ** 20;

const MAX_OUTPUT_CHARACTERS = 4 * 2 ** 20;

const MAX_IDLE_INSTANCES = 16;

/** What the runs of one worker share: skills they may call, images of loaded skills, and instances. */
export class WorkerCache {
  readonly images = new LRUCache<string, Image>({
    maxSize: MAX_IMAGE_BYTES,
    sizeCalculation: (image) => image.bytes + 1024,
  });
  /** Outputs by skill digest and input text. */
  readonly outputs = new LRUCache<string, ReusableOutput>({
    maxSize: MAX_OUTPUT_CHARACTERS,
    sizeCalculation: (output, key) => output.text.length + key.length + 256,
  });
  readonly #engine: Engine;
  readonly #ask: (library: number, name: string) => void;
  readonly #libraries = new Map<number, Map<string, SkillPackage | undefined>>();
  readonly #asked = new Map<string, ((skill: SkillPackage | undefined) => void)[]>();
  #making = 0;
  readonly #idle = new Map<number, Instance[]>();
  /** What was given back last, and what it held. */
  #last: { readonly instance: Instance; readonly image: Image } | undefined;

  constructor(engine: Engine, ask: (library: number, name: string) => void) {
    this.#engine = engine;
    this.#ask = ask;
  }

  /** Whether a run under way waits for a skill or an instance: no time to begin another. */
  get isAwaited(): boolean {
    return this.#making > 0 || this.#asked.size > 0;
  }

  /** Hands the skill to `use`, at once where it is known, else when the main thread has sent it. */
  lookUp(library: number, name: string, use: (skill: SkillPackage | undefined) => void): void {
    const known = this.#libraries.get(library);
    if (known?.has(name)) {
      use(known.get(name));
      return;
    }
    const key = `${library} ${name}`;
    const waiting = this.#asked.get(key);
    if (waiting) {
      waiting.push(use);
      return;
    }
    this.#asked.set(key, [use]);
    this.#ask(library, name);
  }

  /** The digest of a skill, as far as it is known here. */
  digestOf(library: number, name: string): string | undefined {
    return this.#libraries.get(library)?.get(name)?.digest;
  }

  learn(library: number, name: string, skill: SkillPackage | undefined): void {
    const known = this.#libraries.get(library) ?? new Map<string, SkillPackage | undefined>();
    this.#libraries.set(library, known.set(name, skill));
    const key = `${library} ${name}`;
    const waiting = this.#asked.get(key) ?? [];
    this.#asked.delete(key);
    for (const use of waiting) use(skill);
  }

  forget(library: number): void {
    this.#libraries.delete(library);
    for (const key of this.#asked.keys()) if (key.startsWith(`${library} `)) this.#asked.delete(key);
  }

  /** An instance in an unknown state, to be restored before it is used. */
  take(memoryMb: number, use: (instance: Instance) => void, failed: (error: unknown) => void): void {
    const idle = this.#idle.get(memoryMb)?.pop();
    if (idle === this.#last?.instance) this.#last = undefined;
    if (idle) use(idle);
    else {
      this.#making++;
      const done = (): number => this.#making--;
      this.#engine.instance(memoryMb).finally(done).then(use, failed);
    }
  }

  /** Makes an instance, as the first run does, before it comes. */
  async warmUp(memoryMb: number): Promise<void> {
    this.giveBack(memoryMb, await this.#engine.instance(memoryMb), undefined);
  }

  /** `image` is what it was used with. */
  giveBack(memoryMb: number, instance: Instance, image: Image | undefined): void {
    if (!instance.reusable) return;
    const idle = this.#idle.get(memoryMb) ?? [];
    this.#idle.set(memoryMb, idle);
    if (idle.length >= MAX_IDLE_INSTANCES) return;
    idle.push(instance);
    this.#last = image && { instance, image };
  }

  /** Makes the instance that was given back last ready for the same skill, while there is nothing else to do. */
  prepare(): void {
    this.#last?.instance.prepare(this.#last.image);
    this.#last = undefined;
  }

  /** The state without any skill. */
  get base(): Image {
    return this.#engine.base;
  }
}

/** An output that may be given again, and what its first call took, so that a reuse gets no other verdict than a run. */
interface ReusableOutput {
  /** JSON text. */
  readonly text: string;
  readonly below: CallSubtree;
}
