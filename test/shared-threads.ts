import { SkillCompiler } from "../src/compiler/compile-skills.ts";
import { DEFAULT_LIMITS } from "../src/core/limits.ts";
import { Runner } from "../src/runner/runner.ts";
import { Replayer } from "./learn/replay.ts";

// The threads of these cost more than most tests: all files of a process share them, and none closes them. What tells
// how threads behave, or has other settings, opens its own.

export const compiler = new SkillCompiler();
export const runner = new Runner({ limits: DEFAULT_LIMITS, workers: 1 });
export const replayer = new Replayer();
