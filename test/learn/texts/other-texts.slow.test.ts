import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/json/json.ts";
import { learned } from "../learned.ts";
import { callsIn, recordedIn, type WorldTools } from "../live.ts";
import { runner } from "../../shared-threads.ts";

type Agent = Parameters<typeof recordedIn>[2];

/** What a skill does, which was learned where a page said these texts, where the page says another one. */
async function done(agent: Agent, task: string, texts: readonly string[], other: string) {
  const world = (text: string): WorldTools => ({ "t.get_page": () => text, "t.act": () => "ok" });
  const { plan } = learned(texts.map((text) => recordedIn(world(text), task, agent)));
  const input: JsonObject = Object.fromEntries(
    plan.params.map(({ name, example = null }) => [name, example]),
  );
  const made = await callsIn(runner, plan, world(other), input);
  return made.slice(1).map((call) => call.replace(/^stops: .*/s, "stops"));
}

/** Acts for each line of a list by its name. */
function forEach(form: RegExp, skipped: RegExp = /^$/): Agent {
  return (call) => {
    const text = call("t.get_page", { page: "home" }) as string;
    for (const line of text.split("\n")) {
      const [, name] = form.exec(line) ?? [];
      if (name !== undefined && !skipped.test(line)) call("t.act", { target: name });
    }
  };
}

const acts = (...names: readonly string[]): readonly string[] =>
  names.map((target) => `t.act ${JSON.stringify({ target })}`);

describe("a line that is no element of the list ends the skill", () => {
  const plain = forEach(/^(\S+)$/);
  const projects = "harbour-app\nlighthouse-web\nmooring-tools";
  test.each([
    ["No projects found.", []],
    ["(none)", []],
    ["None", []],
    ["Keine Projekte", []],
    ["anchor-api\nbuoy-cli\n… and 3 more", []],
    ["anchor-api\nbuoy-cli\nShowing 2 of 25", []],
    ["Projects:\nanchor-api\nbuoy-cli", []],
  ])("a bare list: %j", async (text) => {
    expect(await done(plain, "Archive all projects", [projects], "anchor-api\nbuoy-cli")).toEqual(
      acts("anchor-api", "buoy-cli"),
    );
    expect(await done(plain, "Archive all projects", [projects], text)).toEqual(["stops"]);
  });

  const bullets = forEach(/^- (.*)$/);
  test.each(["- No open tasks.", "- Pay rent\n- … and 3 more", "- (none)", "- Pay rent\n(1 more)"])(
    "a list with marks: %j",
    async (text) => {
      const list = "- Water plants\n- Call the plumber\n- Buy stamps";
      expect(await done(bullets, "Do all tasks", [list], "- Pay rent\n- Fix bike")).toEqual(
        acts("Pay rent", "Fix bike"),
      );
      expect(await done(bullets, "Do all tasks", [list], text)).toEqual(["stops"]);
    },
  );
});

describe("a list that is shorter than its text says ends the skill", () => {
  const bullets = forEach(/^- (.*)$/);
  test.each<readonly [string, string, string, string]>([
    [
      "above",
      "Found 3 files:\n\n- a.txt\n- b.txt\n- c.txt",
      "Found 2 files:\n\n- d.txt\n- e.txt",
      "Found 25 files:\n\n- d.txt\n- e.txt",
    ],
    [
      "below",
      "- a.txt\n- b.txt\n- c.txt\n\nShowing 3 of 3",
      "- d.txt\n- e.txt\n\nShowing 2 of 2",
      "- d.txt\n- e.txt\n\nShowing 2 of 25",
    ],
  ])("%s", async (_, text, whole, cut) => {
    expect(await done(bullets, "Delete all files", [text], whole)).toEqual(acts("d.txt", "e.txt"));
    expect(await done(bullets, "Delete all files", [text], cut)).toEqual(["stops"]);
  });

  test("in a table", async () => {
    const table = (count: number, ...ids: readonly string[]): string =>
      [
        "id | size",
        ...ids.map((id, nth) => `${id} | ${nth + 5}`),
        `(${count} row${count === 1 ? "" : "s"})`,
      ].join("\n");
    const rows = forEach(/^(\w+-\w+) \|/);
    const text = table(2, "vm-a81", "vm-b22");
    expect(await done(rows, "Stop all machines", [text], table(1, "vm-c90"))).toEqual(acts("vm-c90"));
    expect(await done(rows, "Stop all machines", [text], table(9, "vm-c90"))).toEqual(["stops"]);
  });
});

