import { isJsonObject, type JsonObject } from "../core/json/json.ts";
import { nearest } from "../core/text/nearest.ts";
import { DEFAULT_LIMITS, type Limits } from "../core/limits.ts";
import type { Durability } from "../core/skill.ts";
import type { DeclarationFault } from "./frontmatter-contract.ts";

/** The limits that a skill asks for itself. What is no limit is left out and reported. */
export function frontmatterLimits(frontmatter: JsonObject): {
  readonly limits: Partial<Limits>;
  readonly faults: readonly DeclarationFault[];
} {
  const declared = frontmatter["limits"];
  if (declared === undefined || declared === null) return { limits: {}, faults: [] };
  if (!isJsonObject(declared)) {
    return {
      limits: {},
      faults: [{ message: "Field 'limits' must be a mapping", fix: "Write it as limits: {wallMs: 10000}" }],
    };
  }
  const faults: DeclarationFault[] = [];
  const limits: Partial<Record<keyof Limits, number>> = {};
  for (const [name, value] of Object.entries(declared)) {
    if (!isLimit(name)) faults.push(unknownLimit(name));
    else if (typeof value === "number" && Number.isFinite(value) && value > 0) limits[name] = value;
    else {
      faults.push({
        message: `Field 'limits.${name}' must be a number above 0, got ${JSON.stringify(value)}`,
        fix: `Write it as in ${name}: ${DEFAULT_LIMITS[name]}`,
      });
    }
  }
  return { limits, faults };
}

/** For how many milliseconds a READ skill's output may be given again: its field `ttl`, in seconds. */
export function frontmatterTtl(frontmatter: JsonObject): {
  readonly ttlMs: number | undefined;
  readonly faults: readonly DeclarationFault[];
} {
  const { ttl } = frontmatter;
  if (ttl === undefined || ttl === null) return { ttlMs: undefined, faults: [] };
  if (typeof ttl === "number" && Number.isFinite(ttl) && ttl > 0)
    return { ttlMs: Math.ceil(ttl * 1000), faults: [] };
  const message = `Field 'ttl' must be a number of seconds above 0, got ${JSON.stringify(ttl)}`;
  return { ttlMs: undefined, faults: [{ message, fix: "Write it as ttl: 60" }] };
}

/** Whether runs of the skill survive the process: its field `durable`, `true` or `confirm`. */
export function frontmatterDurability(frontmatter: JsonObject): {
  readonly durable: Durability | undefined;
  readonly faults: readonly DeclarationFault[];
} {
  const { durable } = frontmatter;
  switch (durable) {
    case undefined:
    case null:
    case false:
      return { durable: undefined, faults: [] };
    case true:
      return { durable: "resumes", faults: [] };
    case "confirm":
      return { durable: "confirms", faults: [] };
    default: {
      const message = `Field 'durable' must be true or confirm, got ${JSON.stringify(durable)}`;
      const fix = "Write durable: true, or durable: confirm where a person approves each call that writes";
      // What was meant is not known: what asks a person before it writes does no harm.
      return { durable: "confirms", faults: [{ message, fix }] };
    }
  }
}

function isLimit(name: string): name is keyof Limits {
  return Object.hasOwn(DEFAULT_LIMITS, name);
}

function unknownLimit(name: string): DeclarationFault {
  const names = Object.keys(DEFAULT_LIMITS);
  const meant = nearest(name.replaceAll(/[-_]/g, ""), names);
  return {
    message: `Field 'limits.${name}' is not a limit`,
    fix: meant === undefined ? `The limits are ${names.join(", ")}` : `Did you mean ${meant}?`,
  };
}
