import { failure } from "../../core/error.ts";
import { withUnreadTexts } from "../texts/readings.ts";
import { isJsonObject, type Json } from "../../core/json/json.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Param, Plan } from "../plan/plan.ts";
import { namedSteps, skillsOf } from "../plan/steps.ts";
import type { TextForm } from "../texts/text-form.ts";
import { PYTHON_HELPERS } from "./python-helpers.ts";
import { pythonLiteral } from "./python-literal.ts";
import { INDENT, PythonSteps } from "./python-steps.ts";
import { PYTHON_TEXT_HELPERS } from "./python-text-helpers.ts";
import { hasWrittenValues } from "./text-helpers.ts";

const HELPERS: { readonly [name: string]: string } = { ...PYTHON_HELPERS, ...PYTHON_TEXT_HELPERS };

/** What the helpers are called. */
export const PYTHON_HELPER_NAMES: readonly string[] = Object.keys(HELPERS);

/**
 * The plan as a Python module of its own, for Python 3.10 and later and the standard library alone: `run(given,
 * call_tool)`, and `call_skill` behind it where the plan calls skills. What both of these raise is a call's failure.
 * Refused is a step whose texts are read in a form that Python has no reader for.
 */
export function pythonCode(made: Plan): Result<string> {
  const readable = readableInPython(made);
  if (!readable.ok) return readable;
  const plan = withUnreadTexts(made);
  const steps = new PythonSteps(plan, {
    taken: PYTHON_HELPER_NAMES,
    callee: ({ isSkill }) => (isSkill === true ? "call_skill" : "call_tool"),
  });
  const skills = skillsOf(plan.steps).length > 0 ? ", call_skill: Callable[[str, Any], Awaitable[Any]]" : "";
  const body = [
    `async def run(given: Given, call_tool: Callable[[str, Any], Awaitable[Any]]${skills}) -> Any:`,
    ...plan.steps.flatMap((step) => steps.step(step, INDENT)),
    steps.output(INDENT, "return "),
  ].join("\n");
  const text = [inputType(plan.params), ...helperTexts(steps.helpers), body].join("\n\n\n");
  const head = plan.description === undefined ? "" : `${docText(plan.description)}\n\n`;
  return ok(`${head}from __future__ import annotations\n\n${pythonImports(text)}\n\n\n${text}\n`);
}

/** Refused is a step whose texts are read in a form that Python has no reader for. */
export function readableInPython({ steps }: Pick<Plan, "steps">): Result<null> {
  const unread = namedSteps(steps).find(
    (step) => step.kind === "call" && step.reads?.some(({ forms }) => !forms.every(isReadInPython)),
  );
  if (!unread) return ok(null);
  const why = "its answer's text is read in a form that is not printed as Python";
  return fail(failure("EXPORT_REFUSED", `${unread.name}: ${why}`));
}

function isReadInPython(form: TextForm): boolean {
  return Object.hasOwn(HELPERS, `${form.kind}_of`) && !hasWrittenValues(form);
}

/** The imports that a text needs, a line each: of the standard library, then those of other packages. */
export function pythonImports(
  text: string,
  packages: { readonly [module: string]: readonly string[] } = {},
): string {
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
  const froms = (names: { readonly [module: string]: readonly string[] }): readonly string[] =>
    Object.entries(names)
      .filter(([, each]) => each.some(isUsed))
      .map(([module, each]) => `from ${module} import ${each.filter(isUsed).join(", ")}`);
  const modules = MODULES.filter((name) => new RegExp(`\\b${name}\\.\\w`).test(text)).map(
    (name) => `import ${name}`,
  );
  return [[...modules, ...froms(STANDARD)], froms(packages)]
    .filter((group) => group.length > 0)
    .map((group) => group.join("\n"))
    .join("\n\n");
}

const MODULES = [
  "asyncio",
  "contextlib",
  "dataclasses",
  "datetime",
  "decimal",
  "inspect",
  "json",
  "math",
  "os",
  "re",
  "shlex",
  "sys",
  "unicodedata",
];
const STANDARD = { typing: ["Any", "Awaitable", "Callable", "ClassVar", "TypedDict"], uuid: ["uuid4"] };

