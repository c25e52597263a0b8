import { createHash } from "node:crypto";
import { failure, type Failure } from "../core/error.ts";
import type { LanguageModel } from "../core/language-model.ts";
import { ResultCache } from "../core/files/result-cache.ts";
import { fail, ok, type Result } from "../core/result.ts";

/** What a model that makes vectors of texts tells of how near texts are in meaning. */
export interface MeaningOptions {
  /** The model, for one piece of work; one without `embed` tells nothing. */
  readonly model: () => LanguageModel;
  /** Which model makes the vectors: those of another are no measure. */
  readonly embedding: string;
  /** Where vectors are kept from one start to the next; in memory by default. */
  readonly cacheFile?: string;
  readonly now?: () => number;
}

/** Vectors of texts, made once for each text. An endpoint that has failed is left alone for a while. */
export class Meaning {
  readonly #options: MeaningOptions;
  readonly #cache: ResultCache<string>;
  readonly #now: () => number;
  #failure: { readonly error: Failure; readonly until: number } | undefined;

  constructor(options: MeaningOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#cache = new ResultCache(options.cacheFile, (value) => typeof value === "string");
  }

  /** How near each text is to the query, from -1 to 1; of texts too many to be asked about nothing is told. */
  async nearness(query: string, texts: readonly string[]): Promise<Result<readonly (number | undefined)[]>> {
    if (this.#failure && this.#now() < this.#failure.until) return fail(this.#failure.error);
    this.#failure = undefined;
    this.#cache.refresh();
    const made = await this.#embed([query, ...texts]);
    if (!made.ok) {
      this.#failure = { error: made.error, until: this.#now() + PAUSE_MS };
      return made;
    }
    const [wanted] = made.value;
    return ok(made.value.slice(1).map((each) => (wanted && each ? cosine(wanted, each) : undefined)));
  }

  async #embed(texts: readonly string[]): Promise<Result<readonly (Float32Array | undefined)[]>> {
    const keys = texts.map((text) => this.#keyOf(text));
    const missing = new Map<string, string>();
    let characters = 0;
    for (const [index, key] of keys.entries()) {
      if (this.#cache.get(key) !== undefined || missing.has(key)) continue;
      const text = cut(texts[index] ?? "");
      characters += text.length;
      if (missing.size >= MAX_NEW || characters > MAX_NEW_CHARACTERS) break;
      missing.set(key, text);
    }
    if (missing.size > 0) {
      const { embed } = this.#options.model();
      if (!embed) return fail(failure("MODEL_NEEDED", "No model is configured that makes vectors of texts"));
      const made = await embed([...missing.values()], AbortSignal.timeout(PATIENCE_MS));
      if (!made.ok) return made;
      for (const [index, key] of [...missing.keys()].entries()) {
        const vector = made.value[index];
        if (vector)
          this.#cache.set(
            key,
            Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64"),
          );
      }
    }
    const vectors = keys.map((key) => vectorIn(this.#cache.get(key)));
    this.#cache.save();
    return ok(vectors);
  }

  #keyOf(text: string): string {
    return createHash("sha256")
      .update(`${this.#options.embedding}\n${cut(text)}`)
      .digest("hex");
  }
}

/** Of a text, in characters. */
const MAX_TEXT = 2000;
/** How many texts one search has vectors made of. */
const MAX_NEW = 1024;
const MAX_NEW_CHARACTERS = 300_000;
const PATIENCE_MS = 10_000;
const PAUSE_MS = 30_000;

function cut(text: string): string {
  return text.slice(0, MAX_TEXT).toWellFormed();
}

function vectorIn(kept: string | undefined): Float32Array | undefined {
  if (kept === undefined) return undefined;
  const bytes = Uint8Array.from(Buffer.from(kept, "base64"));
  return bytes.byteLength % 4 === 0 ? new Float32Array(bytes.buffer) : undefined;
}

/** Nothing for vectors of different lengths, and for those without a direction. */
function cosine(a: Float32Array, b: Float32Array): number | undefined {
  if (a.length !== b.length) return undefined;
  let [product, ofA, ofB] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    product += value * other;
    ofA += value * value;
    ofB += other * other;
  }
  const found = product / Math.sqrt(ofA * ofB);
  return Number.isFinite(found) ? found : undefined;
}
