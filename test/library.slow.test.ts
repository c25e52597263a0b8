import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blocksOf, pageAt } from "./docs/pages.ts";
import { checkoutIn, packed, projectWith } from "./installed-package.ts";
import { ROOT } from "./server/connected-client.ts";

const run = promisify(execFile);
const SLOW = { timeout: 240_000 };

const blocks = blocksOf(pageAt("docs/library.md"));
/** Each program of the page with what it prints. */
const examples = blocks.flatMap(({ language, text }, index) => {
  const next = blocks[index + 1];
  return language === "ts" ? [{ code: text, prints: next?.language === "text" ? next.text : "" }] : [];
});
const only = (language: string): string => blocks.find((block) => block.language === language)?.text ?? "";

// The package as it is published, installed in another project.
let place: string;
let project: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "repertoire-library-"));
  const { file } = await packed(await checkoutIn(place), place);
  project = await projectWith(join(place, "project"), file);
}, SLOW.timeout);
afterAll(async () => rm(place, { recursive: true, force: true, maxRetries: 5 }));

test("the page has a program for each entry point, and says what it prints", () => {
  for (const entry of ENTRIES)
    expect(examples.some(({ code }) => code.includes(`from "${entry}"`))).toBe(true);
  expect(examples.every(({ prints }) => prints !== "")).toBe(true);
});

test("the page's programs print what it says, one after another", SLOW, async () => {
  const work = await mkdtemp(join(place, "work-"));
  await symlink(join(project, "node_modules"), join(work, "node_modules"));
  const PATH = [dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const options = { cwd: work, env: { PATH, HOME: work } };
  await writeFile(join(work, "package.json"), "{}");
  for (const line of only("sh").trim().split("\n")) await run("sh", ["-c", line], options);
  await writeFile(join(work, "mcp.config.json"), only("json"));
  for (const [index, { code, prints }] of examples.entries()) {
    await writeFile(join(work, `example-${index}.ts`), code);
    const { stdout } = await run("node", [`example-${index}.ts`], options);
    expect(stdout).toBe(prints);
  }
});

const ENTRIES = ["repertoire", "repertoire/learn", "repertoire/traces"] as const;

describe("the types of the entry points", () => {
  const compilerOptions: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    declaration: true,
    outDir: "out",
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  const compiled = async (
    files: Readonly<Record<string, string>>,
    options: ts.CompilerOptions = {},
  ): Promise<ts.Program> => {
    for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
    const rootNames = Object.keys(files).map((name) => join(project, name));
    return ts.createProgram({ rootNames, options: { ...compilerOptions, ...options } });
  };
  const faults = (program: ts.Program): readonly string[] =>
    ts
      .getPreEmitDiagnostics(program)
      .map(
        ({ file, messageText }) =>
          `${file?.fileName ?? ""} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      );

  const imports = ENTRIES.map((entry, index) => `import * as entry${index} from "${entry}";`).join("\n");
  const used = `${imports}\nexport const entries = [${ENTRIES.map((_, index) => `entry${index}`).join(", ")}];`;
  let published: Published;
  beforeAll(async () => {
    published = publishedBy(await compiled({ "all.mts": used }));
  }, SLOW.timeout);

  test("the page's programs fit to them", SLOW, async () => {
    const files = Object.fromEntries(examples.map(({ code }, index) => [`example-${index}.mts`, code]));
    expect(faults(await compiled(files))).toEqual([]);
    const bundled = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
    expect(faults(await compiled(files, bundled))).toEqual([]);
  });

  test("no type that one of them mentions is out of reach", () => {
    expect(published.symbols.length).toBeGreaterThan(100);
    expect(outOfReach(published)).toEqual([]);
  });

  test("whoever uses a part of them can publish declarations of it", SLOW, async () => {
    const { symbols, checker } = published;
    const parts = symbols.flatMap(({ name, symbol, entry }) => {
      const isPlain = symbol.declarations?.every(
        (each) => (ts.isInterfaceDeclaration(each) || ts.isClassDeclaration(each)) && !each.typeParameters,
      );
      if (!isPlain) return [];
      const properties = checker.getDeclaredTypeOfSymbol(symbol).getProperties();
      return properties
        .filter(({ name: part }) => /^\w+$/.test(part))
        .map(({ name: part }) => `export const ${name}_${part} = (it: entry${entry}.${name}) => it.${part};`);
    });
    const called = symbols
      .filter(
        ({ symbol }) => (symbol.flags & ts.SymbolFlags.Value) !== 0 && !(symbol.flags & ts.SymbolFlags.Class),
      )
      .map(({ name, entry }) => `export const ${name} = entry${entry}.${name};`);
    expect(parts.length).toBeGreaterThan(300);
    expect(called.length).toBeGreaterThan(8);
    expect(faults(await compiled({ "consumer.mts": [imports, ...called, ...parts].join("\n") }))).toEqual([]);
  });

  test("every function says what it does", () => {
    const silent = published.symbols.flatMap(({ name, symbol }) =>
      (symbol.declarations ?? []).flatMap((declaration) => {
        const own = ts.isFunctionDeclaration(declaration) ? [declaration] : [];
        const isOfMethods = ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration);
        const methods = isOfMethods
          ? declaration.members.filter((each) => ts.isMethodSignature(each) || ts.isMethodDeclaration(each))
          : [];
        return [...own, ...methods]
          .filter((each) => ts.getJSDocCommentsAndTags(each).length === 0)
          .map((each) => `${name}: ${each.getText()}`);
      }),
    );
    expect(silent).toEqual([]);
  });
});

interface Published {
  readonly checker: ts.TypeChecker;
  readonly symbols: readonly { readonly name: string; readonly symbol: ts.Symbol; readonly entry: number }[];
}

/** What the entry points export, each name with the entry that it comes from. */
function publishedBy(program: ts.Program): Published {
  const checker = program.getTypeChecker();
  const [file] = program.getRootFileNames();
  const source = program.getSourceFile(file ?? "");
  const symbols = (source?.statements ?? ([] as readonly ts.Statement[]))
    .filter((statement) => ts.isImportDeclaration(statement))
    .flatMap(({ moduleSpecifier }, entry) => {
      const module = checker.getSymbolAtLocation(moduleSpecifier);
      return (module ? checker.getExportsOfModule(module) : []).map((symbol) => ({
        name: symbol.name,
        symbol: resolved(symbol, checker),
        entry,
      }));
    });
  return { checker, symbols };
}

function resolved(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Types of the package that declarations of what is exported name, and that are not exported themselves. */
function outOfReach({ symbols, checker }: Published): readonly string[] {
  const exported = new Set(symbols.map(({ symbol }) => symbol));
  const found = new Set<string>();
  const visit = (node: ts.Node, from: string): void => {
    const name = ts.isTypeReferenceNode(node)
      ? node.typeName
      : ts.isExpressionWithTypeArguments(node)
        ? node.expression
        : ts.isImportTypeNode(node)
          ? node.qualifier
          : undefined;
    const symbol = name && checker.getSymbolAtLocation(name);
    const type = symbol && resolved(symbol, checker);
    const isOurs = type?.declarations?.some((each) =>
      each.getSourceFile().fileName.includes("/node_modules/repertoire/"),
    );
    if (type && isOurs && !(type.flags & ts.SymbolFlags.TypeParameter) && !exported.has(type))
      found.add(`${type.name}, of ${from}`);
    ts.forEachChild(node, (child) => visit(child, from));
  };
  for (const { name, symbol } of symbols) for (const each of symbol.declarations ?? []) visit(each, name);
  return [...found];
}
