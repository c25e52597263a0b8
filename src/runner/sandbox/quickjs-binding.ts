import * as glue from "@jitl/quickjs-wasmfile-release-sync/emscripten-module";
import { QuickJSFFI } from "@jitl/quickjs-wasmfile-release-sync/ffi";

/** An address in the guest's memory. */
export type Address = number;

/** The functions of QuickJS's C interface that the sandbox uses; values are addresses of boxed JSValues. */
interface QuickJsBinding {
  QTS_NewRuntime(): Address;
  QTS_RuntimeSetMaxStackSize(runtime: Address, bytes: number): void;
  QTS_RuntimeEnableInterruptHandler(runtime: Address): void;
  QTS_RuntimeEnableModuleLoader(runtime: Address, ownNormalizer: number): void;
  QTS_NewContext(runtime: Address, intrinsics: number): Address;
  QTS_GetUndefined(): Address;
  QTS_GetTrue(): Address;
  QTS_GetFalse(): Address;
  QTS_NewFloat64(context: Address, value: number): Address;
  QTS_GetFloat64(context: Address, value: Address): number;
  QTS_NewString(context: Address, text: Address): Address;
  QTS_GetString(context: Address, value: Address): Address;
  QTS_FreeCString(context: Address, text: Address): void;
  QTS_GetPropNumber(context: Address, value: Address, index: number): Address;
  QTS_NewFunction(
    context: Address,
    name: string,
    length: number,
    isConstructor: boolean,
    id: number,
  ): Address;
  QTS_Call(context: Address, target: Address, self: Address, count: number, values: Address): Address;
  QTS_Eval(
    context: Address,
    text: Address,
    bytes: number,
    name: string,
    detectModule: number,
    flags: number,
  ): Address;
  QTS_ResolveException(context: Address, value: Address): Address;
  QTS_ExecutePendingJob(runtime: Address, most: number, contextOut: Address): Address;
  QTS_IsJobPending(runtime: Address): number;
  QTS_FreeValuePointerRuntime(runtime: Address, value: Address): void;
  QTS_ArgvGetJSValueConstPointer(values: Address, index: number): Address;
}

/** What the C side calls; the first argument is for asynchronous builds only. */
export interface QuickJsCallbacks {
  callFunction(
    unused: unknown,
    context: Address,
    self: Address,
    count: number,
    values: Address,
    id: number,
  ): Address;
  shouldInterrupt(unused: unknown, runtime: Address): number;
  loadModuleSource(unused: unknown, runtime: Address, context: Address, name: string): Address;
  normalizeModule(unused: unknown, runtime: Address, context: Address, from: string, name: string): Address;
  freeHostRef(unused: unknown, runtime: Address, id: number): void;
}

export interface BoundQuickJs {
  readonly c: QuickJsBinding;
  readonly malloc: (bytes: number) => Address;
  readonly free: (address: Address) => void;
  /** The C stack's pointer, and its change. */
  readonly stackPointer: () => Address;
  readonly setStackPointer: (address: Address) => void;
}

/** QuickJS on the given memory, asking the given callbacks; `now` is the clock that `Date` reads. */
export async function bindQuickJs(
  binary: WebAssembly.Module,
  memory: WebAssembly.Memory,
  callbacks: QuickJsCallbacks,
  now: () => number,
): Promise<BoundQuickJs> {
  let exported: WebAssembly.Exports = {};
  const module = await createModule({
    wasmMemory: memory,
    callbacks,
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm(imports, done) {
      imports.a[CLOCK_IMPORT] = now;
      const instance = new WebAssembly.Instance(binary, imports);
      exported = instance.exports;
      done(instance);
      return exported;
    },
  });
  const { [STACK_RESTORE]: restore, [STACK_CURRENT]: current } = exported;
  if (!restore || !current) throw new Error("this build of QuickJS has another stack interface");
  return {
    c: new (QuickJSFFI as unknown as new (module: EmscriptenModule) => QuickJsBinding)(module),
    malloc: (bytes) => module._malloc(bytes),
    free: (address) => module._free(address),
    stackPointer: current,
    setStackPointer: restore,
  };
}

// The build's own short names for its clock import and its stack exports. `QuickJsInstance.boot` checks each.
const CLOCK_IMPORT = "p";
const STACK_RESTORE = "Ma";
const STACK_CURRENT = "Oa";

interface EmscriptenModule {
  _malloc(bytes: number): Address;
  _free(address: Address): void;
}

interface EmscriptenOptions {
  wasmMemory: WebAssembly.Memory;
  callbacks: QuickJsCallbacks;
  print(): void;
  printErr(): void;
  instantiateWasm(
    imports: { a: Record<string, unknown> },
    done: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports;
}

// The package's own types describe the pointers as distinct nominal types and the loader as a CommonJS module.
const createModule = glue.default as unknown as (options: EmscriptenOptions) => Promise<EmscriptenModule>;
