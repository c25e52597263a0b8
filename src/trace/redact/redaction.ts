import { failure } from "../../core/error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import { CREDENTIALS, type Credential } from "./credentials.ts";
import { hintScanner } from "./hint-scanner.ts";
import { type CustomRule, customRule } from "./custom-rule.ts";
import { type SecretName, secretName, UNSEEN, withoutUnseen } from "./secret-names.ts";
import { secretOfWord } from "./secret-commands.ts";
import { TEXT_RULES } from "./secret-texts.ts";
import { isLikelySecret, isSecret } from "./secret-values.ts";
import type { Found, Reading } from "./text-rule.ts";
import type { RedactionOptions } from "../trace-store.ts";

/**
 * Replaces credentials by `[redacted:kind]`: the same always by the same, and a second time changes nothing. What it
 * looks at is bounded by the length of the text, and by an allowance: a text that needs more of it throws `TooCostly`.
 */
export interface Redactor {
  text(text: string, allowance?: Allowance): string;
  /** In every string of a JSON text, and in its keys. */
  jsonText(json: string, allowance?: Allowance): string;
  value(value: Json, allowance?: Allowance): Json;
}

/** How many places may be looked at that may hold a credential, over one text or several; what is read there counts, too. */
export class Allowance {
  #left: number;
  readonly #common: Allowance | undefined;

  constructor(looks = MAX_LOOKS, common?: Allowance) {
    this.#left = looks;
    this.#common = common;
  }

  /**
   * For one of several values, of so many characters: what such a value needs as a rule is its own, whatever the others
   * spend; beyond that all of them take from one.
   */
  share(characters: number): Allowance {
    return new Allowance(MIN_LOOKS + characters / 16, this);
  }

