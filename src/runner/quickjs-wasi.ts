import {
  type Engine,
  type GuestModule,
  type Host,
  type Image,
  type Instance,
  SILENT_HOST,
} from "./engine.ts";
import { hearGuest, resolvedName, unknownModule } from "./guest-operation.ts";
import { LEAST_MEMORY_MB } from "../core/skill.ts";
import { bytesIn, type Run, runsOf, writeRuns } from "./linear-memory.ts";
import { preludeSource } from "./prelude-source.ts";
import type { Address } from "./quickjs-binding.ts";
import { bindQuickJsWasi, type BoundQuickJsWasi, type QuickJsWasiCallbacks } from "./quickjs-wasi-binding.ts";

const PAGE = 65_536;
/** What the build declares that it starts with: its C stack, its data and the beginning of its heap. */
const FIRST_PAGES = 18;
const GUEST_STACK_BYTES = 262_144;
/** As far down as the C stack may be used: the guest's part, and room for the C functions that it ends in. */
const STACK_BYTES = GUEST_STACK_BYTES + 131_072;
const MODULE_FLAG = 1;
const COMPILE_ONLY_FLAG = 32;
const [PENDING, FULFILLED] = [0, 1];

/** Date, eval, RegExp, JSON, Proxy, Map and Set, typed arrays, promises, BigInt, weak references: the standard. */
const INTRINSICS = 0x3ff;

/** Heap that the base state keeps free, so that most calls run without growing the memory. */
const ROOM_BYTES = 524_288;

/** An instance that grew by more is not used again: what is above an image has to be cleared each time. */
const MOST_GROWTH_BYTES = 2 ** 21;

/**
 * The part of the memory that the library's own limit gives to the guest. Where that one is reached first, and not the
 * memory's maximum, the guest has room left to throw "out of memory". The rest is lost between the blocks.
 */
const LIMIT_SHARE = 7 / 8;

/**
 * QuickJS-ng (the package quickjs-wasi) through its raw WebAssembly exports: an own memory with a hard maximum for
 * each instance, host callbacks that may throw to unwind the guest, and states that are set back by copying linear
 * memory.
 */
export async function quickJsWasiEngine(binary: WebAssembly.Module): Promise<Engine> {
  const base = new QuickJsWasiInstance(binary, LEAST_MEMORY_MB).boot(await preludeSource());
  return {
    base,
    async instance(memoryMb) {
      const made = new QuickJsWasiInstance(binary, memoryMb);
      made.restore(base);
      return Promise.resolve(made);
    },
  };
}

/** Addresses of what the host holds in a guest's memory; part of every image. */
interface Roots {
  readonly undefinedValue: Address;
  readonly load: Address;
  readonly loadFailed: Address;
  readonly call: Address;
  readonly settle: Address;
  readonly broke: Address;
  /** Gives the function that gives what `load` needs of a module's namespace. */
  readonly giver: Address;
}

interface QuickJsWasiImage extends Image {
  readonly roots: Roots;
  /** The modules that the state may still import. */
  readonly modules: ReadonlyMap<string, string>;
  /** The memory that the guest's allocator knows of. */
  readonly memoryBytes: number;
  readonly runs: readonly Run[];
}

const NO_ROOTS: Roots = { undefinedValue: 0, load: 0, loadFailed: 0, call: 0, settle: 0, broke: 0, giver: 0 };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

class QuickJsWasiInstance implements Instance {
  host: Host = SILENT_HOST;
  #sound = true;
  readonly #memory: WebAssembly.Memory;
  readonly #bound: BoundQuickJsWasi;
  readonly #limit: number;
  #granted = LEAST_MEMORY_MB * 2 ** 20;
  readonly #stackTop: Address;
  /** What the guest's allocator knows of, and all there was, when a state was restored. */
  #known = { bytes: 0, of: 0 };
  #roots: Roots = NO_ROOTS;
  #modules: ReadonlyMap<string, string> = new Map();
  #u8: Uint8Array = new Uint8Array(0);
  #u32: Uint32Array = new Uint32Array(0);

  constructor(binary: WebAssembly.Module, memoryMb: number) {
    const maximum = Math.floor((Math.max(LEAST_MEMORY_MB, memoryMb) * 2 ** 20) / PAGE);
    this.#memory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum });
    this.#limit = (maximum - FIRST_PAGES) * PAGE * LIMIT_SHARE;
    this.#bound = bindQuickJsWasi(binary, this.#memory, this.#callbacks());
    this.#stackTop = this.#bound.stackPointer.value;
  }

