import {
  type Engine,
  GuestFault,
  type GuestModule,
  type Host,
  type Image,
  type Instance,
  SILENT_HOST,
} from "./engine.ts";
import { type GuestArguments, handleGuestOperation, resolvedName, unknownModule } from "./guest-operation.ts";
import { MIN_MEMORY_MB } from "../../core/limits.ts";
import { bytesIn, type MemoryRange, changedWords, nonZeroRanges, writeRanges } from "./linear-memory.ts";
import { type Address, bindQuickJs, type BoundQuickJs, type QuickJsCallbacks } from "./quickjs-binding.ts";

const PAGE = 65_536;
const FIRST_PAGES = (MIN_MEMORY_MB * 2 ** 20) / PAGE;
const GUEST_STACK_BYTES = 262_144;
const MODULE_FLAG = 1;

/** As far down as the C stack may be used: the guest's part, and room for the C functions that it ends in. */
const STACK_BYTES = GUEST_STACK_BYTES + 131_072;

/**
 * QuickJS (quickjs-emscripten's synchronous release build) through its raw foreign function interface: an own memory
 * with a hard maximum for each instance, host callbacks that may throw to unwind the guest, and states that are set
 * back by copying linear memory. The prelude is JavaScript text, an expression as `prelude.ts` has it.
 */
export async function quickJsEngine(binary: WebAssembly.Module, prelude: string): Promise<Engine> {
  const first = await QuickJsInstance.create(binary, MIN_MEMORY_MB);
  const base = first.boot(prelude);
  return {
    base,
    async instance(memoryMb) {
      const made = await QuickJsInstance.create(binary, memoryMb);
      made.restore(base);
      return made;
    },
  };
}

/** Addresses of what the host holds in a guest's memory; part of every image. */
interface Roots {
  readonly runtime: Address;
  readonly context: Address;
  readonly undefinedValue: Address;
  readonly load: Address;
  readonly loadFailed: Address;
  readonly call: Address;
  readonly settle: Address;
  readonly broke: Address;
}

interface QuickJsImage extends Image {
  readonly roots: Roots;
  /** Where the guest's allocator keeps its program break. */
  readonly breakAt: Address;
  /** The modules that the state may still import. */
  readonly modules: ReadonlyMap<string, string>;
  readonly runs: readonly MemoryRange[];
}

const NO_ROOTS: Roots = {
  broke: 0,
  runtime: 0,
  context: 0,
  undefinedValue: 0,
  load: 0,
  loadFailed: 0,
  call: 0,
  settle: 0,
};

/** Memory begins with C's static data, in less than so much; then comes the C stack, then what is allocated. */
const STATIC_BYTES = 2 ** 18;
/** More than the base state has allocated. */
const BASE_HEAP_BYTES = 2 ** 21;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

class QuickJsInstance implements Instance {
  host: Host = SILENT_HOST;
  #sound = true;
  /** What was restored last, as long as nothing has run since. */
  #untouched: QuickJsImage | undefined;
  /** Whether memory has been refused since the last restore. */
  #exhausted = false;
  #memory: WebAssembly.Memory;
  #bound!: BoundQuickJs;
  #stackTop = 0;
  #roots: Roots = NO_ROOTS;
  #modules: ReadonlyMap<string, string> = new Map();
  #u8: Uint8Array = new Uint8Array(0);
  #u32: Uint32Array = new Uint32Array(0);
  #breakAt = 0;