describe("of a table", () => {
  const rows = forEach(/^\|? ?(\w+-\w+) ?\|/);
  const table = "| host | load |\n|---|---|\n| web-a1 | 12 |\n| web-b2 | 40 |";

  test.each<readonly [string, string]>([
    ["what stands behind it", `${table}\n\nweb-c3 was left out: no access`],
    ["a second table", `${table}\n\n| host | load |\n|---|---|\n| old-c3 | 1 |`],
    ["what adds it up", `${table}\n| Total | 52 |`],
    ["what adds it up, in bold", `${table}\n| **Total** | **52** |`],
    ["what adds up some above it", table.replace("| web-b2", "| Subtotal | 12 |\n| web-b2")],
    [
      "what adds up one above it",
      `${table.replace("| web-b2", "| Total: | 12 |\n| web-b2")}\n| Total | 52 |`,
    ],
    ["what is set apart", `${table}\n|---|---|\n| all-hosts | 52 |`],
  ])("%s is no row", async (_, text) => {
    expect(await done(rows, "Restart all hosts", [table], table.replace("web-b2", "web-z9"))).toEqual(
      acts("web-a1", "web-z9"),
    );
    expect(await done(rows, "Restart all hosts", [table], text)).toEqual(["stops"]);
  });

  test.each<readonly [string, readonly string[], readonly string[]]>([
    ["that all runs had", ["ada,ok\nbob,ok\ncid,ok", "ada,ok\ndot,ok\neve,ok"], ["zed", "ada", "fay"]],
    ["that has no number", ["ada,none\nbob,3\ncid,4", "ada,none\ndot,3\neve,9"], ["ada", "zed", "fay"]],
  ])("the first row is no head: one %s", async (_, texts, names) => {
    const all = forEach(/^(\w+),/, /^ada,/);
    const other = names.map((name) => `${name},ok`).join("\n");
    const made = await done(all, "Write to all", texts, other);
    // Whoever is left out in both runs is not left out for standing first.
    expect(made).not.toContain('t.act {"target":"ada"}');
  });
});

describe("a value that is used as text stays as it was written", () => {
  const says: Agent = (call) => {
    const text = call("t.get_page", { page: "home" }) as string;
    const [, version = ""] = /^version: (.*)$/m.exec(text) ?? [];
    call("t.act", { target: version });
  };
  const page = (version: string): string => `name: harbour\nversion: ${version}\nowner: Ada Lind`;

  test.each(["2024.10", "1.20", "00412", "1e5", "1.234", "7"])("%s, as numbers were", async (version) => {
    for (const known of ["2024.10", "4711.9", "v88.1"])
      expect(await done(says, "Release it", [page(known)], page(version))).toEqual(acts(version));
  });

  test.each(["+49 30 1234", "1,234.50", "**bold** step", "a `b` c", "00412"])(
    "%s, as words were",
    async (version) => {
      for (const known of ["second draft", "nightly"])
        expect(await done(says, "Release it", [page(known)], page(version))).toEqual(acts(version));
    },
  );

  test("where nothing stands there, or another quotes it, the skill stops", async () => {
    for (const text of [
      page(""),
      "name: harbour",
      "name: harbour\n> version: 2020.01",
      `${page("1")}\nversion: 2`,
    ])
      expect(await done(says, "Release it", [page("2024.10")], text)).toEqual(["stops"]);
  });

  test("and what is calculated with is a number", async () => {
    const pays: Agent = (call) => {
      const text = call("t.get_page", { page: "home" }) as string;
      const prices = [...text.matchAll(/: (\d+(?:\.\d+)?) EUR/g)].map(([, price]) => Number(price));
      const sum = prices.reduce((total, price) => total + price, 0);
      call("t.act", { note: `Total: ${sum}` });
    };
    const known = "lamp: 12.50 EUR\nsofa: 310.25 EUR";
    const task = "Note the sum of the prices";
    expect(await done(pays, task, [known], "desk: 80.10 EUR\nbed: 20 EUR")).toEqual([
      't.act {"note":"Total: 100.1"}',
    ]);
    // It is not known whether the point stands between thousands.
    expect(await done(pays, task, [known], "desk: 1.250 EUR\nbed: 20 EUR")).toEqual(["stops"]);
  });
});