  /** As far as the host has been told: see `#checkGrowth`. */
  get memoryBytes(): number {
    return Math.min(this.#heldBytes, this.#granted);
  }

  // All of the memory but the C stack at its beginning.
  get usedBytes(): number {
    return this.#heldBytes - this.#stackTop;
  }

  get #heldBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  // WebAssembly memory never shrinks, so an instance whose memory grew would keep it for good.
  get reusable(): boolean {
    const most = Math.min(this.#known.bytes + MOST_GROWTH_BYTES, LEAST_MEMORY_MB * 2 ** 20);
    return this.#sound && this.#heldBytes <= most;
  }

  /** Runs the prelude in a new runtime, and checks that this build behaves as the rest of this file assumes. */
  boot(prelude: string): QuickJsWasiImage {
    const { c } = this.#bound;
    c._initialize();
    if (c.qjs_init2(INTRINSICS) !== 0) throw new Error("this build of quickjs-wasi does not start");
    c.qjs_set_max_stack_size(GUEST_STACK_BYTES);
    c.qjs_set_interrupt_handler(1);
    c.qjs_set_module_loader(1);
    this.#roots = { ...NO_ROOTS, undefinedValue: c.qjs_get_undefined() };
    const name = this.#cString("host");
    const hostFunction = c.qjs_new_host_function(name.at, name.bytes, 1);
    const entries = this.#apply(this.#eval(prelude, "prelude"), [hostFunction]);
    this.#throwIfException(entries);
    const [load, loadFailed, call, settle, broke] = [0, 1, 2, 3, 4].map((index) =>
      c.qjs_get_prop_uint32(entries, index),
    ) as [Address, Address, Address, Address, Address];
    const giver = this.#eval("(module) => () => ({ __proto__: null, default: module.default })", "prelude");
    this.#roots = { ...this.#roots, load, loadFailed, call, settle, broke, giver };
    c.wasm_free(this.#allocate(ROOM_BYTES));
    const base = this.image();
    this.#check(base);
    return base;
  }

  image(): QuickJsWasiImage {
    // The limit is the instance's own, but its number lies in the guest's memory.
    this.#bound.c.qjs_set_memory_limit(0);
    const runs = runsOf(this.#bytes(), this.#words());
    this.#bound.c.qjs_set_memory_limit(this.#limit);
    return {
      roots: this.#roots,
      modules: this.#modules,
      memoryBytes: this.#known.of === this.#heldBytes ? this.#known.bytes : this.#heldBytes,
      runs,
      bytes: bytesIn(runs),
    };
  }

  restore(image: QuickJsWasiImage): void {
    const missing = image.memoryBytes - this.#heldBytes;
    if (missing > 0) this.#memory.grow(missing / PAGE);
    const bytes = this.#bytes();
    const end = Math.max(0, this.#stackTop - STACK_BYTES);
    writeRuns({ bytes, words: this.#words() }, image.runs, bytes.length, { top: this.#stackTop, end });
    this.#known = { bytes: image.memoryBytes, of: bytes.length };
    this.#roots = image.roots;
    this.#modules = image.modules;
    this.#bound.stackPointer.value = this.#stackTop;
    this.#bound.c.qjs_set_memory_limit(this.#limit);
  }

  load(modules: readonly GuestModule[]): void {
    const [entry] = modules;
    if (!entry) throw new Error("a skill without code was loaded");
    this.#modules = new Map(modules.map((module) => [module.name, module.code]));
    this.#enter(() => {
      const compiled = this.#evalRaw(entry.code, entry.name, MODULE_FLAG | COMPILE_ONLY_FLAG);
      const error = this.#exception(compiled);
      if (error === undefined) this.#evaluate(compiled);
      else this.#apply(this.#roots.loadFailed, [error]);
    });
  }

  #evaluate(compiled: Address): void {
    const { c } = this.#bound;
    const context = c.qjs_get_context_ptr();
    const module = this.#words()[compiled / 4] ?? 0;
    const promise = this.#boxed(c.JS_EvalFunction(context, this.#bits(compiled)));
    const error = this.#exception(promise);
    const state = error === undefined ? c.qjs_promise_state(promise) : undefined;
    if (state === PENDING || state === FULFILLED) {
      const namespace = this.#boxed(c.JS_GetModuleNamespace(context, module));
      const then = this.#apply(this.#roots.giver, [namespace]);
      const ended =
        state === PENDING ? c.qjs_promise_then(promise, then, this.#roots.undefinedValue) : namespace;
      this.#apply(this.#roots.load, [present(ended)]);
    } else this.#apply(this.#roots.loadFailed, [error ?? present(c.qjs_promise_result(promise))]);
  }

  call(input: string, most: number): void {
    this.#enter(() => {
      this.#applyAndCheck(this.#roots.call, [this.#string(input), this.#number(most)]);
    });
  }

  settle(id: number, ok: boolean, text: string): void {
    this.#enter(() => {
      const { c } = this.#bound;
      const truth = ok ? c.qjs_get_true() : c.qjs_get_false();
      this.#applyAndCheck(this.#roots.settle, [this.#number(id), truth, this.#string(text)]);
    });
  }

  pump(most: number): boolean {
    return this.#enter(() => {
      const { c } = this.#bound;
      for (let ran = 0; ran < most && c.qjs_is_job_pending() !== 0; ran++) {
        // What a job throws is nobody's: the prelude hears of failures by its own promises.
        if (c.qjs_execute_pending_job() < 0) c.qjs_get_exception();
      }
      return c.qjs_is_job_pending() !== 0;
    });
  }

  // A host exception has unwound the guest half way: its memory is good for nothing but to be restored.
  #enter<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "Unwind") this.#sound = false;
      throw error;
    }
  }

  #callbacks(): QuickJsWasiCallbacks {
    return {
      call: (count, values) => this.#requested(count, values),
      interrupt: () => {
        this.#checkGrowth();
        this.host.interrupt();
      },
      normalizeModule: (from, name) =>
        this.#cString(resolvedName(this.#textAt(from), this.#textAt(name), this.#modules)).at,
      loadModule: (given, bytesOut) => {
        const name = this.#textAt(given);
        const code = this.#cString(this.#modules.get(name) ?? unknownModule(name));
        this.#words()[bytesOut / 4] = code.bytes;
        return code.at;
      },
      now: () => this.host.now(),
    };
  }

  #requested(count: number, values: Address): Address {
    this.#checkGrowth();
    const { c } = this.#bound;
    const argument = (index: number): Address => present(this.#words()[values / 4 + index]);
    const given = hearGuest(this.host, {
      count,
      number: (index) => c.qjs_get_float64(argument(index)),
      text: (index) => this.#text(argument(index)),
    });
    return given === undefined ? present(c.qjs_get_undefined()) : this.#number(given);
  }

  // The program grows its memory without asking, up to the maximum. So the host is asked afterwards, at the next
  // interrupt and before anything is heard from the guest, and where it refuses the guest ends.
  #checkGrowth(): void {
    const grown = this.#heldBytes - this.#granted;
    if (grown <= 0) return;
    if (!this.host.mayGrow(grown)) throw new GuestMemoryError("the run's memory limit is reached");
    this.#granted += grown;
  }

  #eval(code: string, name: string): Address {
    const value = this.#evalRaw(code, name, 0);
    this.#throwIfException(value);
    return value;
  }

  #evalRaw(code: string, name: string, flags: number): Address {
    const { c } = this.#bound;
    const text = this.#cString(code);
    const nameText = this.#cString(name);
    const value = c.qjs_eval(text.at, text.bytes, nameText.at, flags);
    c.wasm_free(text.at);
    c.wasm_free(nameText.at);
    return present(value);
  }

  #applyAndCheck(target: Address, values: readonly Address[]): void {
    const error = this.#exception(this.#apply(target, values));
    if (error === undefined) return;
    // The prelude catches what skill code throws. What escapes it was made to, or memory or stack ran out.
    if (target !== this.#roots.broke) this.#applyAndCheck(this.#roots.broke, [error]);
    else this.host.failed({ kind: "memory", name: "InternalError", message: "out of memory", stack: "" });
  }

  #apply(target: Address, values: readonly Address[]): Address {
    const { c } = this.#bound;
    const list = this.#allocate(4 * values.length);
    this.#words().set(values, list / 4);
    const result = c.qjs_call(target, this.#roots.undefinedValue, values.length, list);
    c.wasm_free(list);
    return present(result);
  }

  #exception(value: Address): Address | undefined {
    const { c } = this.#bound;
    return c.qjs_is_exception(value) === 0 ? undefined : present(c.qjs_get_exception());
  }

  #throwIfException(value: Address): void {
    const error = this.#exception(value);
    if (error !== undefined) throw new Error(`the sandbox's own code failed: ${this.#text(error)}`);
  }

  #check(base: QuickJsWasiImage): void {
    const { c, stackPointer } = this.#bound;
    const { host: boot } = this;
    this.host = { ...boot, now: () => 123_456_789_000 };
    const seen = this.#text(this.#eval("String(Date.now())", "check"));
    if (seen !== "123456789000") throw new Error("this build of quickjs-wasi has another clock interface");
    const stop = new Error("stop");
    this.host = {
      ...boot,
      interrupt: () => {
        throw stop;
      },
    };
    let thrown: unknown;
    try {
      this.#eval("for (;;);", "check");
    } catch (error) {
      thrown = error;
    }
    if (thrown !== stop) throw new Error("this build of quickjs-wasi has another interrupt interface");
    this.restore(base);
    const loadings: boolean[] = [];
    this.host = { ...boot, loaded: (failed) => loadings.push(failed === undefined) };
    this.load([{ name: "check", code: "export default 1" }]);
    loadings.push(false);
    this.load([{ name: "check", code: "await null; export default 1" }]);
    if (this.pump(9) || loadings.join() !== "true,false,true")
      throw new Error("this build of quickjs-wasi has another module interface");
    this.host = boot;
    this.restore(base);
    c.qjs_set_memory_limit(2 ** 20);
    const full = this.#text(this.#eval("try { new Uint8Array(2 ** 21) } catch (e) { e.message }", "check"));
    if (full !== "out of memory") throw new Error("this build of quickjs-wasi has another memory limit");
    this.restore(base);
    if (stackPointer.value !== this.#stackTop || !isSame(this.image(), base))
      throw new Error("this build of quickjs-wasi keeps state outside its memory");
  }

  #string(text: string): Address {
    const { c } = this.#bound;
    const { at, bytes } = this.#cString(text);
    const value = c.qjs_new_string(at, bytes);
    c.wasm_free(at);
    return present(value);
  }

  #number(value: number): Address {
    return present(this.#bound.c.qjs_new_number(value));
  }

  #bits(value: Address): bigint {
    return new DataView(this.#memory.buffer).getBigUint64(value, true);
  }

  #boxed(bits: bigint): Address {
    const at = this.#allocate(8);
    new DataView(this.#memory.buffer).setBigUint64(at, BigInt.asUintN(64, bits), true);
    return at;
  }

  // Only JSON text crosses this way, so there is no lone surrogate to lose.
  #text(value: Address): string {
    const { c } = this.#bound;
    const bytesOut = this.#allocate(4);
    const at = present(c.qjs_get_string_len(value, bytesOut));
    const text = decoder.decode(this.#bytes().subarray(at, at + (this.#words()[bytesOut / 4] ?? 0)));
    c.qjs_free_cstring(at);
    c.wasm_free(bytesOut);
    return text;
  }

  #textAt(at: Address): string {
    const bytes = this.#bytes();
    return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  #cString(text: string): { readonly at: Address; readonly bytes: number } {
    const room = text.length * 3 + 1;
    const at = this.#allocate(room);
    const bytes = this.#bytes();
    const { written } = encoder.encodeInto(text, bytes.subarray(at, at + room - 1));
    bytes[at + written] = 0;
    return { at, bytes: written };
  }

  #allocate(bytes: number): Address {
    return present(this.#bound.c.wasm_malloc(bytes));
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

/** The guest's memory is full, so that not even a value for it could be made, or its host gives it no more. */
class GuestMemoryError extends Error {
  override readonly name = "GuestMemoryError";
}

// The C side gives the address 0 where it found no memory for the box of a value.
function present(address: Address | undefined): Address {
  if (address === undefined || address === 0) throw new GuestMemoryError("the guest's memory is full");
  return address;
}

function isSame(one: QuickJsWasiImage, other: QuickJsWasiImage): boolean {
  return (
    one.runs.length === other.runs.length &&
    one.runs.every((run, index) => {
      const also = other.runs[index];
      return also?.at === run.at && Buffer.compare(run.data, also.data) === 0;
    })
  );
}
