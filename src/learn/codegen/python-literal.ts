import { isJsonObject, type Json } from "../../core/json/json.ts";

/** A value as a Python literal of plain ASCII, whatever a text in it says. */
export function pythonLiteral(value: Json): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return pythonText(value);
  if (!isJsonObject(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  const fields = Object.entries(value).map(([key, each]) => `${pythonText(key)}: ${pythonLiteral(each)}`);
  return `{${fields.join(", ")}}`;
}

function pythonText(text: string): string {
  return JSON.stringify(text).replaceAll(/[^ -~]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, "0")}`
      : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Words of the language, and names that a module uses itself. */
const TAKEN: ReadonlySet<string> = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if import in is " +
    "lambda nonlocal not or pass raise return try while with yield match case type none true false any bool dict enumerate " +
    "filter float format id input int isinstance len list map max min object print range repr self set sorted str sum " +
    "tuple zip asyncio datetime decimal json math re unicodedata given call_tool call_skill run each inner text field at " +
    "failed answer"
  ).split(" "),
);

/** Gives names in Python's style that no other has. */
export class PythonNames {
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set([...TAKEN, ...taken]);
  }

  /** The same for the same name. */
  of(name: string): string {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const made = this.take(name);
    this.#names.set(name, made);
    return made;
  }

  /** Another each time. */
  take(name: string): string {
    const plain = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
    let free = plain;
    for (let number = 2; this.#taken.has(free); number++) free = `${plain}_${number}`;
    this.#taken.add(free);
    return free;
  }
}