/** A text as a docstring of one line. */
export function docText(text: string): string {
  const words = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll("\\", "/")
    .replaceAll('"', "'");
  return `"""${words.trim()}"""`;
}

/** The helpers and those that they use, in the order of the table; some as the module around them has them. */
export function helperTexts(
  wanted: Iterable<string>,
  own: { readonly [name: string]: string } = {},
): readonly string[] {
  const needed = new Set<string>();
  const need = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const [word] of HELPERS[name]?.matchAll(/\w+/g) ?? []) if (Object.hasOwn(HELPERS, word)) need(word);
  };
  for (const name of wanted) need(name);
  return Object.entries(HELPERS).flatMap(([name, text]) => (needed.has(name) ? [own[name] ?? text] : []));
}

/** The type `Given` of what the caller decides. */
export function inputType(params: readonly Param[]): string {
  const fieldsOf = (isOptional: boolean): string =>
    params
      .filter(({ optional }) => (optional === true) === isOptional)
      .map(({ name, schema }) => `${pythonLiteral(name)}: ${pythonType(schema)}`)
      .join(", ");
  const [needed, optional] = [fieldsOf(false), fieldsOf(true)];
  const type = (name: string, fields: string, rest = ""): string =>
    `${name} = TypedDict("${name}", {${fields}}${rest})`;
  if (optional === "") return `${type("Given", needed)}\n"""What the caller decides."""`;
  return [
    type("Needed", needed),
    type("Wished", optional, ", total=False"),
    "",
    "",
    "class Given(Needed, Wished):",
    '    """What the caller decides; what is wished may be left out."""',
  ].join("\n");
}

/** The values of a schema as a Python type. */
export function pythonType(schema: { readonly [key: string]: Json }): string {
  const { type, items } = schema;
  if (type === "array") return `list[${isJsonObject(items) ? pythonType(items) : "Any"}]`;
  return (typeof type === "string" ? PYTHON_TYPES[type] : undefined) ?? "Any";
}

const PYTHON_TYPES: { readonly [type: string]: string } = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  object: "dict[str, Any]",
};

/** What a module of a skill is called: not as one of Python's own, which it would stand in the place of, nor as a keyword. */
export function pythonModule(name: string): string {
  const plain = name.replaceAll("-", "_");
  return TAKEN_MODULES.has(plain) || !/^[a-z_]/i.test(plain) ? `skill_${plain}` : plain;
}

/** The standard library's modules, of Python 3.10 and later, and keywords. */
const TAKEN_MODULES: ReadonlySet<string> = new Set(
  (
    "abc aifc and annotationlib antigravity argparse array as assert ast async asynchat asyncio asyncore atexit " +
    "audioop await base64 bdb binascii bisect break builtins bz2 calendar cgi cgitb chunk class cmath cmd code " +
    "codecs codeop collections colorsys compileall compression concurrent configparser contextlib contextvars " +
    "continue copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal def del difflib dis distutils " +
    "doctest elif else email encodings ensurepip enum errno except faulthandler fcntl filecmp fileinput finally " +
    "fnmatch for fractions from ftplib functools gc genericpath getopt getpass gettext glob global graphlib grp " +
    "gzip hashlib heapq hmac html http idlelib if imaplib imghdr imp import importlib in inspect io ipaddress is " +
    "itertools json keyword lambda lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes " +
    "mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nonlocal not nt ntpath nturl2path numbers " +
    "opcode operator optparse or os ossaudiodev pass pathlib pdb pickle pickletools pipes pkgutil platform " +
    "plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat " +
    "queue quopri raise random re readline reprlib resource return rlcompleter runpy sched secrets select " +
    "selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile " +
    "sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig " +
    "syslog tabnanny tarfile telnetlib tempfile termios test textwrap this threading time timeit tkinter token " +
    "tokenize tomllib trace traceback tracemalloc try tty turtle turtledemo types typing unicodedata unittest " +
    "urllib uu uuid venv warnings wave weakref webbrowser while winreg winsound with wsgiref xdrlib xml xmlrpc " +
    "yield zipapp zipfile zipimport zlib zoneinfo"
  ).split(" "),
);