describe("a day or a number in a text that is used as it is written stays one", () => {
  const value: Agent = (call) => {
    const text = call("t.get_page", { page: "home" }) as string;
    const [, found = ""] = /^(?:Leaves|Ticket id): (.*)$/m.exec(text) ?? [];
    call("t.act", { target: found });
  };
  test.each([
    ["Leaves", "2026-03-09", "2027-11-30", ["not before 2026-03-10", "10/03/2026", "2026-02-31"]],
    ["Ticket id", "1704", "88", ["none", "17, 18", "1705 (merged into 1799)"]],
    ["Ticket id", "T-104", "T-9", ["none", "of tickets", "T-105 or T-106"]],
  ])("%s: %s", async (label, seen, other, others) => {
    const page = (said: string): string => `Trip of Ada\n${label}: ${said}\nState: open\n`;
    const told = async (said: string): Promise<readonly string[]> =>
      done(value, "Move it", [page(seen)], page(said));
    expect(await told(other)).toEqual(acts(other));
    for (const said of others) expect(await told(said)).toEqual(["stops"]);
  });
});

/** Acts with what stands at the only place that has a form. */
const withOnly =
  (form: RegExp): Agent =>
  (call) => {
    const [, said = ""] = form.exec(call("t.get_page", { page: "home" }) as string) ?? [];
    call("t.act", { target: said });
  };

describe("a value that goes on in the next line is not cut", () => {
  const headers = (subject: string, next = "Date: today"): string =>
    `From: Ada Lind\nSubject: ${subject}\n${next}\n\nHello, here it is.`;
  const entry = (id: string, next = "STATUS:SET"): string =>
    `BEGIN:VEVENT\nUID:${id}\nSUMMARY:Sow the beds\n${next}\nEND:VEVENT\nBEGIN:VEVENT\nUID:none-of-it\nEND:VEVENT`;
  const sent = (key: string, next = "Reply soon."): string =>
    `Dear Bo,\nthe crate can be opened with the key ${key}\n\n${next}`;
  test.each<readonly [string, RegExp, string, string, readonly string[]]>([
    [
      "a label",
      /^Subject: (.*)$/m,
      headers("Beds and borders"),
      headers("Roses"),
      [
        headers("Beds and borders of the", "  northern garden"),
        headers("Beds and", "\tborders"),
        headers("Beds and borders of the", "northern garden\nDate: today"),
        headers("Beds and \\\nborders"),
      ],
    ],
    [
      "an entry",
      /^SUMMARY:(.*)$/m,
      entry("u1"),
      entry("u2").replace("Sow", "Hoe"),
      [entry("u3").replace("beds", "beds\n  and the borders")],
    ],
    [
      "the end of a sentence",
      /with the key (.*)$/m,
      sent("under the mat"),
      sent("in the shed"),
      [sent("under the\n  mat"), sent("in the shed behind \\\nthe house")],
    ],
  ])("%s", async (_, form, seen, other, folded) => {
    const agent = withOnly(form);
    expect(await done(agent, "Tell of it", [seen], other)).toEqual(acts(form.exec(other)?.[1] ?? ""));
    for (const text of folded) expect(await done(agent, "Tell of it", [seen], text)).toEqual(["stops"]);
  });

  test("but for lines that stood below it", async () => {
    const page = (name: string): string => `unit: ${name}\n  state: up\n  port: 80\nhost: quay`;
    const agent = withOnly(/^unit: (.*)$/m);
    expect(await done(agent, "Restart it", [page("web")], page("mail"))).toEqual(acts("mail"));
  });

  test("nor is one in a table", async () => {
    const table = (...rows: readonly string[]): string => `| no | work |\n|---|---|\n${rows.join("\n")}`;
    const agent: Agent = (call) => {
      const text = call("t.get_page", { page: "home" }) as string;
      for (const [, work = ""] of text.matchAll(/^\| \d+ \| (.+) \|$/gm)) call("t.act", { target: work });
    };
    const seen = table("| 1 | Sow beds |", "| 2 | Mow lawn |");
    expect(await done(agent, "Do all", [seen], table("| 1 | Hoe |"))).toEqual(acts("Hoe"));
    expect(await done(agent, "Do all", [seen], table("| 1 | Hoe the |", "|   | borders |"))).toEqual([
      "stops",
    ]);
  });
});

