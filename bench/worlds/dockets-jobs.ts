import { addressOf, type Dice, PEOPLE } from "./dice.ts";
import { Refusal } from "./job.ts";
import { found, only, type PapersJob, papersJob } from "./papers.ts";

const GOODS = ["copper", "hemp", "flax", "resin", "slate", "cork", "wool", "brass", "chalk", "willow"];

const code = (dice: Dice, length: number): string =>
  Array.from({ length }, () => dice.one("abcdefghkmnpqrstuvwxyz23456789".split(""))).join("");

/** More kinds of work with answers that nothing was done for: written with the bulletins, measured once after them. */
export const DOCKETS_JOBS: readonly PapersJob[] = [
  papersJob({
    name: "cancel-event",
    reads: { list_events: "day" },
    writes: { delete_event: "event_id" },
    given: (dice) => {
      const day = dice.day();
      const titles = dice.some(GOODS, dice.between(2, 4)).map((good) => `Review of ${good}`);
      const blocks = titles.map(
        (title, nth) =>
          `Event: ${title}\nEvent ID: ${code(dice, 16)}\nStart: ${day}T${10 + nth}:00:00Z\nEnd: ${day}T${11 + nth}:00:00Z\nLocation: Room ${dice.between(1, 30)}`,
      );
      const told = { day, title: dice.one(titles) };
      return { told, answers: [["list_events", { day }, blocks.join("\n\n")]] };
    },
    task: ({ day, title }) => `Cancel the event "${title}" on ${day}.`,
    agent: async ({ day, title }, call) => {
      const text = await call("list_events", { day });
      await call("delete_event", { event_id: only(text, new RegExp(`Event: ${title}\\nEvent ID: (\\w+)`)) });
    },
    hindered: ({ day }) => ["list_events", { day }, `No events found on ${day}.`],
  }),
  papersJob({
    name: "mirror-remote",
    reads: { git_remote: "repo" },
    writes: { mirror: "url to" },
    given: (dice) => {
      const repo = `/src/${dice.one(GOODS)}`;
      const lines = dice.some(["origin", "backup", "fork"], dice.between(2, 3)).flatMap((name) => {
        const url = `git@${code(dice, 5)}.example.org:${dice.one(GOODS)}/${dice.one(GOODS)}.git`;
        return [`${name}\t${url} (fetch)`, `${name}\t${url} (push)`];
      });
      const remote = only(dice.one(lines), /^(\w+)/);
      const told = { repo, remote, to: `vault-${dice.fresh(10, 99)}` };
      return { told, answers: [["git_remote", { repo }, lines.join("\n")]] };
    },
    task: ({ repo, remote, to }) => `Mirror the remote ${remote} of ${repo} to ${to}.`,
    agent: async ({ repo, remote, to }, call) => {
      const text = await call("git_remote", { repo });
      await call("mirror", { url: only(text, new RegExp(`^${remote}\\t(\\S+) \\(fetch\\)$`, "m")), to });
    },
    hindered: ({ repo }) => ["git_remote", { repo }, "fatal: not a git repository"],
  }),
  papersJob({
    name: "assign-actions",
    reads: { get_minutes: "meeting" },
    writes: { create_task: "person text due" },
    given: (dice) => {
      const meeting = `M-${dice.fresh(100, 999)}`;
      const actions = dice
        .some(PEOPLE, dice.between(2, 4))
        .map((person) => `Action: ${person} — order the ${dice.one(GOODS)} by ${dice.day()}`);
      const text = `Minutes of ${meeting}\n\nPresent: ${dice.between(4, 9)} members\n\nWe spoke of ${dice.one(GOODS)} for long.\n\n${actions.join("\n")}\n\nNext meeting: ${dice.day()}`;
      return { told: { meeting }, answers: [["get_minutes", { meeting }, text]] };
    },
    task: ({ meeting }) => `Create a task for each action in the minutes of ${meeting}.`,
    agent: async ({ meeting }, call) => {
      const text = await call("get_minutes", { meeting });
      for (const [person = "", what = "", due = ""] of found(text, /^Action: (.+) — (.+) by (\S+)$/gm))
        await call("create_task", { person, text: what, due });
    },
    hindered: ({ meeting }) => ["get_minutes", { meeting }, `Minutes of ${meeting}\n\nNobody came.`],
  }),
  papersJob({
    name: "trace-process",
    reads: { service_status: "unit" },
    writes: { trace: "pid#" },
    given: (dice) => {
      const unit = `${dice.one(GOODS)}.service`;
      const text = `● ${unit} - The ${dice.one(GOODS)} server\n     Loaded: loaded (/etc/systemd/system/${unit}; enabled)\n     Active: active (running) since ${dice.day()}; ${dice.between(2, 9)}h ago\n   Main PID: ${dice.fresh(1000, 99000)} (${dice.one(GOODS)}d)\n      Tasks: ${dice.between(2, 30)}\n     Memory: ${dice.fresh(10, 900)}.${dice.between(1, 9)}M`;
      return { told: { unit }, answers: [["service_status", { unit }, text]] };
    },
    task: ({ unit }) => `Trace the main process of ${unit}.`,
    agent: async ({ unit }, call) => {
      await call("trace", { pid: Number(only(await call("service_status", { unit }), /Main PID: (\d+)/)) });
    },
    hindered: ({ unit }) => ["service_status", { unit }, `Unit ${unit} could not be found.`],
  }),
  papersJob({
    name: "check-in",
    reads: { read_mail: "mail_id" },
    writes: { check_in: "reference seat" },
    given: (dice) => {
      const mail_id = `m${dice.fresh(1000, 9999)}`;
      const text = `Dear ${dice.one(PEOPLE)},\n\nthank you for booking with us. Your booking reference is ${code(dice, 6).toUpperCase()}. You fly from ${dice.one(["Turin", "Ghent"])} to ${dice.one(["Faro", "Lund"])} on ${dice.day()} in seat ${dice.fresh(1, 40)}${dice.one(["A", "C", "F"])}, and your bag may weigh ${dice.between(8, 23)} kg.\n\nYours,\nThe ${dice.one(GOODS)} line`;
      return { told: { mail_id }, answers: [["read_mail", { mail_id }, text]] };
    },
    task: ({ mail_id }) => `Check in with the booking that mail ${mail_id} confirms, on its seat.`,
    agent: async ({ mail_id }, call) => {
      const text = await call("read_mail", { mail_id });
      const reference = only(text, /reference is (\w+)\./);
      await call("check_in", { reference, seat: only(text, /in seat (\w+),/) });
    },
    hindered: ({ mail_id }) => ["read_mail", { mail_id }, "Dear guest,\n\nyour payment failed.\n"],
  }),
  papersJob({
    name: "stop-processes",
    reads: { list_processes: "host" },
    writes: { stop_process: "host pid#" },
    given: (dice) => {
      const host = `host-${dice.fresh(10, 99)}`;
      const [user, other] = dice.some(["ada", "bruno", "chloe", "dario"], 2) as [string, string];
      const rows = Array.from({ length: dice.between(4, 6) }, (_, nth) => {
        const own = nth < 2 ? user : nth === 2 ? other : dice.one([user, other]);
        return `${own.padEnd(8)} ${String(dice.fresh(100, 99999)).padStart(6)}  ${dice.between(0, 9)}.${dice.between(0, 9)}  ${dice.between(0, 9)}.${dice.between(0, 9)} ${String(dice.fresh(1000, 99999)).padStart(7)} ?        ${dice.one(["S", "R"])}    0:0${dice.between(1, 9)} ${dice.one(GOODS)}d`;
      });
      const text = `USER        PID %CPU %MEM     RSS TTY      STAT TIME COMMAND\n${dice.some(rows, rows.length).join("\n")}`;
      return { told: { host, user }, answers: [["list_processes", { host }, text]] };
    },
    task: ({ host, user }) => `Stop all processes of ${user} on ${host}.`,
    agent: async ({ host, user }, call) => {
      const text = await call("list_processes", { host });
      for (const [own, pid] of found(text, /^(\w+) +(\d+) /gm))
        if (own === user) await call("stop_process", { host, pid: Number(pid) });
    },
    hindered: ({ host }) => ["list_processes", { host }, `ssh: connect to host ${host}: timed out`],
  }),
  papersJob({
    name: "plan-payment",
    reads: { get_invoice: "invoice" },
    writes: { plan_payment: "invoice amount# day" },
    given: (dice) => {
      const invoice = `in_${code(dice, 10)}`;
      const text = `## Invoice ${invoice}\n\n**Customer:** ${dice.one(PEOPLE)}\n**Amount due:** $${dice.between(1, 9)},${dice.fresh(100, 999)}.${dice.between(10, 99)} USD\n**Due date:** ${dice.one(["March", "June", "October"])} ${dice.between(1, 28)}, 2026\n**Status:** open\n\n[Pay now](https://pay.example.org/${code(dice, 8)})`;
      return { told: { invoice }, answers: [["get_invoice", { invoice }, text]] };
    },
    task: ({ invoice }) => `Plan the payment of ${invoice} on the day when it is due.`,
    agent: async ({ invoice }, call) => {
      const text = await call("get_invoice", { invoice });
      const amount = Number(only(text, /\$([\d,.]+) USD/).replaceAll(",", ""));
      const [[month = "", day = ""] = []] = found(text, /Due date:\*\* (\w+) (\d+), 2026/g);
      if (day === "") throw new Refusal("It is not told");
      const number = { March: "03", June: "06", October: "10" }[month] ?? "";
      await call("plan_payment", { invoice, amount, day: `2026-${number}-${day.padStart(2, "0")}` });
    },
    hindered: ({ invoice }) => ["get_invoice", { invoice }, `## Invoice ${invoice}\n\n**Status:** void`],
  }),
  papersJob({
    name: "download-papers",
    reads: { search_papers: "topic" },
    writes: { download: "id" },
    given: (dice) => {
      const topic = `${dice.one(GOODS)} ${dice.fresh(10, 99)}`;
      const entries = dice
        .some(GOODS, dice.between(2, 4))
        .map(
          (good, nth) =>
            `${nth + 1}. ${good[0]?.toUpperCase()}${good.slice(1)} at rest\n   Authors: ${dice.some(PEOPLE, 2).join(", ")}\n   ID: ${dice.fresh(2000, 2600)}.${dice.fresh(10000, 99999)}v${dice.between(1, 4)}\n   Published: ${dice.day()}`,
        );
      const text = `Found ${entries.length} papers on ${topic}:\n\n${entries.join("\n\n")}`;
      return { told: { topic }, answers: [["search_papers", { topic }, text]] };
    },
    task: ({ topic }) => `Download all papers on ${topic}.`,
    agent: async ({ topic }, call) => {
      for (const [id = ""] of found(await call("search_papers", { topic }), /^ +ID: (\S+)$/gm))
        await call("download", { id });
    },
    hindered: ({ topic }) => ["search_papers", { topic }, `Found 0 papers on ${topic}.`],
  }),
  papersJob({
    name: "open-page",
    reads: { get_outline: "space" },
    writes: { open_page: "path" },
    given: (dice) => {
      const space = `space-${dice.fresh(10, 99)}`;
      const parts = dice.some(GOODS, 3);
      const pages: string[] = [];
      const lines = parts.flatMap((part) => {
        const own = dice.some(["Costs", "Plan", "People", "Sources"], dice.between(1, 3)).map((page) => {
          pages.push(`${page} ${dice.fresh(10, 99)}`);
          return `  ${pages.at(-1)}`;
        });
        return [part].concat(own);
      });
      const page = dice.one(pages);
      return { told: { space, page }, answers: [["get_outline", { space }, lines.join("\n")]] };
    },
    task: ({ space, page }) => `Open the page "${page}" of ${space} by its path.`,
    agent: async ({ space, page }, call) => {
      const text = await call("get_outline", { space });
      let part = "";
      for (const line of text.split("\n") as readonly string[]) {
        if (/^\S/.test(line)) part = line;
        if (line.trim() === page) return void (await call("open_page", { path: `${part}/${page}` }));
      }
      throw new Refusal("There is no such page");
    },
    hindered: ({ space }) => ["get_outline", { space }, "(empty)"],
  }),
  papersJob({
    name: "call-contact",
    reads: { export_card: "name" },
    writes: { call_phone: "phone" },
    given: (dice) => {
      const name = dice.one(PEOPLE);
      const text = `BEGIN:VCARD\nVERSION:3.0\nN:${name.split(" ").toReversed().join(";")}\nFN:${name}\nORG:The ${dice.one(GOODS)} works\nTEL;TYPE=WORK,VOICE:+49-${dice.fresh(100, 999)}-${dice.fresh(1000, 9999)}\nTEL;TYPE=CELL:+49-${dice.fresh(100, 999)}-${dice.fresh(1000, 9999)}\nEMAIL:${addressOf(name)}\nEND:VCARD`;
      return { told: { name }, answers: [["export_card", { name }, text]] };
    },
    task: ({ name }) => `Call ${name} on the mobile.`,
    agent: async ({ name }, call) => {
      await call("call_phone", { phone: only(await call("export_card", { name }), /^TEL;TYPE=CELL:(.+)$/m) });
    },
    hindered: ({ name }) => ["export_card", { name }, `BEGIN:VCARD\nVERSION:3.0\nFN:${name}\nEND:VCARD`],
  }),
  papersJob({
    name: "retry-jobs",
    reads: { list_jobs: "queue" },
    writes: { retry: "job" },
    given: (dice) => {
      const queue = `${dice.one(GOODS)}-${dice.fresh(10, 99)}`;
      const jobs = dice.some(GOODS, dice.between(4, 6)).map((good, nth) => {
        const state = nth < 2 ? "failed" : nth === 2 ? "done" : dice.one(["failed", "done", "waiting"]);
        return `Job ${code(dice, 7)} (${good}): ${state} after ${dice.between(2, 90)} s`;
      });
      const text = `Queue ${queue}, ${jobs.length} jobs\n${dice.some(jobs, jobs.length).join("\n")}`;
      return { told: { queue }, answers: [["list_jobs", { queue }, text]] };
    },
    task: ({ queue }) => `Retry all jobs of the queue ${queue} that have failed.`,
    agent: async ({ queue }, call) => {
      const text = await call("list_jobs", { queue });
      for (const [job = ""] of found(text, /^Job (\w+) \(\w+\): failed/gm)) await call("retry", { job });
    },
    hindered: ({ queue }) => ["list_jobs", { queue }, `Queue ${queue}, 0 jobs`],
  }),
  papersJob({
    name: "pin-digest",
    reads: { inspect_image: "image" },
    writes: { pin: "image digest" },
    given: (dice) => {
      const image = `registry.example.org/${dice.one(GOODS)}:${dice.between(1, 9)}.${dice.fresh(1, 99)}`;
      const hex = Array.from({ length: 32 }, () => dice.one("0123456789abcdef".split(""))).join("");
      const text = `Name:      ${image}\nMediaType: application/vnd.oci.image.index.v1+json\nDigest:    sha256:${hex}\n           \nManifests: \n  Name:      ${image}@sha256:${hex.split("").toReversed().join("")}\n  Platform:  linux/amd64`;
      return { told: { image }, answers: [["inspect_image", { image }, text]] };
    },
    task: ({ image }) => `Pin ${image} to its digest.`,
    agent: async ({ image }, call) => {
      const digest = only(await call("inspect_image", { image }), /^Digest: +(\S+)$/m);
      await call("pin", { image, digest });
    },
    hindered: ({ image }) => ["inspect_image", { image }, `ERROR: ${image}: not found`],
  }),
];
