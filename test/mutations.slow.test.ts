import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { assembleSkills } from "../src/catalog/assemble.ts";
import { loadFolders } from "../src/catalog/folders/load-folders.ts";
import { SkillCompiler } from "../src/compiler/compile-skills.ts";
import type { Diagnostic, DiagnosticCode } from "../src/core/diagnostic.ts";

const SHOWCASE = fileURLToPath(new URL("../skills/showcase", import.meta.url));

/** A mistake in one file: `from` becomes `to`, and is found where `‸` stands, or in another file where it stands there. */
interface Mutation {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly code: DiagnosticCode;
  readonly says: RegExp;
  /** Where it is found, if not in the file itself. */
  readonly foundIn?: readonly [file: string, text: string];
}

const trips = (file: string): string => `trip-optimizer/${file}`;
const web = (file: string): string => `web-research/${file}`;

const MUTATIONS: readonly Mutation[] = [
  // Names
  {
    file: trips("route-price/skill.ts"),
    from: `call_skill("flight-search",`,
    to: `call_skill(‸"flight-serach",`,
    code: "call-unknown",
    says: /Did you mean "flight-search"/,
  },
  {
    file: trips("feasibility-check/SKILL.md"),
    from: "composes: [visa-check, calendar-read, route-price]",
    to: "composes: [visa-check, ‸calender-read, route-price]",
    code: "composes-unknown",
    says: /Did you mean "calendar-read"/,
  },
  {
    file: web("daily-briefing/skill.ts"),
    from: `call_skill("research", {`,
    to: `call_skill(‸"reserch", {`,
    code: "call-unknown",
    says: /Did you mean "research"/,
  },
  // Arguments
  {
    file: trips("option-explore/skill.ts"),
    from: `    departure: dayAfter(first, flexDays),\n    nights,\n    flexDays,\n  });`,
    to: `    departure: dayAfter(first, flexDays),\n    flexDays,\n  });`,
    code: "call-type",
    says: /'nights' is missing/,
    foundIn: [trips("option-explore/skill.ts"), `await call_skill("route-price", ‸{\n    origin`],
  },
  {
    file: trips("destination-evaluate/skill.ts"),
    from: `call_skill("activity-search", { destination })`,
    to: `call_skill("activity-search", { destination, ‸kinds: ["beech"] })`,
    code: "call-type",
    says: /"beech".*not assignable|not assignable.*"beech"/,
    foundIn: [trips("destination-evaluate/skill.ts"), `{ destination, kinds: [‸"beech"] })`],
  },
  {
    file: trips("trip-optimize/skill.ts"),
    from: `    destination,\n    departures,\n    nights,\n    tastes,`,
    to: `    destination,\n    departures,\n    ‸nights: String(nights),\n    tastes,`,
    code: "call-type",
    says: /'string' is not assignable to type 'number'/,
  },
  {
    file: web("research/skill.ts"),
    from: `      title: query,\n      paragraphs: [answer],`,
    to: `      title: query,\n      ‸paragraphs: answer,`,
    code: "call-type",
    says: /'string' is not assignable to type 'readonly string\[\]'/,
  },
  {
    file: web("deep-research/skill.ts"),
    from: `        levels: levels - 1,`,
    to: `        ‸level: levels - 1,`,
    code: "call-type",
    says: /'level' does not exist in type 'DeepResearchInput'/,
  },
  {
    file: web("daily-briefing/skill.ts"),
    from: `      focus: "news",`,
    to: `      ‸focus: "newspapers",`,
    code: "call-type",
    says: /"newspapers"/,
  },
  {
    file: trips("feasibility-check/skill.ts"),
    from: `call_skill("visa-check", { destination, passport })`,
    to: `call_skill("visa-check", { destination, passport: ‸"Germany" })`,
    code: "call-argument",
    says: /must match pattern "\^\[A-Z\]\{2\}\$"/,
  },
  {
    file: trips("destination-evaluate/skill.ts"),
    from: `departure: first, nights })`,
    to: `departure: first, nights, flexDays: ‸9 })`,
    code: "call-argument",
    says: /must be <= 3/,
  },
  // Results
  {
    file: trips("route-price/skill.ts"),
    from: `const { lowestFare, fastestHours } = air;`,
    to: `const air2 = await call_skill("flight-search", { from: origin, to: destination, departure, nights });\n  const { lowestFare, ‸fastestHour: fastestHours } = air2;`,
    code: "call-type",
    says: /'fastestHour' does not exist on type 'FlightSearchOutput'/,
  },
  {
    file: web("daily-briefing/skill.ts"),
    from: `const { pages }: { pages: number } = await`,
    to: `const { ‸page } = await`,
    code: "call-type",
    says: /'page' does not exist on type 'PdfSaveOutput'/,
  },
  {
    file: web("research/skill.ts"),
    from: `await call_skill("web-search", { query, focus });`,
    to: `call_skill("web-search", { query, focus });`,
    code: "call-type",
    says: /Promise/,
    foundIn: [web("research/skill.ts"), `const ‸{ answer, sources: found`],
  },
  // What a callee becomes
  {
    file: trips("flight-search/skill.ts"),
    from: `  /** Hours one way, with the way to a nearby airport */\n  hours: number;`,
    to: `  /** Hours one way, with the way to a nearby airport */\n  hours: number | null;`,
    code: "call-type",
    says: /Type 'null' is not assignable to type 'number'|'number \| null' is not assignable to type 'number'/,
    foundIn: [trips("route-price/skill.ts"), `const ‸[air, bed]: [Flights, Hotels]`],
  },
  {
    file: trips("hotel-search/skill.ts"),
    from: `  /** Day of arrival @format date */\n  checkIn: string;\n  /** @minimum 1 @maximum 28 */`,
    to: `  /** Day of arrival @format date */\n  arrival: string;\n  checkIn: string;\n  /** @minimum 1 @maximum 28 */`,
    code: "call-type",
    says: /'arrival' is missing/,
    foundIn: [trips("route-price/skill.ts"), `call_skill("hotel-search", ‸{ destination`],
  },
  {
    file: trips("visa-check/skill.ts"),
    from: `  fee: Integer;`,
    to: `  fee: string;`,
    code: "call-type",
    says: /'string' is not assignable to type 'number'/,
    foundIn: [trips("feasibility-check/skill.ts"), `const ‸[visa, calendar, price]`],
  },
  {
    file: trips("weather-fetch/skill.ts"),
    from: `  /** Last day, at most a year later @format date */\n  to: string;`,
    to: `  /** Last day, at most a year later @format date */\n  to: number;`,
    code: "call-type",
    says: /'string' is not assignable to type 'number'/,
    foundIn: [trips("destination-evaluate/skill.ts"), `from: first, ‸to: dayAfter(last`],
  },
  {
    file: trips("activity-search/skill.ts"),
    from: `type Kind = "beach" | "culture" | "food" | "hiking" | "snow";`,
    to: `type Kind = "beach" | "culture" | "food" | "hiking" | "snow" | "nightlife";`,
    code: "call-type",
    says: /"nightlife"/,
    foundIn: [trips("destination-evaluate/skill.ts"), `const ‸[weather, guide, visa, price]`],
  },
  {
    file: trips("calendar-read/skill.ts"),
    from: `  title: string;\n  /** @format date */\n  from: string;`,
    to: `  name: string;\n  /** @format date */\n  from: string;`,
    code: "call-type",
    says: /'title' is missing/,
    foundIn: [web("daily-briefing/skill.ts"), `const ‸[calendar, ...parts]`],
  },
  {
    file: web("pdf-save/skill.ts"),
    from: `  pages: Integer;\n  bytes: Integer;`,
    to: `  pages: string;\n  bytes: Integer;`,
    code: "call-type",
    says: /'string' is not assignable to type 'number'/,
    foundIn: [web("daily-briefing/skill.ts"), `const ‸{ pages }: { pages: number }`],
  },
  {
    file: web("web-search/skill.ts"),
    from: `  /** Where to look @default web */\n  focus?: "web" | "academic" | "news";`,
    to: `  /** Where to look @default web */\n  focus?: "web" | "academic";`,
    code: "call-type",
    says: /"news"/,
    foundIn: [web("research/skill.ts"), `{ query, ‸focus });`],
  },
  // What is declared
  {
    file: web("research/SKILL.md"),
    from: "operation: WRITE",
    to: "‸operation: READ",
    code: "operation-declared",
    says: /declares READ, but reaches WRITE: research -> pdf-save/,
  },
  {
    file: web("pdf-save/SKILL.md"),
    from: "level: 1",
    to: "‸level: 2",
    code: "level-declared",
    says: /declares level 2 \(composite\), but is of level 1 \(atomic\)/,
  },
  {
    file: trips("trip-optimize/SKILL.md"),
    from: "level: 3",
    to: "‸level: 2",
    code: "level-declared",
    says: /but is of level 3 \(workflow\): it calls itself/,
  },
  {
    file: trips("trip-optimize/SKILL.md"),
    from: "composes: [trip-optimize, option-explore,",
    to: "composes: [option-explore,",
    code: "call-cycle",
    says: /Circular dependency detected: trip-optimize -> trip-optimize/,
    foundIn: [trips("trip-optimize/skill.ts"), `call_skill(‸"trip-optimize", { ...input`],
  },
  {
    file: trips("option-explore/SKILL.md"),
    from: "composes: [option-explore, route-price]",
    to: "composes: [option-explore, ‸visa-check, route-price]",
    code: "composes-unused",
    says: /lists "visa-check", but the code does not call it/,
  },
  {
    file: trips("visa-check/skill.ts"),
    from: `  const country = COUNTRIES[destination];`,
    to: `  void call_skill(‸"feasibility-check", { origin: "BER", destination, from: "", to: "", nights: 1, budget: 1, today: "" });\n  const country = COUNTRIES[destination];`,
    code: "call-cycle",
    says: /feasibility-check -> visa-check -> feasibility-check/,
  },
];

