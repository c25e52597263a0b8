// A calendar, whose answers are data, and mail, whose answers are text, over stdio; their state is the JSON file that is
// the only argument.
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";
import { data, READS, refusal, StateFile, text, WRITES } from "./answers.ts";
import type { CalendarEvent, Mail, OfficeState } from "./office-state.ts";

const file = new StateFile<OfficeState>(process.argv[2] ?? "office.json");
const person = z.object({ name: z.string(), email: z.string(), team: z.string() });
const day = z.iso.date();
const time = z.string().regex(/^\d\d:\d\d$/);
const event = z.object({
  id: z.string(),
  title: z.string(),
  date: day,
  start: time,
  end: time,
  room: z.string(),
  organizer: z.string(),
  attendees: z.array(z.string()),
});

function office(): McpServer {
  const mcp = new McpServer({ name: "office", version: "1.0.0" });
  addPeople(mcp);
  addCalendar(mcp);
  addMail(mcp);
  return mcp;
}

function addPeople(mcp: McpServer): void {
  mcp.registerTool(
    "find_person",
    {
      description: "A colleague by name.",
      inputSchema: z.object({ name: z.string() }),
      outputSchema: z.object({ person }),
      annotations: READS,
    },
    ({ name }) => {
      const found = file.read().people.find((each) => each.name === name);
      return found ? data({ person: found }) : refusal(`Nobody is called ${name}`);
    },
  );
  mcp.registerTool(
    "list_team",
    {
      description: "The people of a team.",
      inputSchema: z.object({ team: z.string() }),
      outputSchema: z.object({ people: z.array(person) }),
      annotations: READS,
    },
    ({ team }) => data({ people: file.read().people.filter((each) => each.team === team) }),
  );
  mcp.registerTool(
    "list_rooms",
    {
      description: "The rooms, with how many seats each has.",
      inputSchema: z.object({}),
      outputSchema: z.object({ rooms: z.array(z.object({ name: z.string(), seats: z.int() })) }),
      annotations: READS,
    },
    () => data({ rooms: file.read().rooms }),
  );
}

function addCalendar(mcp: McpServer): void {
  mcp.registerTool(
    "list_events",
    {
      description: "The events of a day.",
      inputSchema: z.object({ date: day }),
      outputSchema: z.object({ events: z.array(event) }),
      annotations: READS,
    },
    ({ date }) => data({ events: file.read().events.filter((each) => each.date === date) }),
  );
  mcp.registerTool(
    "get_event",
    {
      description: "One event by its id.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ event }),
      annotations: READS,
    },
    ({ id }) => {
      const found = file.read().events.find((each) => each.id === id);
      return found ? data({ event: found }) : refusal(`There is no event ${id}`);
    },
  );
  mcp.registerTool(
    "create_event",
    {
      description: "Puts an event into the calendar.",
      inputSchema: z.object({
        title: z.string(),
        date: day,
        start: time,
        end: time,
        attendees: z.array(z.string()),
      }),
      outputSchema: z.object({ event }),
      annotations: WRITES,
    },
    ({ title, date, start, end, attendees }) =>
      file.change((state) => {
        const id = `N-${state.events.length + 1}`;
        const made = { id, title, date, start, end, attendees, room: "", organizer: "office@example.org" };
        state.events.push(made);
        return data({ event: made });
      }),
  );
  mcp.registerTool(
    "move_event",
    {
      description: "Gives an event another day or time.",
      inputSchema: z.object({ id: z.string(), date: day, start: time, end: time }),
      outputSchema: z.object({ event }),
      annotations: WRITES,
    },
    ({ id, date, start, end }) => changed(id, (found) => void Object.assign(found, { date, start, end })),
  );
  mcp.registerTool(
    "cancel_event",
    {
      description: "Takes an event out of the calendar.",
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ cancelled: z.string() }),
      annotations: WRITES,
    },
    ({ id }) =>
      file.change((state) => {
        if (!state.events.some((each) => each.id === id)) return refusal(`There is no event ${id}`);
        state.events = state.events.filter((each) => each.id !== id);
        return data({ cancelled: id });
      }),
  );
  mcp.registerTool(
    "add_attendee",
    {
      description: "Invites somebody to an event.",
      inputSchema: z.object({ id: z.string(), email: z.string() }),
      outputSchema: z.object({ event }),
      annotations: WRITES,
    },
    ({ id, email }) =>
      changed(id, ({ attendees }) => {
        if (attendees.includes(email)) return `${email} is invited already`;
        attendees.push(email);
        return undefined;
      }),
  );
  mcp.registerTool(
    "book_room",
    {
      description: "Books a room for an event.",
      inputSchema: z.object({ id: z.string(), room: z.string() }),
      outputSchema: z.object({ event }),
      annotations: WRITES,
    },
    ({ id, room }) =>
      changed(id, (found, { rooms, events }) => {
        if (!rooms.some(({ name }) => name === room)) return `There is no room ${room}`;
        const isTaken = events.some(
          (each) => each !== found && each.room === room && each.date === found.date,
        );
        if (isTaken) return `The room ${room} is taken`;
        found.room = room;
        return undefined;
      }),
  );
}

function addMail(mcp: McpServer): void {
  mcp.registerTool(
    "list_mail",
    {
      description: "The messages of a folder, a line each.",
      inputSchema: z.object({ folder: z.string() }),
      annotations: READS,
    },
    ({ folder }) => {
      const found = file.read().mails.filter((each) => each.folder === folder);
      return text(found.map(({ id, from, subject }) => `${id} | ${from} | ${subject}`).join("\n"));
    },
  );
  mcp.registerTool(
    "read_mail",
    {
      description: "A message as text.",
      inputSchema: z.object({ id: z.string() }),
      annotations: READS,
    },
    ({ id }) => {
      const found = file.read().mails.find((each) => each.id === id);
      if (!found) return refusal(`There is no message ${id}`);
      const { from, to, subject, body } = found;
      return text(`From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n${body}`);
    },
  );
  mcp.registerTool(
    "send_mail",
    {
      description: "Sends a message.",
      inputSchema: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
      annotations: WRITES,
    },
    ({ to, subject, body }) =>
      file.change(({ mails }) => {
        const id = `n${mails.length + 1}`;
        mails.push({ id, folder: "sent", from: "office@example.org", to, subject, body });
        return text(`Sent ${id}`);
      }),
  );
  mcp.registerTool(
    "move_mail",
    {
      description: "Moves a message into another folder.",
      inputSchema: z.object({ id: z.string(), folder: z.string() }),
      annotations: WRITES,
    },
    ({ id, folder }) =>
      file.change(({ mails }) => {
        const found: Mail | undefined = mails.find((each) => each.id === id);
        if (!found) return refusal(`There is no message ${id}`);
        found.folder = folder;
        return text(`Moved ${id} to ${folder}`);
      }),
  );
}

/** Changes an event, unless the change tells why it cannot be. */
function changed(
  id: string,
  change: (found: CalendarEvent, state: OfficeState) => string | undefined,
): CallToolResult {
  return file.change((state) => {
    const found = state.events.find((each) => each.id === id);
    if (!found) return refusal(`There is no event ${id}`);
    const why = change(found, state);
    return why === undefined ? data({ event: found }) : refusal(why);
  });
}

serveStdio(office);