  private constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
  }

  static async create(binary: WebAssembly.Module, memoryMb: number): Promise<QuickJsInstance> {
    const maximum = Math.max(FIRST_PAGES, Math.floor((memoryMb * 2 ** 20) / PAGE));
    const memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum });
    const made = new QuickJsInstance(memory);
    const grow = memory.grow.bind(memory);
    memory.grow = (pages: number): number => {
      try {
        if (!made.host.mayGrow(pages * PAGE)) throw new RangeError("the run's memory limit is reached");
        return grow(pages);
      } catch (error) {
        made.#exhausted = true;
        throw error;
      }
    };
    made.#bound = await bindQuickJs(binary, memory, made.#callbacks(), () => made.host.now());
    made.#stackTop = made.#bound.stackPointer();
    return made;
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  get usedBytes(): number {
    return (this.#words()[this.#breakAt] ?? 0) - this.#stackTop;
  }

  // WebAssembly memory never shrinks, so an instance whose memory grew would keep it for good.
  get reusable(): boolean {
    return this.#sound && this.memoryBytes === FIRST_PAGES * PAGE;
  }

  /** Runs the prelude in a new runtime, and checks that this build behaves as the rest of this file assumes. */
  boot(prelude: string): QuickJsImage {
    const { c } = this.#bound;
    const runtime = c.QTS_NewRuntime();
    c.QTS_RuntimeSetMaxStackSize(runtime, GUEST_STACK_BYTES);
    c.QTS_RuntimeEnableInterruptHandler(runtime);
    c.QTS_RuntimeEnableModuleLoader(runtime, 1);
    const context = c.QTS_NewContext(runtime, 0);
    const undefinedValue = c.QTS_GetUndefined();
    this.#roots = { ...NO_ROOTS, runtime, context, undefinedValue };
    const hostFunction = this.#hostFunction();
    const setUp = this.#eval(prelude, "prelude", 0);
    const entries = this.#apply(setUp, [hostFunction]);
    const [load, loadFailed, call, settle, broke] = [0, 1, 2, 3, 4].map((index) =>
      c.QTS_GetPropNumber(context, entries, index),
    ) as [number, number, number, number, number];
    this.#roots = { runtime, context, undefinedValue, load, loadFailed, call, settle, broke };
    this.#check();
    this.#breakAt = this.#foundBreak();
    return this.image();
  }

  image(): QuickJsImage {
    const end = this.#breakAt === 0 ? this.#stackTop + BASE_HEAP_BYTES : this.#used();
    const bytes = this.#bytes();
    // What lies between is never touched, and to look at it would make it resident.
    const runs = [
      ...nonZeroRanges(bytes, 0, STATIC_BYTES),
      ...nonZeroRanges(bytes, this.#stackTop - STACK_BYTES, end),
    ];
    return { roots: this.#roots, modules: this.#modules, breakAt: this.#breakAt, runs, bytes: bytesIn(runs) };
  }

  prepare(image: QuickJsImage): void {
    if (endOf(image) <= this.memoryBytes) this.restore(image);
  }

  restore(image: QuickJsImage): void {
    if (this.#untouched === image) return;
    if (endOf(image) > this.memoryBytes) this.#grow(endOf(image));
    const used = this.#breakAt === 0 ? 0 : this.#used();
    const end = this.#stackTop - STACK_BYTES;
    const memory = { bytes: this.#bytes(), words: this.#words() };
    writeRanges(memory, image.runs, used, { top: this.#stackTop, end });
    this.#exhausted = false;
    this.#roots = image.roots;
    this.#modules = image.modules;
    this.#breakAt = image.breakAt;
    this.#bound.setStackPointer(this.#stackTop);
    this.#untouched = image;
  }

  // Above the break nothing has ever been handed out. A guest that corrupts its own memory can lower the mark, but then
  // hides only what it wrote itself.
  #used(): number {
    return Math.min(this.#words()[this.#breakAt] ?? 0, this.memoryBytes);
  }

  // Only an allocation makes the C side's views follow the memory's growth. What it writes is overwritten.
  #grow(bytes: number): void {
    this.#allocate(bytes);
  }

  load(modules: readonly GuestModule[]): void {
    const [entry] = modules;
    if (!entry) throw new Error("a skill without code was loaded");
    this.#modules = new Map(modules.map((module) => [module.name, module.code]));
    this.#enter(() => {
      const namespace = this.#evalRaw(entry.code, entry.name, MODULE_FLAG);
      const error = this.#bound.c.QTS_ResolveException(this.#roots.context, namespace);
      if (error) this.#apply(this.#roots.loadFailed, [error]);
      else this.#apply(this.#roots.load, [namespace]);
    });
  }

  call(input: string): void {
    this.#enter(() => {
      this.#applyAndCheck(this.#roots.call, [this.#string(input)]);
    });
  }

  settle(id: number, ok: boolean, text: string, mayRepeat: boolean): void {
    const { c } = this.#bound;
    const truth = (value: boolean): Address => (value ? c.QTS_GetTrue() : c.QTS_GetFalse());
    this.#enter(() => {
      const answer = [this.#number(id), truth(ok), this.#string(text), truth(mayRepeat)];
      this.#applyAndCheck(this.#roots.settle, answer);
    });
  }

  pump(most: number): boolean {
    return this.#enter(() => {
      const { runtime } = this.#roots;
      const contextOut = this.#allocate(4);
      const done = this.#bound.c.QTS_ExecutePendingJob(runtime, most, contextOut);
      this.#bound.free(contextOut);
      this.#bound.c.QTS_FreeValuePointerRuntime(runtime, done);
      return this.#bound.c.QTS_IsJobPending(runtime) !== 0;
    });
  }

  // A host exception has unwound the guest half way: its memory is good for nothing but to be restored.
  #enter<Value>(work: () => Value): Value {
    this.#untouched = undefined;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "Unwind") this.#sound = false;
      throw error;
    }
  }

  #callbacks(): QuickJsCallbacks {
    return {
      callFunction: (_, _context, _self, count, values) => this.#requested(count, values),
      shouldInterrupt: () => {
        this.host.interrupt();
        return 0;
      },
      loadModuleSource: (_, _runtime, _context, name) =>
        this.#cString(this.#modules.get(name) ?? unknownModule(name)).at,
      normalizeModule: (_, _runtime, _context, from, name) =>
        this.#cString(resolvedName(from, name, this.#modules)).at,
      freeHostRef: () => undefined,
    };
  }

  #requested(count: number, values: Address): Address {
    const { c } = this.#bound;
    const { context } = this.#roots;
    const argument = (index: number): Address => c.QTS_ArgvGetJSValueConstPointer(values, index);
    const given = handleGuestOperation(this.host, {
      isExhausted: this.#exhausted,
      count,
      number: (index) => c.QTS_GetFloat64(context, argument(index)),
      text: (index, maxBytes) => this.#textWithin(argument(index), maxBytes),
    });
    return given === undefined ? 0 : this.#number(given);
  }

  #hostFunction(): number {
    return this.#bound.c.QTS_NewFunction(this.#roots.context, "host", 0, false, 1);
  }

  #eval(code: string, name: string, flags: number): number {
    const value = this.#evalRaw(code, name, flags);
    this.#throwIfException(value);
    return value;
  }

  #evalRaw(code: string, name: string, flags: number): number {
    const text = this.#cString(code);
    const value = this.#bound.c.QTS_Eval(this.#roots.context, text.at, text.bytes, name, 0, flags);
    this.#bound.free(text.at);
    return value;
  }

  #applyAndCheck(target: number, values: readonly unknown[]): void {
    const value = this.#apply(target, values);
    const error = this.#exceptionIn(value);
    if (!error || target === this.#roots.broke) {
      if (error)
        this.host.failed({ kind: "memory", name: "InternalError", message: "out of memory", stack: "" });
      return;
    }
    // The prelude catches what skill code throws. What escapes it was made to, or memory or stack ran out.
    this.#applyAndCheck(this.#roots.broke, [error]);
  }

  #exceptionIn(value: Address): Address {
    return this.#bound.c.QTS_ResolveException(this.#roots.context, value);
  }

  #apply(target: number, values: readonly unknown[]): number {
    const list = this.#allocate(4 * values.length);
    values.forEach((value, index) => {
      this.#words()[list / 4 + index] = value as number;
    });
    const { context, undefinedValue } = this.#roots;
    const result = this.#bound.c.QTS_Call(context, target, undefinedValue, values.length, list);
    this.#bound.free(list);
    return result;
  }

  #throwIfException(value: number): void {
    const error = this.#bound.c.QTS_ResolveException(this.#roots.context, value);
    if (error) throw new Error(`the sandbox's own code failed: ${this.#text(error)}`);
  }

  #check(): void {
    const top = this.#bound.stackPointer();
    this.#bound.setStackPointer(top - 64);
    const moved = this.#bound.stackPointer();
    this.#bound.setStackPointer(top);
    if (moved !== top - 64) throw new Error("this build of QuickJS has another stack interface");
    const { host } = this;
    this.host = { ...SILENT_HOST, now: () => 123_456_789_000 };
    const seen = this.#text(this.#eval("String(Date.now())", "check", 0));
    this.host = host;
    if (seen !== "123456789000") throw new Error("this build of QuickJS has another clock interface");
  }

  // The break is the one word that follows two large allocations to their ends. Nothing exports it.
  #foundBreak(): number {
    const image = this.image();
    const room = 2 ** 19;
    const before = this.#words().slice(0, STATIC_BYTES / 4);
    const first = this.#allocate(room);
    const follows = (at: number, word: number): boolean => word >= at + room && word < at + 1.25 * room;
    const both = changedWords(before, this.#words()).filter((index) =>
      follows(first, this.#words()[index] ?? 0),
    );
    const second = this.#allocate(room);
    const found = both
      .filter((index) => follows(second, this.#words()[index] ?? 0))
      .toSorted((a, b) => (this.#words()[b] ?? 0) - (this.#words()[a] ?? 0))[0];
    const isLaidOut = STATIC_BYTES < this.#stackTop - STACK_BYTES && first < this.#stackTop + BASE_HEAP_BYTES;
    if (found === undefined || !isLaidOut) throw new Error("this build of QuickJS has another allocator");
    this.#breakAt = found;
    this.restore({ ...image, breakAt: found });
    return found;
  }

  #string(text: string): number {
    const { at } = this.#cString(text);
    const value = this.#bound.c.QTS_NewString(this.#roots.context, at);
    this.#bound.free(at);
    return value;
  }

  #number(value: number): number {
    return this.#bound.c.QTS_NewFloat64(this.#roots.context, value);
  }

  #text(value: number): string {
    return this.#textWithin(value, Number.POSITIVE_INFINITY).text ?? "";
  }

  // Only JSON text crosses this way, so there is no U+0000 and no lone surrogate to lose.
  #textWithin(value: number, maxBytes: number): ReturnType<GuestArguments["text"]> {
    const at = this.#bound.c.QTS_GetString(this.#roots.context, value) >>> 0;
    if (at === 0) throw new GuestMemoryError();
    const memory = this.#bytes();
    const end = memory.indexOf(0, at);
    if (end < 0) throw new GuestFault("a text of it has no end");
    const bytes = end - at;
    const text = bytes > maxBytes ? {} : { text: decoder.decode(memory.subarray(at, end)) };
    this.#bound.c.QTS_FreeCString(this.#roots.context, at);
    return { bytes, ...text };
  }

  #cString(text: string): { readonly at: number; readonly bytes: number } {
    const room = text.length * 3 + 1;
    const at = this.#allocate(room);
    const bytes = this.#bytes();
    const { written } = encoder.encodeInto(text, bytes.subarray(at, at + room - 1));
    bytes[at + written] = 0;
    return { at, bytes: written };
  }

  #allocate(bytes: number): number {
    const at = this.#bound.malloc(bytes);
    if (at === 0) throw new GuestMemoryError();
    return at;
  }

  #bytes(): Uint8Array {
    if (this.#u8.buffer !== this.#memory.buffer) this.#u8 = new Uint8Array(this.#memory.buffer);
    return this.#u8;
  }

  #words(): Uint32Array {
    if (this.#u32.buffer !== this.#memory.buffer) this.#u32 = new Uint32Array(this.#memory.buffer);
    return this.#u32;
  }
}

function endOf({ runs }: QuickJsImage): number {
  const last = runs.at(-1);
  return last ? last.at + last.data.length : 0;
}

/** The guest's memory is full, so that not even a value for it could be made. */
class GuestMemoryError extends Error {
  override readonly name = "GuestMemoryError";
}
