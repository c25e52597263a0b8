import { parse, type Program } from "acorn";
import { fail, ok, type Result } from "../core/result.ts";

/** Why the code of a task makes no function. */
export interface TaskCodeFault {
  readonly message: string;
  /** Where in the code, from 0. */
  readonly offset: number;
}

/**
 * The code of a task as an expression: a function of its arguments. It is a function's body, or a module whose default
 * export is one; in a module the other exports are only declared.
 */
export function taskFunction(code: string, parameters: readonly string[]): Result<string, TaskCodeFault> {
  const unusable = parameters.find((name) => !isParameter(name));
  if (unusable !== undefined)
    return fail({ message: `its argument "${unusable}" is no name that code can have`, offset: 0 });
  const module = parsed(code, false);
  if (module.ok && module.value.body.some(({ type }) => type.startsWith("Export")))
    return moduleFunction(code, module.value);
  const body = parsed(code, true);
  if (!body.ok) return body;
  const exported = body.value.body.find(({ type }) => type.startsWith("Export"));
  if (exported) return fail({ message: "it returns and exports, and can do one", offset: exported.start });
  const taken = parameters.length > 0 ? `{ ${parameters.join(", ")} }` : "";
  return ok(`async (${taken}) => {\n${code}\n}`);
}

function moduleFunction(code: string, { body }: Program): Result<string, TaskCodeFault> {
  let text = code;
  let name: string | undefined;
  for (const statement of body.toReversed()) {
    const { start, end } = statement;
    const instead = (put: string, from: number): void => {
      text = text.slice(0, start) + put + text.slice(from);
    };
    if (statement.type === "ExportAllDeclaration" || ("source" in statement && statement.source))
      return fail({ message: "it takes what stands elsewhere", offset: start });
    if (statement.type === "ExportNamedDeclaration") {
      const local = statement.specifiers.find(({ exported }) =>
        exported.type === "Identifier" ? exported.name === "default" : exported.value === "default",
      )?.local;
      if (local?.type === "Identifier") name = local.name;
      instead("", statement.declaration?.start ?? end);
    } else if (statement.type === "ExportDefaultDeclaration") {
      const { declaration } = statement;
      if (declaration.type === "ClassDeclaration" || declaration.type === "ClassExpression")
        return fail({ message: "its default export is a class, which cannot be called", offset: start });
      const own = declaration.type === "FunctionDeclaration" ? declaration.id?.name : undefined;
      name = own ?? "theDefault";
      instead(own === undefined ? "const theDefault = " : "", declaration.start);
    }
  }
  if (name === undefined) return fail({ message: "it exports no default", offset: 0 });
  return ok(`(() => {\n${text}\nreturn ${name};\n})()`);
}

function parsed(code: string, isBody: boolean): Result<Program, TaskCodeFault> {
  try {
    const program = parse(code, {
      ecmaVersion: 2023,
      sourceType: "module",
      allowReturnOutsideFunction: isBody,
      allowAwaitOutsideFunction: isBody,
      allowHashBang: false,
      onToken: ({ type, start }) => {
        if (type.keyword === "import" && /^import\s*[^\s(.]/.test(code.slice(start)))
          throw Object.assign(new SyntaxError(IMPORTS), { pos: start });
      },
    });
    return ok(program);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    const offset = "pos" in thrown && typeof thrown.pos === "number" ? thrown.pos : 0;
    return fail({ message: thrown.message.replace(/ \(\d+:\d+\)$/, ""), offset });
  }
}

/** The fault of code that imports. */
export const IMPORTS = "it imports, which code in a document cannot";

/** Whether it is written as names are; the others stand in no code by themselves. */
export function isParameterName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}

function isParameter(name: string): boolean {
  try {
    parse(`"use strict"; (({ ${name} }) => ${name});`, { ecmaVersion: 2023, sourceType: "module" });
    return true;
  } catch {
    return false;
  }
}
