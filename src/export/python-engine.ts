import { failure } from "../core/error.ts";
import { fail, ok } from "../core/result.ts";
import { docText, pythonImports } from "../learn/codegen/python-code.ts";
import type { Param } from "../learn/plan/plan.ts";
import type { Exporter, ExportedSkill, ToolAccess } from "./engine-adapter.ts";
import { pythonProgram } from "./execution/python-program.ts";
import { CLIENT_IMPORTS, CLIENT_REQUIREMENTS } from "./python-client.ts";
import { plainName, printableInPython } from "./python-nodes.ts";

/** An engine that runs a Python module: what is its own of the files. */
export interface PythonEngine {
  readonly name: string;
  /** What the module is, behind the skill's name. */
  readonly noun: string;
  /** The engine's package, with the version that it was tried with. */
  readonly requirement: string;
  /** Names that the module's texts may have, by the modules that they are from. */
  readonly imports: { readonly [module: string]: readonly string[] };
  /** Why a credential cannot be a parameter, where it cannot. */
  readonly secretFault: (secret: Param) => string | undefined;
  /** The module's definitions, in their order. */
  readonly definitions: (skill: ExportedSkill, access: ToolAccess) => readonly string[];
  readonly test: (skill: ExportedSkill, module: string) => string;
  /** How a program runs the module, where that has no coroutine function `run(given)`: see `PythonProgram`. */
  readonly run?: (skill: ExportedSkill) => string;
  readonly readme: (skill: ExportedSkill, access: ToolAccess, module: string) => string;
}

/** Writes skills as a module, its test, what they require, and how they are started. */
export function pythonAdapter(engine: PythonEngine): Exporter {
  const canExecute: Exporter["canExecute"] = (skill, access) => {
    for (const param of skill.work.kind === "plan" ? skill.work.plan.params : []) {
      const fault = param.secret === true ? engine.secretFault(param) : undefined;
      if (fault !== undefined) return fail(failure("EXPORT_REFUSED", `${param.name}: ${fault}`));
    }
    return printableInPython(skill, access);
  };
  const requirements = [...CLIENT_REQUIREMENTS, engine.requirement];
  const moduleOf = ({ name }: ExportedSkill): string => `${plainName(name)}_${engine.noun}`;
  return {
    name: engine.name,
    canExecute,
    export: (skill, access) => {
      const can = canExecute(skill, access);
      if (!can.ok) return can;
      const module = moduleOf(skill);
      return ok([
        { path: `${module}.py`, text: moduleText(engine, skill, access) },
        { path: `test_${module}.py`, text: engine.test(skill, module) },
        { path: "requirements.txt", text: [...requirements, ""].join("\n") },
        { path: "README.md", text: engine.readme(skill, access, module) },
      ]);
    },
    program: {
      language: "python",
      requirements,
      text: (skill) => {
        const run = engine.run?.(skill);
        return pythonProgram({
          module: moduleOf(skill),
          requirements,
          ...(run === undefined ? {} : { run }),
        });
      },
    },
  };
}

function moduleText(engine: PythonEngine, skill: ExportedSkill, access: ToolAccess): string {
  const body = engine.definitions(skill, access).join("\n\n\n");
  const head = docText(skill.description ?? skill.name);
  const imports = pythonImports(body, { ...engine.imports, ...CLIENT_IMPORTS });
  return `${head}\n\nfrom __future__ import annotations\n\n${imports}\n\n\n${body}\n`;
}
