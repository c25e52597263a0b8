import type { JsonObject } from "../../src/core/json/json.ts";
import type { DeskState } from "./desk-state.ts";
import type { Dice } from "./dice.ts";
import { type Job, Refusal } from "./job.ts";

type DeskJob<Told extends JsonObject> = Omit<Job<DeskState, Told>, "difficulty">;

function job<Told extends JsonObject>(made: DeskJob<Told>): Job<DeskState> {
  return { ...made, difficulty: "text" } satisfies Job<DeskState, Told>;
}

/** What stands in each line that has the form. */
function found(text: string, form: RegExp): readonly (readonly string[])[] {
  return [...text.matchAll(form)].map(([, ...parts]) => parts);
}

/** What stands at the only place that has the form; without one the agent gives up. */
function only(text: string, form: RegExp): string {
  const [, said] = form.exec(text) ?? [];
  if (said === undefined) throw new Refusal("It is not told");
  return said;
}

const repo = (dice: Dice): string => `/srv/repos/r${dice.fresh(100, 999)}`;

export const DESK_JOBS: readonly Job<DeskState>[] = [
  job({
    name: "close-listed-issues",
    given: (_, dice) => ({ project: dice.one(["harbour", "lagoon", "dock"]) }),
    task: ({ project }) => `Close all open issues of ${project}.`,
    agent: async ({ project }, call) => {
      const text = await call("list_issues", { project });
      for (const [key = ""] of found(text, /^- \*\*(\S+)\*\*/gm)) await call("close_issue", { key });
    },
    hinder: (state) => void (state.issues = state.issues.map((each) => ({ ...each, isOpen: false }))),
  }),
  job({
    name: "assign-alike",
    given: ({ issues }, dice) => {
      const [one, other] = dice.some(issues, 2);
      return { from: one?.id ?? "", to: other?.id ?? "" };
    },
    task: ({ from, to }) => `Give the issue ${to} to whoever has ${from}.`,
    agent: async ({ from, to }, call) => {
      const text = await call("show_issue", { key: from });
      await call("assign_issue", { key: to, to: only(text, /^\*\*Assignee:\*\* (.+)$/m) });
    },
    hinder: ({ issues }, { from }) =>
      void Object.assign(issues.find(({ id }) => id === from) ?? {}, { assignee: "" }),
  }),
  job({
    name: "stage-all-changes",
    given: (_, dice) => ({ repo: repo(dice) }),
    task: ({ repo: path }) => `Stage all changes in ${path}.`,
    agent: async (told, call) => {
      const text = await call("git_status", { repo: told.repo });
      for (const [path = ""] of found(text, /^(?: M|\?\?) (.+)$/gm))
        await call("git_add", { repo: told.repo, path });
    },
    hinder: (state) => void (state.changes = []),
  }),
  job({
    name: "delete-other-branches",
    given: (_, dice) => ({ repo: repo(dice) }),
    task: ({ repo: path }) => `Delete all branches of ${path} but the current one.`,
    agent: async (told, call) => {
      const text = await call("git_branches", { repo: told.repo });
      for (const [name = ""] of found(text, /^ {2}(\S+)$/gm))
        await call("git_delete_branch", { repo: told.repo, name });
    },
    hinder: (state) => void (state.branches = state.branches.slice(0, 1)),
  }),
  job({
    name: "tag-commit",
    given: ({ commits }, dice) => ({
      repo: repo(dice),
      title: dice.one(commits).title,
      tag: `v${dice.fresh(2, 99)}.0`,
    }),
    task: ({ repo: path, title, tag }) => `Tag the commit "${title}" of ${path} as ${tag}.`,
    agent: async ({ title, tag, ...told }, call) => {
      const text = await call("git_log", { repo: told.repo });
      const [commit] = found(text, /^(\w+) (.+) \(.*\)$/gm).find(([, each]) => each === title) ?? [];
      if (commit === undefined) throw new Refusal("There is none");
      await call("git_tag", { repo: told.repo, commit, tag });
    },
    hinder: (state, { title }) => void (state.commits = state.commits.filter((each) => each.title !== title)),
  }),
  job({
    name: "restart-crashing-pods",
    given: ({ pods }, dice) => ({
      namespace: dice.one(pods.filter(({ status }) => status !== "Running")).namespace,
    }),
    task: ({ namespace }) => `Restart the pods of ${namespace} that are in CrashLoopBackOff.`,
    agent: async ({ namespace }, call) => {
      const text = await call("get_pods", { namespace });
      for (const [pod = ""] of found(text, /^(\S+) +\S+ +CrashLoopBackOff /gm))
        await call("restart_pod", { namespace, pod });
    },
    hinder: (state, { namespace }) =>
      void (state.pods = state.pods.filter((each) => each.namespace !== namespace)),
  }),
  job({
    name: "keep-links",
    given: ({ pages }, dice) => ({ url: dice.one(pages).id }),
    task: ({ url }) => `Keep all links of ${url} as bookmarks.`,
    agent: async (told, call) => {
      const text = await call("fetch", { url: told.url });
      for (const [title = "", url = ""] of found(text, /^- \[(.+)\]\((\S+)\)$/gm))
        await call("save_bookmark", { title, url });
    },
    hinder: ({ pages }, { url }) =>
      void Object.assign(pages.find(({ id }) => id === url) ?? {}, { text: "# Nothing here yet" }),
  }),
  job({
    name: "copy-port",
    given: ({ services }, dice) => {
      const [one, other] = dice.some(services, 2);
      return { from: one?.id ?? "", to: other?.id ?? "" };
    },
    task: ({ from, to }) => `Let ${to} listen on the port that ${from} has.`,
    agent: async ({ from, to }, call) => {
      const text = await call("read_config", { service: from });
      await call("set_port", { service: to, port: only(text, /^ {2}port: (\d+)$/m) });
    },
    hinder: (state, { from }) => void (state.services = state.services.filter(({ id }) => id !== from)),
  }),
  job({
    name: "text-team",
    given: (_, dice) => ({
      team: dice.one(["dock", "yard"]),
      message: `Be there at ${dice.fresh(6, 11)} o'clock`,
    }),
    task: ({ team, message }) => `Send "${message}" to everybody in the team ${team}.`,
    agent: async ({ team, message }, call) => {
      const text = await call("list_contacts", { team });
      for (const [phone = ""] of found(text, /^Phone: (.+)$/gm)) await call("send_sms", { phone, message });
    },
    hinder: (state, { team }) => void (state.contacts = state.contacts.filter((each) => each.team !== team)),
  }),
  job({
    name: "refund-month",
    given: ({ orders }, dice) => ({ month: dice.one(orders).month }),
    task: ({ month }) => `Refund all orders of ${month} in full.`,
    agent: async ({ month }, call) => {
      const text = await call("export_orders", { month });
      for (const [order = "", amount = ""] of found(text, /^(A-\d+),.+,(.+)$/gm))
        await call("refund", { order, amount });
    },
    hinder: (state, { month }) => void (state.orders = state.orders.filter((each) => each.month !== month)),
  }),
  job({
    name: "install-latest",
    given: ({ packages }, dice) => ({ package: dice.one(packages).id }),
    task: (told) => `Install the latest version of ${told.package}.`,
    agent: async (told, call) => {
      const text = await call("show_package", { package: told.package });
      await call("install_package", {
        package: told.package,
        version: only(text, /^Latest version: (.+)$/m),
      });
    },
    hinder: ({ packages }, told) =>
      void Object.assign(packages.find(({ id }) => id === told["package"]) ?? {}, { latest: "" }),
  }),
  job({
    name: "note-trip-cost",
    given: (state, dice) => {
      const trip = dice.one(state.expenses).trip;
      for (const [nth, each] of state.expenses.entries()) if (nth < 2) each.trip = trip;
      return { trip, name: `costs-${dice.fresh(10, 99)}` };
    },
    task: ({ trip, name }) => `Write the sum of the costs of the trip ${trip} into the note ${name}.`,
    agent: async ({ trip, name }, call) => {
      const text = await call("list_expenses", { trip });
      const costs = found(text, /: (\S+) EUR$/gm).map(([cost]) => Number(cost));
      if (costs.length === 0) throw new Refusal("There are none");
      const sum = Math.round(costs.reduce((a, b) => a + b, 0) * 100) / 100;
      await call("write_note", { name, text: `Total: ${sum}` });
    },
    hinder: (state, { trip }) => void (state.expenses = state.expenses.filter((each) => each.trip !== trip)),
  }),
];
