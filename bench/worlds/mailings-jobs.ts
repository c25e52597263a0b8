import { addressOf, type Dice, PEOPLE, signs } from "./dice.ts";
import { Refusal } from "./job.ts";
import { atLeastOne, found, only, type PapersJob, papersJob } from "./papers.ts";

const THINGS = ["awning", "bellows", "compass", "decanter", "easel", "funnel", "gasket", "hammock"];
const TOWNS = ["Bergen", "Cork", "Ghent", "Lyon", "Malmö", "Porto", "Turku"];
const ROOMS = ["Attic", "Bathroom", "Hall", "Kitchen", "Nursery", "Study", "Workshop"];

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

const idOf = (dice: Dice, length: number, before = ""): string => `${before}${signs(dice, length, LETTERS)}`;

const someNumber = (dice: Dice, digits: number): number => dice.fresh(10 ** (digits - 1), 10 ** digits - 1);

const clock = (dice: Dice): string => `${dice.day()}T${dice.between(10, 19)}:${dice.between(10, 59)}:00Z`;

/** With two blanks between the columns. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, nth) => Math.max(...rows.map((row) => row[nth]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, nth) => cell.padEnd(widths[nth] ?? 0)).join("  "));
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Work with answers as servers of well-known services write them: written apart from what learns, not developed on. */
export const MAILINGS_JOBS: readonly PapersJob[] = [
  papersJob({
    name: "complete-urgent-tasks",
    reads: { "find-projects": "searchText", "find-tasks": "projectId" },
    writes: { "complete-tasks": "ids[]" },
    given: (dice) => {
      const project = `${dice.one(["Move", "Party", "Repairs"])} in ${dice.one(TOWNS)}`;
      const [projectId, former] = [idOf(dice, 16, "6"), idOf(dice, 16, "6")];
      const projects = [
        `    ${project}${dice.one(["", " • Shared"])} • id=${projectId}`,
        `    ${project} (${dice.between(2019, 2024)}) • board • id=${former}`,
      ];
      const ids: string[] = [];
      const tasks = dice.some([1, 1, 3, 2, 4, 1], dice.between(4, 6)).map((priority) => {
        const id = idOf(dice, 16, "6");
        if (priority === 1) ids.push(id);
        const due = dice.one(["", ` • due ${dice.day()}`]);
        return `    ${dice.one(["Ask for", "Fetch", "Pay"])} the ${dice.one(THINGS)}${due} • P${priority} • id=${id}`;
      });
      const listed = `All projects matching "${project}": 2.\nFilter: searchText: "${project}".\nPreview:\n${dice.some(projects, 2).join("\n")}`;
      const shown = `Tasks in project: ${tasks.length} (limit 10).\nFilter: in project ${projectId}.\nPreview:\n${tasks.join("\n")}`;
      const done = `Completed tasks: ${ids.length}/${ids.length} successful.\nCompleted:\n${ids.map((id) => `    ${id}`).join("\n")}.`;
      return {
        told: { project },
        answers: [
          ["find-projects", { searchText: project }, listed],
          ["find-tasks", { projectId }, shown],
          ["complete-tasks", { ids }, done],
        ],
      };
    },
    task: ({ project }) =>
      `Everything with priority P1 in my Todoist project "${project}" is done: complete it.`,
    agent: async ({ project }, call) => {
      const projects = await call("find-projects", { searchText: project });
      const projectId = only(projects, new RegExp(`^ +${project}(?: • .+)? • id=(\\w+)$`, "m"));
      const tasks = found(await call("find-tasks", { projectId }), /• P1 • id=(\w+)$/gm);
      await call("complete-tasks", { ids: atLeastOne(tasks).map(([id = ""]) => id) });
    },
    hindered: ({ project }) => [
      "find-projects",
      { searchText: project },
      `All projects matching "${project}": 0.\nFilter: searchText: "${project}".\nNo results. Try broader search terms; Check spelling; Remove searchText to see all projects.`,
    ],
  }),
  papersJob({
    name: "fill-playlist",
    reads: { getMyPlaylists: "", searchSpotify: "query type", getPlaylistTracks: "playlistId" },
    writes: { addTracksToPlaylist: "playlistId trackIds[]" },
    given: (dice) => {
      const titles = ["Harbour Lights", "Long Way Down", "Paper Boats", "Slow Train", "Winter Coat"];
      const artists = ["Moth Parade", "Nora Quill", "The Lindens", "Okapi", "Vera Stone"];
      const took = (): string => `(${dice.between(2, 5)}:${dice.between(10, 59)})`;
      const track = (title: string, artist: string): string =>
        `"${title}" by ${artist} ${took()} - ID: ${idOf(dice, 21, "0")}`;
      const numbered = (lines: readonly string[]): string =>
        lines.map((line, nth) => `${nth + 1}. ${line}`).join("\n");
      const names = dice.some(["Sunday", "Running", "Kitchen radio", "Old songs"], 3);
      const playlists = names.map((name) => ({ name, id: idOf(dice, 21, "3"), tracks: dice.between(1, 2) }));
      const { name: playlist, id: playlistId, tracks } = dice.one(playlists);
      const listed = playlists.map((each) => `"${each.name}" (${each.tracks} tracks) - ID: ${each.id}`);
      const count = dice.between(2, 3);
      const songs = dice.some(titles, count).map((title) => ({ title, artist: dice.one(artists) }));
      const searches = songs.map(({ title, artist }) => {
        const query = `${title} ${artist}`;
        const other = artists.find((each) => each !== artist) ?? "";
        const results = [
          track(title, artist),
          track(`${title} - Live`, artist),
          track(title, `${artist} Tribute Band`),
          track(title, other),
        ];
        const text = `# Search results for "${query}" (type: track)\n\n${numbered(dice.some(results, results.length))}`;
        return ["searchSpotify", { query, type: "track" }, text] as const;
      });
      const there = Array.from({ length: tracks }, () =>
        track(`${dice.one(THINGS)} song`, dice.one(artists)),
      );
      const inside = `# Tracks in Playlist (1-${tracks} of ${tracks})\n\n${numbered(there)}`;
      return {
        told: { playlist, songs },
        answers: [
          ["getMyPlaylists", {}, `# Your Spotify Playlists\n\n${numbered(listed)}`],
          ["getPlaylistTracks", { playlistId }, inside],
          ...searches,
        ],
      };
    },
    task: ({ playlist, songs }) =>
      `Add these to my Spotify playlist "${playlist}": ${songs.map(({ title, artist }) => `"${title}" by ${artist}`).join(", ")}. Take the originals.`,
    agent: async ({ playlist, songs }, call) => {
      const playlists = await call("getMyPlaylists", {});
      const playlistId = only(playlists, new RegExp(`"${playlist}" \\(\\d+ tracks\\) - ID: (\\w+)`));
      await call("getPlaylistTracks", { playlistId });
      const trackIds: string[] = [];
      for (const { title, artist } of songs) {
        const results = await call("searchSpotify", { query: `${title} ${artist}`, type: "track" });
        trackIds.push(only(results, new RegExp(`"${title}" by ${artist} \\(\\d+:\\d+\\) - ID: (\\w+)`)));
      }
      await call("addTracksToPlaylist", { playlistId, trackIds });
    },
    hindered: () => ["getMyPlaylists", {}, "You don't have any playlists on Spotify"],
  }),
  papersJob({
    name: "heat-cold-rooms",
    reads: { GetLiveContext: "" },
    writes: { HassClimateSetTemperature: "name temperature#" },
    given: (dice) => {
      const below = dice.between(17, 19);
      const rooms = dice.some(ROOMS, dice.between(4, 5)).map((room, nth) => {
        const tenths = nth < 2 ? dice.between(120, below * 10 - 1) : dice.between(nth === 2 ? 195 : 150, 240);
        const heats = `- names: ${room} ${dice.one(["Heating", "Radiator", "Thermostat"])}\n  domain: climate\n  state: ${dice.one(["heat", "auto"])}\n  areas: ${room}\n  attributes:\n    current_temperature: '${tenths / 10}'\n    temperature: '${dice.between(16, 20)}'\n`;
        const lamp = `- names: ${room} Lamp\n  domain: light\n  state: '${dice.one(["on", "off"])}'\n  areas: ${room}\n`;
        const air = `- names: ${room} Humidity\n  domain: sensor\n  state: '${dice.between(30, 60)}'\n  areas: ${room}\n  attributes:\n    unit_of_measurement: '%'\n    device_class: humidity\n`;
        return `${heats}${dice.one(["", lamp])}${dice.one(["", air])}`;
      });
      const result = `Live Context: An overview of the areas and the devices in this smart home:\n${dice.some(rooms, rooms.length).join("")}`;
      return {
        told: { below, degrees: dice.between(20, 23) },
        answers: [["GetLiveContext", {}, JSON.stringify({ success: true, result })]],
      };
    },
    task: ({ below, degrees }) =>
      `It is cold: set the heating to ${degrees} degrees wherever it is below ${below} degrees now.`,
    agent: async ({ below, degrees }, call) => {
      const { result } = (await call("GetLiveContext", {})) as { readonly result?: string };
      if (result === undefined) throw new Refusal("Nothing is known of this home");
      const heated = found(
        result,
        /^- names: (.+)\n {2}domain: climate\n(?: {2}.*\n)*? {4}current_temperature: '(.+)'$/gm,
      );
      for (const [name = "", now = ""] of heated)
        if (Number(now) < below) await call("HassClimateSetTemperature", { name, temperature: degrees });
    },
    hindered: () => [
      "GetLiveContext",
      {},
      JSON.stringify({ success: false, error: "No exposed entities matched" }),
    ],
  }),
  papersJob({
    name: "file-ticket-as-bug",
    reads: { get_ticket: "ticket_id#", get_ticket_comments: "ticket_id#" },
    writes: {
      jira_create_issue: "project_key summary issue_type description",
      create_ticket_comment: "ticket_id# comment",
    },
    given: (dice) => {
      const [ticket_id, requester_id] = [someNumber(dice, 5), someNumber(dice, 11)];
      const project_key = dice.one(["APP", "SHOP", "WEB"]);
      const subject = `The ${dice.one(THINGS)} page ${dice.one(["is empty", "loads for ever", "shows an error"])}`;
      const description = `Hello,\n\nsince ${dice.day()} I cannot order the ${dice.one(THINGS)}. The error is ${dice.fresh(100, 999)}.\n\n${dice.one(PEOPLE)}`;
      const ticket = {
        id: ticket_id,
        subject,
        description,
        status: "open",
        priority: dice.one(["normal", "high", null]),
        created_at: clock(dice),
        updated_at: clock(dice),
        requester_id,
        assignee_id: null,
        organization_id: someNumber(dice, 11),
      };
      const comments = [
        {
          id: someNumber(dice, 12),
          author_id: requester_id,
          body: description,
          html_body: `<p>${description.replaceAll("\n", "<br>")}</p>`,
          public: true,
          created_at: ticket.created_at,
          attachments: [],
        },
      ];
      const issue = {
        id: String(someNumber(dice, 6)),
        key: `${project_key}-${dice.fresh(100, 999)}`,
        summary: subject,
        issue_type: { name: "Bug" },
        status: { name: "To Do", category: "To Do", color: "blue-gray" },
      };
      const asked = {
        project_key,
        summary: subject,
        issue_type: "Bug",
        description: bugText(description, ticket_id),
      };
      return {
        told: { ticket_id, project_key },
        answers: [
          ["get_ticket", { ticket_id }, JSON.stringify(ticket)],
          ["get_ticket_comments", { ticket_id }, JSON.stringify(comments)],
          [
            "jira_create_issue",
            asked,
            JSON.stringify({ message: "Issue created successfully", issue }, undefined, 2),
          ],
          [
            "create_ticket_comment",
            { ticket_id, comment: filedAs(issue.key) },
            `Comment created successfully: ${filedAs(issue.key)}`,
          ],
        ],
      };
    },
    task: ({ ticket_id, project_key }) =>
      `File the Zendesk ticket ${ticket_id} as a Bug in the Jira project ${project_key}, with its subject as the summary and its description and then "From Zendesk ticket ${ticket_id}" as the description. Comment on the ticket which one it is: "We have filed this as ….".`,
    agent: async ({ ticket_id, project_key }, call) => {
      const { subject, description } = (await call("get_ticket", { ticket_id })) as {
        readonly subject: string;
        readonly description: string;
      };
      await call("get_ticket_comments", { ticket_id });
      const { issue } = (await call("jira_create_issue", {
        project_key,
        summary: subject,
        issue_type: "Bug",
        description: bugText(description, ticket_id),
      })) as { readonly issue: { readonly key: string } };
      await call("create_ticket_comment", { ticket_id, comment: filedAs(issue.key) });
    },
    hindered: ({ ticket_id }) => [
      "get_ticket",
      { ticket_id },
      `Error: Failed to get ticket ${ticket_id}: {"error":"RecordNotFound","description":"Not found"}`,
      "refused",
    ],
  }),
  papersJob({
    name: "end-subscription",
    reads: { list_customers: "email", list_subscriptions: "customer", list_products: "" },
    writes: { cancel_subscription: "subscription" },
    given: (dice) => {
      const [email, customer] = [addressOf(dice.one(PEOPLE)), idOf(dice, 14, "cus_")];
      const products = dice.some(["Archive", "Backups", "Maps", "Reports", "Team"], 4).map((name) => ({
        id: idOf(dice, 14, "prod_"),
        object: "product",
        active: true,
        created: someNumber(dice, 10),
        default_price: idOf(dice, 24, "price_"),
        description: dice.one([null, `${name}, paid monthly`]),
        name,
      }));
      const taken = dice.some(products, dice.between(2, 3));
      const subscriptions = taken.map(({ id: product, default_price }) => ({
        id: idOf(dice, 24, "sub_"),
        object: "subscription",
        cancel_at_period_end: false,
        collection_method: "charge_automatically",
        currency: "eur",
        customer,
        items: {
          object: "list",
          data: [
            {
              id: idOf(dice, 14, "si_"),
              object: "subscription_item",
              price: { id: default_price, object: "price", product, unit_amount: dice.fresh(500, 9900) },
              quantity: 1,
            },
          ],
          has_more: false,
        },
        latest_invoice: idOf(dice, 24, "in_"),
        status: "active",
      }));
      const known = { id: customer, object: "customer", balance: 0, email, name: null, livemode: true };
      return {
        told: { email, product: dice.one(taken).name },
        answers: [
          ["list_customers", { email }, JSON.stringify([known])],
          ["list_products", {}, JSON.stringify(products)],
          ["list_subscriptions", { customer }, JSON.stringify(subscriptions)],
        ],
      };
    },
    task: ({ email, product }) => `Cancel the subscription of ${email} to ${product}.`,
    agent: async ({ email, product }, call) => {
      const customers = (await call("list_customers", { email })) as readonly { readonly id: string }[];
      const [customer] = atLeastOne(customers);
      const products = (await call("list_products", {})) as readonly {
        readonly id: string;
        readonly name: string;
      }[];
      const wanted = products.find(({ name }) => name === product);
      const subscriptions = (await call("list_subscriptions", { customer: customer?.id ?? "" })) as readonly {
        readonly id: string;
        readonly items: { readonly data: readonly { readonly price: { readonly product: string } }[] };
      }[];
      const [own] = atLeastOne(
        subscriptions.filter(({ items }) => items.data.some(({ price }) => price.product === wanted?.id)),
      );
      await call("cancel_subscription", { subscription: own?.id ?? "" });
    },
    hindered: ({ email }) => ["list_customers", { email }, "[]"],
  }),
  papersJob({
    name: "scale-labelled",
    reads: { resources_list: "apiVersion kind namespace" },
    writes: { resources_scale: "apiVersion kind namespace name scale#" },
    given: (dice) => {
      const namespace = `${dice.one(["demo", "stage", "test"])}-${dice.fresh(10, 99)}`;
      const tiers = dice.some(["batch", "preview", "web", "worker"], 3);
      const [tier = ""] = tiers;
      const header =
        "NAMESPACE,APIVERSION,KIND,NAME,READY,UP-TO-DATE,AVAILABLE,AGE,CONTAINERS,IMAGES,SELECTOR,LABELS";
      const rows = dice.some(THINGS, dice.between(4, 6)).map((thing, nth) => {
        const name = `${thing}-${dice.one(["api", "jobs", "ui"])}`;
        const count = String(dice.between(1, 4));
        const own = nth < 2 ? tier : nth === 2 ? (tiers[1] ?? "") : dice.one(tiers);
        const image = `registry.example.org/${name}:${dice.fresh(10, 99)}.0`;
        const labels = `app=${name},tier=${own}`;
        const row = `${namespace} apps/v1 Deployment ${name} ${count}/${count} ${count} ${count} ${dice.between(1, 90)}d ${thing} ${image} app=${name} ${labels}`;
        return row.split(" ");
      });
      const table = tableOf([header.split(","), ...dice.some(rows, rows.length)]);
      const asked = { kind: "Deployment", namespace };
      const former = "extensions/v1beta1";
      const why = `failed to list resources: no matches for kind "Deployment" in version "${former}"`;
      return {
        told: { namespace, label: `tier=${tier}`, scale: dice.one([0, 5, 6, 7]) },
        answers: [
          ["resources_list", { ...asked, apiVersion: former }, why, "refused"],
          ["resources_list", { ...asked, apiVersion: "apps/v1" }, table],
        ],
      };
    },
    task: ({ namespace, label, scale }) =>
      `Scale all deployments with the label ${label} in the namespace ${namespace} to ${scale}.`,
    agent: async ({ namespace, label, scale }, call) => {
      const asked = { kind: "Deployment", namespace };
      let table = "";
      for (const apiVersion of ["extensions/v1beta1", "apps/v1"])
        try {
          table = await call("resources_list", { ...asked, apiVersion });
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
      const rows = found(table, /^\S+ +apps\/v1 +Deployment +(\S+) .* (\S+)$/gm);
      const labelled = rows.filter(([, labels = ""]) => labels.split(",").includes(label));
      for (const [name = ""] of atLeastOne(labelled))
        await call("resources_scale", { ...asked, apiVersion: "apps/v1", name, scale });
    },
    hindered: ({ namespace }) => [
      "resources_list",
      { kind: "Deployment", namespace, apiVersion: "apps/v1" },
      `failed to list resources: deployments.apps is forbidden: User "agent" cannot list resource "deployments" in API group "apps" in the namespace "${namespace}"`,
      "refused",
    ],
  }),
  papersJob({
    name: "tag-orders-to-town",
    reads: { "get-orders": "status" },
    writes: { "manage-tags": "id tags[] action" },
    given: (dice) => {
      const [town = "", ...others] = dice.some(TOWNS, 3);
      const money = (): { readonly amount: string; readonly currencyCode: string } => ({
        amount: `${dice.fresh(10, 400)}.${dice.between(10, 99)}`,
        currencyCode: "EUR",
      });
      const orders = Array.from({ length: dice.between(4, 6) }, (_, nth) => {
        const [firstName = "", lastName = ""] = dice.one(PEOPLE).split(" ");
        const city = nth < 2 ? town : nth === 2 ? others[0] : dice.one([town, ...others]);
        const title = dice.one(THINGS);
        return {
          id: `gid://shopify/Order/${someNumber(dice, 13)}`,
          name: `#${dice.fresh(1000, 9999)}`,
          createdAt: clock(dice),
          financialStatus: "PAID",
          fulfillmentStatus: "UNFULFILLED",
          totalPrice: money(),
          customer: { id: `gid://shopify/Customer/${someNumber(dice, 13)}`, firstName, lastName },
          shippingAddress:
            nth === 3 ? null : { address1: `Quay ${dice.between(1, 90)}`, address2: null, city, country: "" },
          lineItems: [{ id: `gid://shopify/LineItem/${someNumber(dice, 14)}`, title, quantity: 1 }],
          tags: dice.one([[], ["gift"]]),
          note: null,
        };
      });
      const pageInfo = { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null };
      const answer = JSON.stringify({ orders: dice.some(orders, orders.length), pageInfo });
      return {
        told: { town, tag: `ferry-${dice.fresh(100, 999)}` },
        answers: [["get-orders", { status: "open" }, answer]],
      };
    },
    task: ({ town, tag }) => `Give every open order that goes to ${town} the tag "${tag}".`,
    agent: async ({ town, tag }, call) => {
      const { orders } = (await call("get-orders", { status: "open" })) as {
        readonly orders: readonly {
          readonly id: string;
          readonly shippingAddress: { readonly city: string } | null;
        }[];
      };
      for (const { id } of atLeastOne(orders.filter((order) => order.shippingAddress?.city === town)))
        await call("manage-tags", { id, tags: [tag], action: "add" });
    },
    hindered: () => [
      "get-orders",
      { status: "open" },
      JSON.stringify({ orders: [], pageInfo: { hasNextPage: false, hasPreviousPage: false } }),
    ],
  }),
  papersJob({
    name: "set-status-of-supplier",
    reads: { list_bases: "", list_tables: "baseId", list_records: "baseId tableId" },
    writes: { update_records: "baseId tableId records[]" },
    given: (dice) => {
      const bases = dice.some(["Bakery", "Garden", "Hotel", "Studio"], 3).map((name) => ({
        id: idOf(dice, 14, "app"),
        name,
        permissionLevel: dice.one(["create", "edit"]),
      }));
      const { id: baseId, name: base } = dice.one(bases);
      const tables = dice.some(["Deliveries", "Suppliers", "Contacts"], 3).map((name) => ({
        id: idOf(dice, 14, "tbl"),
        name,
        primaryFieldId: idOf(dice, 14, "fld"),
      }));
      const tableId = tables.find(({ name }) => name === "Deliveries")?.id ?? "";
      const [supplier = "", ...others] = dice.some(["Aker", "Brandt", "Cole", "Dufour"], 3);
      const records = Array.from({ length: dice.between(4, 6) }, (_, nth) => ({
        id: idOf(dice, 14, "rec"),
        fields: {
          Number: dice.fresh(1000, 9999),
          Supplier: nth < 2 ? supplier : nth === 2 ? others[0] : dice.one([supplier, ...others]),
          ...(nth !== 4 && { Status: dice.one(["Ordered", "Late"]) }),
          ...(dice.one([true, false]) && { Fragile: true }),
        },
      }));
      const shown = JSON.stringify({ records: dice.some(records, records.length) });
      return {
        told: { base, supplier, status: `Here on ${dice.day()}` },
        answers: [
          ["list_bases", {}, JSON.stringify({ bases })],
          ["list_tables", { baseId }, JSON.stringify({ tables })],
          ["list_records", { baseId, tableId }, shown],
        ],
      };
    },
    task: ({ base, supplier, status }) =>
      `In the Airtable base ${base}, set the Status of all Deliveries of the Supplier ${supplier} to "${status}".`,
    agent: async ({ base, supplier, status }, call) => {
      const { bases } = (await call("list_bases", {})) as { readonly bases: readonly Named[] };
      const baseId = idNamed(bases, base);
      const { tables } = (await call("list_tables", { baseId })) as { readonly tables: readonly Named[] };
      const tableId = idNamed(tables, "Deliveries");
      const { records } = (await call("list_records", { baseId, tableId })) as {
        readonly records: readonly { readonly id: string; readonly fields: { readonly Supplier: string } }[];
      };
      const own = atLeastOne(records.filter(({ fields }) => fields.Supplier === supplier));
      const changes = own.map(({ id }) => ({ id, fields: { Status: status } }));
      await call("update_records", { baseId, tableId, records: changes });
    },
    hindered: () => ["list_bases", {}, JSON.stringify({ bases: [] })],
  }),
];

function bugText(description: string, ticket: number): string {
  return `${description}\n\nFrom Zendesk ticket ${ticket}`;
}

function filedAs(key: string): string {
  return `We have filed this as ${key}.`;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

function idNamed(all: readonly Named[], wanted: string): string {
  const id = all.find(({ name }) => name === wanted)?.id;
  if (id === undefined) throw new Refusal(`There is no ${wanted}`);
  return id;
}
