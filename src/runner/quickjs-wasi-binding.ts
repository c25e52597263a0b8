import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Address } from "./quickjs-binding.ts";

/**
 * The functions of the C interface that the sandbox uses. The package's own take and give addresses of boxed JSValues,
 * QuickJS's take and give the 64 bits of a JSValue.
 */
interface QuickJsWasiBinding {
  _initialize(): void;
  qjs_init2(intrinsics: number): number;
  qjs_set_interrupt_handler(enable: number): void;
  qjs_set_module_loader(enable: number): void;
  qjs_set_memory_limit(bytes: number): void;
  qjs_set_max_stack_size(bytes: number): void;
  qjs_eval(text: Address, bytes: number, name: Address, flags: number): Address;
  qjs_call(target: Address, self: Address, count: number, values: Address): Address;
  qjs_new_host_function(name: Address, nameBytes: number, length: number): Address;
  qjs_new_string(text: Address, bytes: number): Address;
  qjs_new_number(value: number): Address;
  qjs_get_undefined(): Address;
  qjs_get_true(): Address;
  qjs_get_false(): Address;
  qjs_get_float64(value: Address): number;
  qjs_get_string_len(value: Address, bytesOut: Address): Address;
  qjs_free_cstring(text: Address): void;
  qjs_get_prop_uint32(value: Address, index: number): Address;
  qjs_is_exception(value: Address): number;
  qjs_get_exception(): Address;
  qjs_is_job_pending(): number;
  qjs_execute_pending_job(): number;
  qjs_promise_state(promise: Address): number;
  qjs_promise_result(promise: Address): Address;
  qjs_promise_then(promise: Address, fulfilled: Address, rejected: Address): Address;
  qjs_get_context_ptr(): Address;
  JS_EvalFunction(context: Address, compiled: bigint): bigint;
  JS_GetModuleNamespace(context: Address, module: Address): bigint;
  wasm_malloc(bytes: number): Address;
  wasm_free(address: Address): void;
}

/** What the C side calls. Each may throw, which unwinds the guest at once. */
export interface QuickJsWasiCallbacks {
  /** The guest calls the host function: the address of a list of addresses of values. Gives a new value. */
  call(count: number, values: Address): Address;
  interrupt(): void;
  /** Both take names as C strings; they give a C string that the C side frees. */
  normalizeModule(from: Address, name: Address): Address;
  loadModule(name: Address, bytesOut: Address): Address;
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface BoundQuickJsWasi {
  readonly c: QuickJsWasiBinding;
  /** The C stack's pointer: the one variable of the program that lives outside its memory. */
  readonly stackPointer: { value: Address };
}

/**
 * The engine's compiled binary, changed to import its memory, so that the host can give it one with a hard maximum.
 * It can be posted to worker threads, so that each need not compile it again.
 */
export async function quickJsWasiBinary(): Promise<WebAssembly.Module> {
  const require = createRequire(import.meta.url);
  const program = await readFile(require.resolve("quickjs-wasi/quickjs.wasm"));
  return new WebAssembly.Module(withImportedMemory(program));
}

/** QuickJS on the given memory, asking the given callbacks. */
export function bindQuickJsWasi(
  binary: WebAssembly.Module,
  memory: WebAssembly.Memory,
  callbacks: QuickJsWasiCallbacks,
): BoundQuickJsWasi {
  const refuse = (): number => BAD_FILE;
  const { exports } = new WebAssembly.Instance(binary, {
    env: {
      memory,
      host_call: (_name: Address, _bytes: number, _self: Address, count: number, values: Address) =>
        callbacks.call(count, values),
      host_interrupt: () => {
        callbacks.interrupt();
        return 0;
      },
      host_module_normalize: (from: Address, name: Address) => callbacks.normalizeModule(from, name),
      host_module_load: (name: Address, bytesOut: Address) => callbacks.loadModule(name, bytesOut),
      host_promise_rejection: () => undefined,
      host_get_timezone_offset: (high: number, low: number) =>
        new Date((high * 2 ** 32 + (low >>> 0)) * 1000).getTimezoneOffset() * -60,
    },
    wasi_snapshot_preview1: {
      clock_time_get: (_clock: number, _precision: bigint, out: Address) => {
        const nanoseconds = BigInt(Math.trunc(callbacks.now())) * 1_000_000n;
        new DataView(memory.buffer).setBigInt64(out, nanoseconds, true);
        return 0;
      },
      // No secret may depend on it: states are copied from instance to instance.
      random_get: (out: Address, bytes: number) => {
        new Uint8Array(memory.buffer, out, bytes).fill(0);
        return 0;
      },
      fd_write: refuse,
      fd_close: refuse,
      fd_fdstat_get: refuse,
      fd_seek: refuse,
    },
  });
  const { __stack_pointer: stackPointer } = exports as Partial<Record<string, unknown>>;
  if (!isStackPointer(stackPointer))
    throw new Error("this build of quickjs-wasi has another stack interface");
  return { c: exports as unknown as QuickJsWasiBinding, stackPointer };
}

/** WASI's number for "bad file descriptor": the guest has no files, not even a standard output. */
const BAD_FILE = 8;

function isStackPointer(value: unknown): value is { value: Address } {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "value") === "number";
}

// --- the binary format of WebAssembly (https://webassembly.github.io/spec/core/binary/modules.html)

const HEADER_BYTES = 8;
const IMPORT_SECTION = 2;
const MEMORY_SECTION = 5;
const MEMORY_KIND = 2;

// Both kinds of section are vectors: a count, and the entries. Memory 0 stays memory 0.
function withImportedMemory(program: Uint8Array): Uint8Array {
  const sections = sectionsOf(program);
  const imports = sections.find((section) => section.id === IMPORT_SECTION);
  const memories = sections.find((section) => section.id === MEMORY_SECTION);
  if (!imports || memories?.content[0] !== 1)
    throw new Error("this build of quickjs-wasi has another memory interface");
  const count = readNumber(imports.content, 0);
  const limits = memories.content.subarray(1);
  const added = [...named("env"), ...named("memory"), MEMORY_KIND, ...limits];
  const content = [...number(count.value + 1), ...imports.content.subarray(count.end), ...added];
  const parts = sections
    .filter((section) => section !== memories)
    .map((section) => (section === imports ? { id: section.id, content } : section))
    .flatMap((section) => [[section.id, ...number(section.content.length)], section.content]);
  return Buffer.concat([program.subarray(0, HEADER_BYTES), ...parts.map((part) => Buffer.from(part))]);
}

interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

function sectionsOf(program: Uint8Array): readonly Section[] {
  const sections: Section[] = [];
  let at = HEADER_BYTES;
  while (at < program.length) {
    const id = program[at] ?? 0;
    const length = readNumber(program, at + 1);
    at = length.end + length.value;
    sections.push({ id, content: program.subarray(length.end, at) });
  }
  return sections;
}

// Numbers are little endian in groups of seven bits, the eighth telling that more follow (LEB128).
function readNumber(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let end = at;
  let shift = 0;
  let group: number;
  do {
    group = bytes[end++] ?? 0;
    value += (group & 0x7f) * 2 ** shift;
    shift += 7;
  } while (group & 0x80);
  return { value, end };
}

function number(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(Math.floor(value / 0x80))];
}

function named(name: string): readonly number[] {
  return [...number(name.length), ...Buffer.from(name)];
}
