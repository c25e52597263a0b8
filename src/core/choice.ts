import type { Failure } from "./error.ts";
import { isJsonObject, type Json } from "./json/json.ts";

/** What a skill needs to be told before it goes on: the details of the failure `CHOICE_NEEDED`. */
export interface NeededChoice {
  /** The property of the input that tells what was chosen. */
  readonly parameter: string;
  readonly options: readonly ChoiceOption[];
}

interface ChoiceOption {
  /** What the caller gives to choose it. */
  readonly value: string | number;
  /** What tells it from the others, by the names of fields. */
  readonly about?: { readonly [field: string]: Json } | undefined;
}

/** The choice in a value of any shape, or nothing. */
export function choiceIn(value: Json | undefined): NeededChoice | undefined {
  if (!isJsonObject(value)) return undefined;
  const { parameter, options } = value;
  if (typeof parameter !== "string" || !Array.isArray(options)) return undefined;
  const read = (options as readonly Json[]).flatMap((option): readonly ChoiceOption[] => {
    if (!isJsonObject(option)) return [];
    const { value: chosen, about } = option;
    if (typeof chosen !== "string" && typeof chosen !== "number") return [];
    return [{ value: chosen, ...(isJsonObject(about) ? { about } : {}) }];
  });
  return read.length === 0 || read.length < options.length ? undefined : { parameter, options: read };
}

/** The choice that the skill which was called itself needs; what one below it needs its own code has to tell. */
export function neededChoice({ code, callPath = "0", details }: Failure): NeededChoice | undefined {
  return code === "CHOICE_NEEDED" && callPath === "0" ? choiceIn(details) : undefined;
}
