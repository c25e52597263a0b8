/** A method that takes a locale elsewhere. The sandbox has no locale data, so here a locale does nothing. */
interface LocaleMethod {
  readonly name: string;
  /** The types that have it. */
  readonly owners: readonly string[];
  /** What it takes before the locale. */
  readonly before: string;
  readonly result: string;
  /** Whether `options` may follow the locale. */
  readonly takesOptions: boolean;
  /** What the call gives, whatever the locale and the options. */
  readonly gives: string;
  readonly fix: string;
}

const TYPED_ARRAYS = [
  ...["Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array"],
  ...["Uint32Array", "Float16Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"],
].map((name) => `${name}<TArrayBuffer extends ArrayBufferLike>`);

const FORMAT_DATE =
  "Put the text together from getUTCFullYear(), getUTCMonth() and the like, or use toISOString()";

const METHODS: readonly LocaleMethod[] = [
  {
    name: "toLocaleString",
    owners: ["Number", "BigInt", "Array<T>", "ReadonlyArray<T>", ...TYPED_ARRAYS],
    before: "",
    result: "string",
    takesOptions: true,
    gives: "numbers stand as String() writes them, without separators, rounding or currency",
    fix: 'Put the text together by hand: toFixed(2) rounds, and .replace(/\\B(?=(\\d{3})+(?!\\d))/g, ",") on the whole part groups',
  },
  {
    name: "toLocaleString",
    owners: ["Date"],
    before: "",
    result: "string",
    takesOptions: true,
    gives: 'the text is always like "12/31/2026, 11:59:59 PM", in UTC',
    fix: FORMAT_DATE,
  },
  {
    name: "toLocaleDateString",
    owners: ["Date"],
    before: "",
    result: "string",
    takesOptions: true,
    gives: 'the text is always like "12/31/2026", in UTC',
    fix: FORMAT_DATE,
  },
  {
    name: "toLocaleTimeString",
    owners: ["Date"],
    before: "",
    result: "string",
    takesOptions: true,
    gives: 'the text is always like "11:59:59 PM", in UTC',
    fix: FORMAT_DATE,
  },
  {
    name: "localeCompare",
    owners: ["String"],
    before: "that: string, ",
    result: "number",
    takesOptions: true,
    gives: 'texts are compared by the codes of their characters: "Z" before "a", "ä" after "z"',
    fix: 'Compare keys that sort as you want: text.normalize("NFD").replace(/\\p{M}/gu, "").toLowerCase()',
  },
  ...["toLocaleUpperCase", "toLocaleLowerCase"].map((name) => ({
    name,
    owners: ["String"],
    before: "",
    result: "string",
    takesOptions: false,
    gives: `it does what ${name.replace("Locale", "")}() does`,
    fix: `Write ${name.replace("Locale", "")}() and replace what the language wants otherwise`,
  })),
];

/** What becomes of a locale that a call of the method is given; of several owners the one that is named. */
export function ignoredLocale(
  method: string,
  owner?: string,
): { readonly message: string; readonly fix: string } | undefined {
  const named = METHODS.filter(({ name }) => name === method);
  const found = named.find(({ owners }) => owners.some((each) => bare(each) === owner)) ?? named[0];
  return found && { message: `The locale does nothing here: ${found.gives}`, fix: found.fix };
}

/** How many arguments the method takes before the locale; nothing where it takes none. */
export function argumentsBeforeLocale(method: string): number | undefined {
  const found = METHODS.find(({ name }) => name === method);
  return found && (found.before === "" ? 0 : 1);
}

/** Each method as declarations: without a locale, and, deprecated, with one. */
export function localeDeclarations(): string {
  return METHODS.flatMap((method) => method.owners.map((owner) => declarationOf(method, owner))).join("\n");
}

function declarationOf(
  { name, before, result, takesOptions, gives, fix }: LocaleMethod,
  owner: string,
): string {
  const options = takesOptions ? ", options?: object" : "";
  return `interface ${owner} {
  ${name}(${before.replace(", ", "")}): ${result};
  /** @deprecated The locale does nothing here: ${gives}. ${fix.replaceAll("*/", "*\\/")}. */
  ${name}(${before}locales: string | readonly string[] | undefined${options}): ${result};
}`;
}

function bare(owner: string): string {
  return owner.replace(/<.*$/, "");
}
