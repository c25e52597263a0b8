// Tools that answer as command lines and pages do, in text alone, over stdio; their state is the JSON file that is the only
// argument.
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { READS, refusal, StateFile, text, WRITES } from "./answers.ts";
import type { DeskState } from "./desk-state.ts";

const file = new StateFile<DeskState>(process.argv[2] ?? "desk.json");

type Texts = Readonly<Record<string, string>>;

function desk(): McpServer {
  const mcp = new McpServer({ name: "desk", version: "1.0.0" });
  const tool = (
    name: string,
    about: string,
    names: string,
    isRead: boolean,
    answer: (given: Texts) => CallToolResult,
  ) =>
    mcp.registerTool(
      name,
      {
        description: about,
        inputSchema: z.object(Object.fromEntries(names.split(" ").map((each) => [each, z.string()]))),
        annotations: isRead ? READS : WRITES,
      },
      (given) => answer(given as Texts),
    );
  const read = (
    name: string,
    about: string,
    names: string,
    answer: (state: DeskState, given: Texts) => string | undefined,
  ) =>
    tool(name, about, names, true, (given) => {
      const said = answer(file.read(), given);
      return said === undefined ? refusal("There is no such thing") : text(said);
    });
  /** Refuses where the change tells that there is nothing to change. */
  const write = (
    name: string,
    about: string,
    names: string,
    change: (state: DeskState, given: Texts) => unknown,
  ) =>
    tool(name, about, names, false, (given) =>
      file.change((state) =>
        change(state, given) === undefined ? refusal("There is no such thing") : text("ok"),
      ),
    );
  const one = <Thing extends { id: string }>(
    list: readonly Thing[],
    id: string | undefined,
  ): Thing | undefined => list.find((each) => each.id === id);
  const changed = <Thing>(thing: Thing | undefined, by: Partial<Thing>): Thing | undefined =>
    thing && Object.assign(thing, by);

  read("list_issues", "The open issues of a project.", "project", ({ issues }, { project }) => {
    const open = issues.filter(({ isOpen }) => isOpen);
    if (open.length === 0) return `## ${project}\n\nNo open issues.`;
    const lines = open.map(({ id, title, priority }) => `- **${id}** ${title} (${priority})`);
    return [`## Open issues of ${project}: ${open.length}`, "", ...lines].join("\n");
  });
  read("show_issue", "An issue.", "key", ({ issues }, { key }) => {
    const found = one(issues, key);
    if (!found) return undefined;
    const { id, title, isOpen, assignee, priority } = found;
    const fields = [
      `**Status:** ${isOpen ? "open" : "closed"}`,
      `**Assignee:** ${assignee}`,
      `**Priority:** ${priority}`,
    ];
    return [
      `# ${id}: ${title}`,
      "",
      ...fields,
      "",
      "## Description",
      "",
      "> Assignee: nobody yet",
      "",
      "It is old.",
    ].join("\n");
  });
  write("close_issue", "Closes an issue.", "key", ({ issues }, { key }) =>
    changed(one(issues, key), { isOpen: false }),
  );
  write("assign_issue", "Gives an issue to somebody.", "key to", ({ issues }, { key, to = "" }) =>
    changed(one(issues, key), { assignee: to }),
  );
  read("git_status", "What has changed in a working tree.", "repo", ({ changes }) => {
    const open = changes.filter(({ isStaged }) => !isStaged);
    return open.length === 0
      ? "nothing to commit, working tree clean"
      : open.map(({ id, mark }) => `${mark} ${id}`).join("\n");
  });
  write("git_add", "Stages a file.", "repo path", ({ changes }, { path }) =>
    changed(one(changes, path), { isStaged: true }),
  );
  read("git_branches", "The branches.", "repo", ({ branches }) =>
    branches.map(({ id, isCurrent }) => `${isCurrent ? "*" : " "} ${id}`).join("\n"),
  );
  write("git_delete_branch", "Deletes a branch.", "repo name", (state, { name }) => {
    const found = one(state.branches, name);
    state.branches = state.branches.filter((each) => each !== found);
    return found;
  });
  read("git_log", "The latest commits.", "repo", ({ commits }) =>
    commits.map(({ id, title, author }) => `${id} ${title} (${author})`).join("\n"),
  );
  write("git_tag", "Tags a commit.", "repo commit tag", ({ commits }, { commit, tag = "" }) =>
    changed(one(commits, commit), { tag }),
  );
  read("get_pods", "The pods of a namespace.", "namespace", ({ pods }, { namespace }) => {
    const found = pods.filter((each) => each.namespace === namespace);
    if (found.length === 0) return `No resources found in ${namespace} namespace.`;
    const rows = found.map(({ id, status, restarts }) => [
      id,
      status === "Running" ? "1/1" : "0/1",
      status,
      `${restarts}`,
      "5d",
    ]);
    const table = [["NAME", "READY", "STATUS", "RESTARTS", "AGE"], ...rows];
    const widths = [0, 1, 2, 3, 4].map(
      (column) => Math.max(...table.map((row) => row[column]?.length ?? 0)) + 3,
    );
    return table
      .map((row) =>
        row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("")
          .trimEnd(),
      )
      .join("\n");
  });
  write("restart_pod", "Restarts a pod.", "namespace pod", ({ pods }, { pod }) => {
    const found = one(pods, pod);
    return changed(found, { starts: (found?.starts ?? 0) + 1 });
  });
  read("fetch", "A page as Markdown.", "url", ({ pages }, { url }) => one(pages, url)?.text);
  write("save_bookmark", "Keeps a link.", "title url", ({ bookmarks }, { title = "", url = "" }) =>
    bookmarks.push({ id: url, title }),
  );
  read("read_config", "The settings of a service as YAML.", "service", ({ services }, { service }) => {
    const found = one(services, service);
    return (
      found &&
      `service: ${found.id}\nserver:\n  host: ${found.host}\n  port: ${found.port}\ncontact:\n  mail: ${found.owner}\n`
    );
  });
  write("set_port", "Sets the port of a service.", "service port", ({ services }, { service, port }) =>
    changed(one(services, service), { port: Number(port) }),
  );
  read("list_contacts", "The people of a team.", "team", ({ contacts }, { team }) =>
    contacts
      .filter((each) => each.team === team)
      .map(({ id, phone }) => `Name: ${id}\nPhone: ${phone}\n`)
      .join("\n"),
  );
  write("send_sms", "Sends a message to a phone.", "phone message", ({ contacts }, { phone, message = "" }) =>
    contacts.find((each) => each.phone === phone)?.mails.push(message),
  );
  read("export_orders", "The orders of a month as CSV.", "month", ({ orders }, { month }) =>
    [
      "order,customer,price",
      ...orders
        .filter((each) => each.month === month)
        .map(({ id, customer, price }) => `${id},${customer},${price}`),
    ].join("\n"),
  );
  write("refund", "Gives money back.", "order amount", ({ orders }, { order, amount = "" }) =>
    changed(one(orders, order), { refunded: amount }),
  );
  read("show_package", "What is known of a package.", "package", ({ packages }, given) => {
    const found = one(packages, given["package"]);
    return found && `${found.id}\n=====\nLatest version: ${found.latest}\nLicense: MIT`;
  });
  write("install_package", "Installs a version.", "package version", ({ packages }, given) =>
    changed(one(packages, given["package"]), { installed: given["version"] ?? "" }),
  );
  read("list_expenses", "What a trip has cost.", "trip", ({ expenses }, { trip }) => {
    const found = expenses.filter((each) => each.trip === trip);
    return found.length === 0 ? "(none)" : found.map(({ id, cost }) => `• ${id}: ${cost} EUR`).join("\n");
  });
  write("write_note", "Writes a note.", "name text", ({ notes }, { name = "", text: said = "" }) =>
    notes.push({ id: name, text: said }),
  );
  return mcp;
}

serveStdio(desk);
