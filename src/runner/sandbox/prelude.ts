// Runs inside the sandbox, once, before any skill. Everything it needs later is captured now, since skill code may
// replace any built-in. Its value is a function that the host calls with its own function and that gives the entries.
(function prelude(host: (op: number, a?: unknown, b?: unknown, c?: unknown, d?: unknown) => unknown) {
  const { parse, stringify } = JSON;
  const { apply, ownKeys, getOwnPropertyDescriptor } = Reflect;
  const { isFinite: isFiniteNumber } = Number;
  const { isArray } = Array;
  const { defineProperty, freeze } = Object;
  const NativeError = Error;
  const NativeTypeError = TypeError;
  const NativePromise = Promise;
  const NativeMap = Map;
  const NativeSet = Set;
  const NativeWeakMap = WeakMap;
  const toText = String;
  const slice = String.prototype.slice;
  const then = Promise.prototype.then;
  const resolvedPromise = Promise.resolve;
  const { imul } = Math;
  const weakGet = WeakMap.prototype.get;
  const weakSet = WeakMap.prototype.set;
  const cut = (text: string, most: number): string =>
    text.length > most ? `${apply(slice, text, [0, most])}…` : text;

  const LOADED = 0;
  const RETURNED = 1;
  const FAILED = 2;
  const SKILL = 3;
  const TOOL = 4;
  const PRINT = 5;
  const SEED = 6;

  const failures = new NativeWeakMap<object, number>();
  let entry: unknown;
  let isLoaded = false;

  // --- JSON out

  class NotJson {
    message: string;
    constructor(message: string) {
      this.message = message;
    }
  }

  function fault(value: unknown): string | undefined {
    switch (typeof value) {
      case "number":
        return isFiniteNumber(value) ? undefined : toText(value);
      case "bigint":
        return "a BigInt";
      case "function":
        return "a function";
      case "symbol":
        return "a symbol";
      case "object":
        if (value instanceof NativePromise) return "a promise (await it)";
        if (value instanceof NativeMap) return "a Map";
        if (value instanceof NativeSet) return "a Set";
        return undefined;
      default:
        return undefined;
    }
  }

  function checked(this: unknown, _key: string, value: unknown): unknown {
    if (value === undefined ? isArray(this) : fault(value) !== undefined) throw new NotJson("");
    return value;
  }

  function toJson(value: unknown, what: string): string | undefined {
    if (value === undefined) return undefined;
    let text: string | undefined;
    try {
      text = stringify(value, checked);
    } catch (error) {
      const found =
        error instanceof NotJson || error instanceof NativeTypeError ? whereNotJson(value, what) : undefined;
      if (found !== undefined) throw new NotJson(found);
      throw error;
    }
    if (text === undefined) throw new NotJson(`${what} is ${fault(value) ?? "nothing that JSON can carry"}`);
    return text;
  }

  function whereNotJson(root: unknown, what: string): string | undefined {
    let left = 100_000;
    const open: object[] = [];
    function visit(given: unknown, at: string): string | undefined {
      if (left-- < 0) return undefined;
      const bad = fault(given);
      if (bad !== undefined)
        return `${at === "" ? what : `${what} at ${at}`} is ${bad}, which JSON cannot carry`;
      if (typeof given !== "object" || given === null) return undefined;
      let value: unknown = given;
      const toJSON = (given as { toJSON?: unknown }).toJSON;
      if (typeof toJSON === "function") value = apply(toJSON, given, [""]) as unknown;
      if (typeof value !== "object" || value === null) return undefined;
      for (let index = 0; index < open.length; index++) {
        if (open[index] === value) return `${what} at ${at} refers back to a value that contains it`;
      }
      open[open.length] = value;
      const keys = ownKeys(value);
      for (let index = 0; index < keys.length; index++) {
        const key = keys[index];
        if (typeof key !== "string" || getOwnPropertyDescriptor(value, key)?.enumerable !== true) continue;
        const place = isArray(value) ? `${at}[${key}]` : at === "" ? key : `${at}.${key}`;
        const member = (value as Record<string, unknown>)[key];
        const found: string | undefined =
          member === undefined && isArray(value)
            ? `${what} at ${place} is undefined, which JSON cannot carry`
            : visit(member, place);
        if (found !== undefined) return found;
      }
      open.length--;
      return undefined;
    }
    return visit(root, "");
  }

  // --- errors out

  function property(value: object, key: string, limit: number): string {
    try {
      const found = (value as Record<string, unknown>)[key];
      return typeof found === "string" ? cut(found, limit) : "";
    } catch {
      return "";
    }
  }

  // Written by hand, since objects may have been given a toJSON.
  function described(kind: string, name: string, message: string, stack: string, choice = ""): string {
    const parts = [stringify(kind), stringify(name), stringify(message), stringify(stack)];
    const end = choice === "" ? "" : `,"choice":${choice}`;
    return `{"kind":${parts[0]},"name":${parts[1]},"message":${parts[2]},"stack":${parts[3]}${end}}`;
  }

  // What the caller may choose from, where that is why the skill ends.
  function choiceOf(error: object, name: string): string {
    if (name !== "ChoiceNeeded") return "";
    try {
      const text = toJson((error as { readonly choice?: unknown }).choice, "the choice") ?? "";
      return text.length > 16_000 ? "" : text;
    } catch {
      return "";
    }
  }

  function isA(value: unknown, type: new (...values: never[]) => unknown): boolean {
    try {
      return value instanceof type;
    } catch {
      return false;
    }
  }

  function shaped(error: unknown): string {
    const isObject = (typeof error === "object" && error !== null) || typeof error === "function";
    if (isObject) {
      const request: unknown = apply(weakGet, failures, [error]);
      if (request !== undefined) {
        const within = stringify(property(error, "within", 200));
        return `{"kind":"passed","request":${toText(request)},"within":${within}}`;
      }
      if (isA(error, NotJson)) {
        return described("not-json", "TypeError", cut((error as NotJson).message, 2000), "");
      }
      if (isA(error, NativeError)) {
        const name = property(error, "name", 100);
        const message = property(error, "message", 2000);
        const kind = name === "InternalError" && message === "out of memory" ? "memory" : "thrown";
        return described(kind, name, message, property(error, "stack", 4000), choiceOf(error, name));
      }
    }
    let text: string;
    try {
      text = isObject ? cut(stringify(error) ?? typeof error, 1000) : toText(error);
    } catch {
      text = "an object that cannot be shown";
    }
    const what = error === null ? "null" : isObject ? "an object" : `a ${typeof error}`;
    const shown = error === null || error === undefined ? "" : `: ${cut(text, 1000)}`;
    return described("thrown", "", `threw ${what} instead of an Error${shown}`, "");
  }

  // --- calls out

  interface Waiting {
    resolve: (value: unknown) => void;
    reject: (error: unknown) => void;
    site: Error;
  }
  const waiting = new NativeMap<number, Waiting>();
  const mapGet = NativeMap.prototype.get;
  const mapSet = NativeMap.prototype.set;
  const mapDelete = NativeMap.prototype.delete;
  let nextId = 1;
  let begunWrites = 0;

  class SkillError extends NativeError {
    declare code: string;
    declare skill: string;
    declare callPath: string;
    declare isRepeatable: boolean;
  }
  defineProperty(SkillError.prototype, "name", { value: "SkillError", configurable: true, writable: true });

  function requested(op: number, what: string, name: unknown, input: unknown): Promise<unknown> {
    const site = new NativeError();
    return new NativePromise((resolve, reject) => {
      if (!isLoaded) throw new NativeError(`${what} cannot be used while the skill loads`);
      if (typeof name !== "string") throw new NativeTypeError(`${what} needs a name, got ${typeof name}`);
      if (name.length > 1000)
        throw new NativeTypeError(`${what} needs a name, got one of ${name.length} characters`);
      const text = toJson(input === undefined ? {} : input, `the input of ${name}`) ?? "{}";
      const stack = property(site, "stack", 4000);
      const id = nextId++;
      begunWrites++;
      apply(mapSet, waiting, [id, { resolve, reject, site }]);
      host(op, id, stringify(name), text, stack);
    });
  }

  function settle(id: number, ok: boolean, text: string, mayRepeat: boolean): void {
    const found = apply(mapGet, waiting, [id]) as Waiting | undefined;
    if (!found) return;
    apply(mapDelete, waiting, [id]);
    if (mayRepeat) begunWrites--;
    const value = parse(text) as unknown;
    if (ok) {
      found.resolve(value);
      return;
    }
    const failure = value as {
      code: string;
      message: string;
      skill?: string;
      callPath?: string;
    };
    const error = new SkillError(failure.message);
    const own = { enumerable: true, configurable: true, writable: true };
    defineProperty(error, "code", { value: failure.code, ...own });
    defineProperty(error, "skill", { value: failure.skill, ...own });
    defineProperty(error, "callPath", { value: failure.callPath, ...own });
    defineProperty(error, "isRepeatable", {
      ...own,
      value: mayRepeat,
      enumerable: false,
    });
    defineProperty(error, "stack", { value: found.site.stack, configurable: true, writable: true });
    apply(weakSet, failures, [error, id]);
    found.reject(error);
  }

  // --- the world that skills see

  function visible(name: string, value: unknown): void {
    defineProperty(globalThis, name, { value, configurable: true, enumerable: false, writable: true });
  }

  visible("call_skill", (name: unknown, input: unknown) => requested(SKILL, "call_skill", name, input));
  visible("call_tool", (name: unknown, input: unknown) => requested(TOOL, "call_tool", name, input));
  // How many calls were begun but for those that are known to have written nothing. Code that is made of workflows asks.
  defineProperty(globalThis, "count_writes", { value: () => begunWrites });

  function shown(value: unknown): string {
    if (typeof value === "string") return value;
    if (value instanceof NativeError)
      return `${property(value, "name", 100)}: ${property(value, "message", 2000)}`;
    try {
      return (typeof value === "object" ? stringify(value) : undefined) ?? toText(value);
    } catch {
      return "[cannot be shown]";
    }
  }

  function printer(level: string): (...values: unknown[]) => void {
    return (...values) => {
      let line = "";
      for (let index = 0; index < values.length && line.length < 8000; index++) {
        line += (index === 0 ? "" : " ") + shown(values[index]);
      }
      host(PRINT, stringify(level), stringify(cut(line, 8000)));
    };
  }

  const consoleObject: Record<string, unknown> = {};
  for (const level of ["log", "info", "warn", "error", "debug"]) consoleObject[level] = printer(level);
  visible("console", consoleObject);

  // sfc32 (Chris Doty-Humphrey, PractRand): the engine's own generator would repeat itself after every restore.
  let a = 0;
  let b = 0;
  let c = 0;
  let counter = 0;
  function random32(): number {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0 || 1;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  }
  function reseed(seed: number): void {
    a = seed | 0;
    b = (seed / 4294967296) | 0;
    c = imul(a ^ 0x9e3779b9, 0x85ebca6b);
    counter = 1;
    for (let round = 0; round < 12; round++) random32();
  }
  defineProperty(Math, "random", {
    value: () => {
      if (counter === 0) reseed(host(SEED) as number);
      return ((random32() >>> 5) * 67108864 + (random32() >>> 6)) / 9007199254740992;
    },
    configurable: true,
    writable: true,
  });

  // --- entries for the host

  function load(namespace: { default?: unknown }): void {
    const ended = (module: { default?: unknown }): void => {
      entry = module.default;
      host(LOADED);
    };
    const broken = (error: unknown): unknown => host(LOADED, shaped(error));
    if (namespace instanceof NativePromise) apply(then, namespace, [ended, broken]);
    else ended(namespace);
  }

  function loadFailed(error: unknown): void {
    host(LOADED, shaped(error));
  }

  function finish(value: unknown): void {
    let text: string | undefined;
    try {
      text = toJson(value, "the output");
    } catch (error) {
      host(FAILED, shaped(error));
      return;
    }
    if (text === undefined) host(RETURNED);
    else host(RETURNED, text);
  }

  function broke(error: unknown): void {
    host(FAILED, shaped(error));
  }

  function call(input: string): void {
    isLoaded = true;
    let value: unknown;
    try {
      if (typeof entry !== "function") throw new NativeTypeError("the default export is not a function");
      value = entry(parse(input));
    } catch (error) {
      broke(error);
      return;
    }
    if (
      typeof value !== "object" ||
      value === null ||
      typeof (value as { then?: unknown }).then !== "function"
    ) {
      finish(value);
    } else void apply(then, apply(resolvedPromise, NativePromise, [value]), [finish, broke]);
  }

  return freeze([load, loadFailed, call, settle, broke]);
});