let root: string;
const compiler = new SkillCompiler();
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "mutations-"));
  await cp(SHOWCASE, root, { recursive: true });
});
afterAll(async () => {
  await compiler.close();
  await rm(root, { recursive: true });
});

async function findings(): Promise<readonly Diagnostic[]> {
  const loaded = await loadFolders([root], { strict: false, before: undefined });
  return (
    await assembleSkills(loaded, { skills: new Map(), sound: new Map(), owners: [] }, async (folders) =>
      compiler.compile(folders),
    )
  ).diagnostics;
}

/** Where `‸` stands in a text, counted from 1, and the text without it. */
function marked(text: string): { readonly text: string; readonly line: number; readonly column: number } {
  const before = text.slice(0, text.indexOf("‸")).split("\n");
  return { text: text.replace("‸", ""), line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

test("the showcase checks clean, but for what nobody here says of the tool that it searches with", async () => {
  expect(await findings()).toEqual([
    expect.objectContaining({ code: "operation-declared", severity: "warning" }),
  ]);
});

test.each(
  MUTATIONS.map(
    (mutation) =>
      [`${mutation.file}: ${mutation.code} for ${mutation.to.trim().split("\n")[0]}`, mutation] as const,
  ),
)("%s", async (_, { file, from, to, code, says, foundIn }) => {
  const path = join(root, file);
  const sound = await readFile(path, "utf8");
  expect(sound.split(from)).toHaveLength(2);
  const [foundFile, foundText] = foundIn ?? [file, to];
  const mutated = sound.replace(from, () => (foundIn ? to.replace("‸", "") : to));
  await writeFile(path, mutated.replace("‸", ""));
  const plain = foundText.replace("‸", "");
  const place = marked(
    (foundIn ? await readFile(join(root, foundFile), "utf8") : mutated).replace(plain, () => foundText),
  );
  try {
    const told = (await findings()).map(({ path: at, line, column, ...rest }) => ({
      place: `${relative(root, at)}:${line}:${column}`,
      code: rest.code,
      says: `${rest.message}. ${rest.fix}`,
    }));
    expect(told).toContainEqual({
      place: `${foundFile}:${place.line}:${place.column}`,
      code,
      says: expect.stringMatching(says) as string,
    });
  } finally {
    await writeFile(path, sound);
  }
});