test("a part of a line does not end in the next", async () => {
  const page = (id: string, since = " since May", news = "Bo is out."): string =>
    `${news}\nAda has the ticket ${id}${since}.`;
  const agent = withOnly(/Ada has the ticket (\S+) since/);
  const seen = [page("KX-7712"), page("KX-9911", " since June", "Al is in.")];
  expect(await done(agent, "Close what Ada has", seen, page("KX-5"))).toEqual(acts("KX-5"));
  expect(await done(agent, "Close what Ada has", seen, page("KX-5", "\nsince May"))).toEqual(["stops"]);
});

test("what a mark says is told by its place, too", async () => {
  const agent: Agent = (call) => {
    const text = call("t.get_page", { page: "home" }) as string;
    for (const [, path = ""] of text.matchAll(/^ M (\S+)$/gm)) call("t.act", { target: path });
  };
  const seen = [" M a.ts\n?? b.ts\n M c.ts", " M q.ts\n M r.ts\n?? z.ts"];
  expect(await done(agent, "Undo what is changed", seen, "M  x.ts\n M y.ts\n?? z.ts")).toEqual(acts("y.ts"));
});

describe("of several values behind the same words none is taken", () => {
  const balance = withOnly(/your balance is ([\d.,]+) EUR/);
  const seen = "Hello Ann! After 12 payments your balance is 4204.50 EUR, as of today.";
  test.each([
    "Hello Bo! First your balance is 1,204.50 EUR, and then your balance is 13.50 EUR.",
    "Hello Bo! Your balance is 120 EUR by now, and then your balance is 13.50 EUR.",
    "Hello Bo! There your balance is 120 USD, and here your balance is 13.50 EUR.",
    "Hello Bo! In May your balance is 1,204.50 EUR.\nIn June your balance is 13.50 EUR.",
    "Hello Bo! In May your balance is unknown.\nIn June your balance is 13.50 EUR.",
    "> Hello Bo! In May your balance is 13.50 EUR.\nThis is not so any more.",
  ])("%s", async (text) => {
    const other = seen.replace("4204.50", "13.50");
    expect(await done(balance, "Note what is left", [seen], other)).toEqual(acts("13.50"));
    expect(await done(balance, "Note what is left", [seen], text)).toEqual(["stops"]);
  });

  test.each(["a=1 ref=K-77, b=2 ref=K-78", "a=1 ref=none b=2 ref=K-78", "ref=K-77\na=1 ref=K-78"])(
    "%s",
    async (text) => {
      const ref = withOnly(/ref=(\S+)/);
      const page = "accepted, a=1 ref=K-12";
      expect(await done(ref, "Confirm it", [page], "accepted, a=4 ref=K-99")).toEqual(acts("K-99"));
      expect(await done(ref, "Confirm it", [page], text)).toEqual(["stops"]);
    },
  );
});

test.each(["not found", "none", "n/a", "No results", "unknown", "not available.", "-"])(
  "words for nothing are no value: %s",
  async (said) => {
    for (const [form, page] of [
      [/^Phone: (.*)$/m, (value: string) => `Name: Ada\nPhone: ${value}\nCity: Lund`],
      [/^TEL:(.*)$/m, (value: string) => `BEGIN:VCARD\nN:Ada\nTEL:${value}\nEND:VCARD`],
      [
        /reached at (.*)$/m,
        (value: string) => `Ada is out.\nShe can be reached at ${value}\nin the evening.`,
      ],
    ] as const)
      expect(await done(withOnly(form), "Call her", [page("the harbour office")], page(said))).toEqual([
        "stops",
      ]);
  },
);