  spend(looks: number): void {
    const own = Math.min(looks, this.#left);
    this.#left -= own;
    if (looks === own) return;
    if (this.#common === undefined) throw new TooCostly();
    this.#common.spend(looks - own);
  }
}

/** Text that is made to look like credentials at too many places. */
export class TooCostly extends Error {
  constructor() {
    super("Too much of the value may be credentials");
  }
}

/** A text of a megabyte that was not made for it has a tenth to a third of this, one with nothing but labels of passwords all. */
const MAX_LOOKS = 190_000;
/** A short value that is dense with credentials has enough of it. */
const MIN_LOOKS = 256;

/** A redactor with all known kinds but those switched off, and with rules of one's own. */
export function redactor(options: RedactionOptions = {}): Result<Redactor> {
  const own: NamedRule[] = [];
  for (const { name, pattern } of options.rules ?? []) {
    const checked = customRule(pattern);
    if (!/^[a-z][a-z0-9-]*$/.test(name) || !checked.ok) {
      const why = checked.ok ? "its name must be lower-case letters, digits and -" : checked.error;
      return fail(failure("CONFIG_INVALID", `The redaction rule "${name}" cannot be used: ${why}`));
    }
    own.push({ kind: name, rule: checked.value });
  }
  return ok(madeWhenUsed(() => redactorOf(own, new Set(options.off))));
}

/** What it looks for is gone through once, for the first text. */
function madeWhenUsed(make: () => Redactor): Redactor {
  let made: Redactor | undefined;
  const redact = (): Redactor => (made ??= make());
  return {
    text: (...given) => redact().text(...given),
    jsonText: (...given) => redact().jsonText(...given),
    value: (...given) => redact().value(...given),
  };
}

interface NamedRule {
  readonly kind: string;
  readonly rule: CustomRule;
}

/** Looks for a credential where its hint stands; nothing before `from` may be replaced. */
type Look = (text: string, at: number, from: number, state: State) => Found | undefined;

/** What is known while one text is gone through. */
interface State extends Reading {
  readonly allowance: Allowance;
  /** Of each own rule, where its next match is: it is not looked for again before that. */
  readonly next: Map<CustomRule, ReturnType<CustomRule["find"]>>;
}

function redactorOf(own: readonly NamedRule[], off: ReadonlySet<string>): Redactor {
  const hints: [string, Look][] = [];
  for (const each of own) hints.push([each.rule.hint, ownLook(each)]);
  for (const credential of CREDENTIALS)
    if (!off.has(credential.kind))
      for (const mark of credential.marks) hints.push([mark, formLook(credential)]);
  for (const { kinds, marks, find } of TEXT_RULES) {
    if (kinds.every((kind) => off.has(kind))) continue;
    const look: Look = (text, at, from, state) => {
      const found = find(text, at, from, state);
      if (!found || off.has(found.kind)) return undefined;
      return { ...found, kind: formOf(text.slice(found.start, found.end)) ?? found.kind };
    };
    for (const mark of marks) hints.push([mark, look]);
  }
  const scanner = hintScanner(hints);
  /** The kind that a whole text is by its form. */
  const formOf = (given: string): string | undefined =>
    CREDENTIALS.find(({ kind, marks, shape }) => {
      if (off.has(kind) || !marks.some((each) => given.startsWith(each))) return false;
      shape.lastIndex = 0;
      return shape.exec(given)?.[0].length === given.length;
    })?.kind ??
    (/^eyJ[\w-]{8,512}\.[\w-]{4,8192}\.[\w-]{4,8192}$/.test(given) && !off.has("jwt") ? "jwt" : undefined);
  const isHinted = (text: string): boolean => UNSEEN.test(text) || scanner.has(text);

  const seen = (text: string, allowance: Allowance): string => {
    const state: State = {
      allowance,
      next: new Map(),
      spend: (looks) => allowance.spend(looks),
      nameEnd: 0,
      readTo: 0,
    };
    let pieces = "";
    let from = 0;
    /** What marks before told of, and is still to come. */
    let told: readonly Found[] = [];
    let next = 0;
    const take = ({ kind, start, end }: Found): void => {
      if (start >= from) pieces += text.slice(from, start) + mark(kind);
      from = Math.max(from, end);
    };
    const takeTold = (before: number): void => {
      for (; (told[next]?.start ?? before) < before; next++) take(told[next] as Found);
    };
    scanner.scan(text, (at, look) => {
      allowance.spend(1);
      takeTold(at + 1);
      if (at < from) return undefined;
      const found = look(text, at, from, state);
      if (found === undefined || found.start < from || isInMark(text, found.start)) return undefined;
      takeTold(found.start);
      take(found);
      if (found.more) {
        told = [...told.slice(next), ...found.more].toSorted((one, other) => one.start - other.start);
        next = 0;
      }
      return from;
    });
    takeTold(text.length);
    return from === 0 ? text : pieces + text.slice(from);
  };

  const text = (given: string, allowance = new Allowance()): string => {
    const redacted = seen(given, allowance);
    if (!UNSEEN.test(redacted)) return redacted;
    // What cannot be seen may divide what would be found.
    const plain = withoutUnseen(redacted);
    const again = seen(plain, allowance);
    return again === plain ? redacted : again;
  };

  const value = (json: Json, allowance = new Allowance()): Json => {
    const walk = (inner: Json): Json => {
      if (typeof inner === "string") return text(inner, allowance);
      if (Array.isArray(inner)) return list(inner);
      return isJsonObject(inner) ? object(inner) : inner;
    };
    const named = (name: string): SecretName | undefined => {
      const known = secretName(name, (looks) => allowance.spend(looks));
      return known && !off.has(known.kind) ? known : undefined;
    };
    const object = (inner: JsonObject): JsonObject => {
      const pair = pairOf(inner);
      const about = pair && named(pair.name);
      const isVault = inner["kind"] === "Secret";
      const isKey = typeof inner["kty"] === "string" && !off.has("private-key");
      const program = programOf(inner);
      return Object.fromEntries(
        Object.entries(inner).map(([key, each]) => {
          allowance.spend(0.1);
          const name = named(key);
          const shown = text(key, allowance);
          if (about && key === pair.key)
            return [shown, below(each, { ...about, isSure: about.isSure }, true)];
          if (isKey && PRIVATE_MEMBERS.test(key) && typeof each === "string" && each.length >= 16)
            return [shown, mark("private-key")];
          if (ARTICLE.test(key) && typeof each === "string" && /^SK[0-9a-f]{32}$/i.test(each))
            return [shown, each];
          if (program !== undefined && /^(?:args|argv|arguments)$/i.test(key) && Array.isArray(each))
            return [shown, list(each, program)];
          if (isVault && (key === "data" || key === "stringData") && !off.has("secret"))
            return [shown, below(each, VAULT, false)];
          return [shown, name === undefined ? walk(each) : below(each, beside(inner, name), false)];
        }),
      );
    };
    const list = (inner: readonly Json[], program?: string): readonly Json[] =>
      inner.map((each, index) => {
        const before = inner[index - 1] ?? program;
        if (typeof each !== "string" || typeof before !== "string" || before.length > 600) return walk(each);
        const isFlag = /^--?[a-z]/i.test(before);
        const name =
          before.length > 64 || before.includes("[redacted:") ? undefined : named(before.replace(/^-+/, ""));
        if (name === undefined) return option(inner, index, program) ?? walk(each);
        const isOne = isFlag
          ? !/^-{1,2}[a-z]/i.test(each) && isSecret(each, name)
          : (inner.length === 2 || inner.length % 2 === 0) &&
            index % 2 === 1 &&
            isLikelySecret(each, name) &&
            (name.kind !== "authorization" || isCredentials(each));
        return isOne ? mark(formOf(each) ?? name.kind) : walk(each);
      });
    /** Words of a command line that belong together, as `-u user:password` do. */
    const option = (words: readonly Json[], index: number, program: string | undefined): Json | undefined => {
      const [before, each] = [words[index - 1], words[index]];
      if (typeof each !== "string" || off.has("password")) return undefined;
      if (!OPTION.test(each) && !(typeof before === "string" && OPTION.test(before))) return undefined;
      const line = [
        program ?? words[0],
        ...words.slice(Math.max(program === undefined ? 1 : 0, index - 8), index),
      ];
      allowance.spend(4);
      const found = secretOfWord(
        line.filter((word) => typeof word === "string").map((word) => word.slice(0, 64)),
        each.slice(0, 600),
      );
      return found && each.slice(0, found.start) + mark(found.kind);
    };
    /** What stands under a name of secrets, however deep. */
    const below = (inner: Json, name: SecretName, isPair: boolean): Json => {
      if (typeof inner === "string") {
        const given =
          name.kind === "authorization" && !isCredentials(inner) && isPair ? false : isSecret(inner, name);
        return given && !(isPair && !isLikelySecret(inner, name) && WORDING.test(inner))
          ? mark(formOf(inner) ?? name.kind)
          : text(inner, allowance);
      }
      if (typeof inner === "number") return isNumber(name, inner) ? mark(name.kind) : inner;
      if (Array.isArray(inner)) {
        // A user and a password.
        if (
          inner.length === 2 &&
          !name.isSure &&
          name.kind === "secret" &&
          inner.every((each) => typeof each === "string")
        )
          return [
            walk(inner[0] ?? null),
            below(inner[1] ?? null, { ...name, isSure: isMixedPair(inner[1]) }, true),
          ];
        return inner.map((each) => below(each, name, isPair));
      }
      if (!isJsonObject(inner)) return inner;
      if (isSchema(inner) || isReference(inner)) return object(inner);
      return Object.fromEntries(
        Object.entries(inner).map(([key, each]) => {
          const own = named(key);
          if (own !== undefined) return [text(key, allowance), below(each, beside(inner, own), false)];
          return [text(key, allowance), ABOUT.test(key) ? walk(each) : below(each, name, isPair)];
        }),
      );
    };
    return walk(json);
  };

  return {
    text,
    value,
    jsonText: (json, allowance = new Allowance()) => {
      if (!isHinted(json)) return json;
      const parsed = JSON.parse(json) as Json;
      return JSON.stringify(value(parsed, allowance));
    },
  };
}

/** Options of one letter that take a password, and those whose next word may hold one. */
const OPTION = /^(?:-[pawPuU]|--user$|--proxy-user$)/;
/** What only the owner has of a key that is written as JSON. */
const PRIVATE_MEMBERS = /^(?:d|p|q|dp|dq|qi|k)$/;
/** A word, or a sentence to somebody. */
const WORDING = /^(?:[a-z_]+|[A-Z][a-z']*(?: [a-z']+){1,12}[.?!…]+)$/i;
/** Numbers of articles look like those of keys. */
const ARTICLE = /(?:^|[^a-z])sku$/i;
const VAULT: SecretName = { kind: "secret", isSure: true, isPlural: false };

function formLook({ kind, before, shape, unless }: Credential): Look {
  return (text, at, from) => {
    for (const back of before) {
      const start = at - back;
      if (start < from || (start > 0 && /[A-Za-z0-9]/.test(text.charAt(start - 1)))) continue;
      if (unless?.test(text.slice(Math.max(0, start - 12), start)) === true) continue;
      shape.lastIndex = start;
      const found = shape.exec(text);
      if (found && start + found[0].length > at) return { kind, start, end: start + found[0].length };
    }
    return undefined;
  };
}

// The whole text is gone through once for each match, so that what is not found costs nothing more.
function ownLook({ kind, rule }: NamedRule): Look {
  return (text, at, from, { allowance, next }) => {
    let known = next.get(rule);
    if (!next.has(rule) || (known && known.start < from)) {
      allowance.spend((text.length - from) / 64);
      known = rule.find(text, from);
      next.set(rule, known);
    }
    return known && known.start === at && known.end > at ? { kind, ...known } : undefined;
  };
}

/** Whether what stands for a secret is at a place already. */
function isInMark(text: string, at: number): boolean {
  if (text.startsWith("[redacted:", at)) return true;
  const before = text.slice(Math.max(0, at - 40), at + 1);
  const open = before.lastIndexOf("[redacted:");
  return open >= 0 && !before.includes("]", open);
}

function mark(kind: string): string {
  return `[redacted:${kind}]`;
}

/** An object that names something and tells its value: a header, a variable, a field of a form. */
function pairOf(object: JsonObject): { readonly name: string; readonly key: string } | undefined {
  let name: string | undefined;
  let value: string | undefined;
  const keys = Object.keys(object);
  if (keys.length > 12) return undefined;
  for (const key of keys) {
    const each = object[key];
    if (name === undefined && PAIR_NAMES.test(key) && typeof each === "string" && each.length <= 64)
      name = each;
    if (value === undefined && PAIR_VALUES.test(key) && each !== null && typeof each !== "boolean")
      value = key;
  }
  return name === undefined || value === undefined || value === "" ? undefined : { name, key: value };
}

const PAIR_NAMES =
  /^(?:name|key|header|field|variable|var|param|parameter|property|option|attribute|label|id|k|n|selector|placeholder|setting|env)$/i;
const PAIR_VALUES = /^(?:value|val|v|content|data|text|default|secret|input|fill)$/i;
/** What tells about a secret, and is none. */
const ABOUT =
  /^(?:type|kind|name|title|label|description|format|scope|scopes|id|ids|user|username|user_?name|email|login|host|hostname|port|url|uri|issuer|audience|expires.*|expiry|created.*|updated.*|issued.*|status|state|enabled|required|optional|min.*|max.*|pattern|count|total|version|algorithm|provider|region|role|mode|path|domain|token_?type)$/i;

/** A description of what stands under the name, not that itself. */
function isSchema(object: JsonObject): boolean {
  return (
    typeof object["type"] === "string" &&
    /^(?:string|number|integer|boolean|object|array|null|password|text|hidden|apiKey|http|oauth2|openIdConnect|mutualTLS)$/.test(
      object["type"],
    ) &&
    !("value" in object)
  );
}

/** Where a secret is kept: the name of its vault, and the one under which it is there. */
function isReference(object: JsonObject): boolean {
  return (
    typeof object["name"] === "string" &&
    typeof object["key"] === "string" &&
    Object.keys(object).every((key) => /^(?:name|key|namespace|optional|version)$/.test(key))
  );
}

/** The program that is called with a list of words beside it. */
function programOf(object: JsonObject): string | undefined {
  for (const key of ["command", "cmd", "program", "executable", "bin"]) {
    const program = object[key];
    if (typeof program === "string" && program.length <= 64) return program;
  }
  return undefined;
}

/** A password beside the name of its user is one, whatever it looks like. */
function beside(object: JsonObject, name: SecretName): SecretName {
  return name.kind === "password" && hasUser(object) ? { ...name, isSure: true } : name;
}

function hasUser(object: JsonObject): boolean {
  return Object.keys(object).some((key) => /^(?:user|user_?name|login|email|account|host|uid)$/i.test(key));
}

function isCredentials(text: string): boolean {
  return /^(?:[A-Za-z0-9-]{2,20}) +\S{4}/.test(text) || !/^[A-Za-z_ -]*$/.test(text);
}

function isMixedPair(value: Json | undefined): boolean {
  return typeof value === "string" && /\d/.test(value) && /[A-Za-z]/.test(value);
}

function isNumber({ kind, isSure, isPlural }: SecretName, value: number): boolean {
  if (kind === "pin") return value >= 1000;
  return isSure && !isPlural && (kind === "password" || kind === "secret" || kind === "authorization");
}
