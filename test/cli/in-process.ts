import { vi } from "vitest";
import { run } from "../../src/cli/program.ts";

/** A command in this process: started in a folder, with what it prints caught. */
export async function command(
  folder: string,
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const before = process.cwd();
  const printed = { log: "", error: "" };
  const spies = (["log", "error"] as const).map((to) =>
    vi.spyOn(console, to).mockImplementation((...parts: unknown[]) => {
      printed[to] += `${parts.map(String).join(" ")}\n`;
    }),
  );
  process.chdir(folder);
  try {
    return { code: await run(args), stdout: printed.log, stderr: printed.error };
  } finally {
    process.chdir(before);
    for (const spy of spies) spy.mockRestore();
  }
}
