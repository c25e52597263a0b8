import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Tells, in the last lines before the summary, what passed at a second try only and what was skipped. */
export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((each) => [...each.children.allTests()]);
    const again = tests.filter((test) => test.ok() && (test.diagnostic()?.retryCount ?? 0) > 0);
    const skipped = tests.filter((test) => test.result().state === "skipped");
    console.log(
      `\n${counted(again, "needed a second try")}\n${counted(skipped, "skipped for want of material")}`,
    );
  }
}

function counted(tests: readonly TestCase[], what: string): string {
  const names = tests.map((test) => `  ${test.module.relativeModuleId} > ${test.fullName}`);
  return [`${tests.length} ${what}${tests.length === 0 ? "" : ":"}`, ...names].join("\n");
}
