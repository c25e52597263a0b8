import type { JsonObject } from "../../src/core/json/json.ts";
import { addressOf, PEOPLE } from "./dice.ts";
import { type Job, refused } from "./job.ts";
import {
  addEvent,
  addMail,
  type CalendarEvent,
  type OfficeState,
  type Person,
  TITLES,
} from "./office-state.ts";

function job<Told extends JsonObject>(made: Job<OfficeState, Told>): Job<OfficeState> {
  return made;
}

function leaves(state: OfficeState, name: unknown): void {
  state.people = state.people.filter((each) => each.name !== name);
}

function drop(state: OfficeState, eventId: unknown): void {
  state.events = state.events.filter(({ id }) => id !== eventId);
}

const single = [
  job({
    name: "meet-person",
    difficulty: "single",
    given: (state, dice) => ({
      name: dice.one(state.people).name,
      title: dice.one(TITLES),
      date: dice.day(),
      start: `${dice.between(10, 12)}:15`,
      end: `${dice.between(13, 15)}:45`,
    }),
    task: ({ name, title, date, start, end }) =>
      `Put "${title}" with ${name} into the calendar, on ${date} from ${start} to ${end}.`,
    agent: async ({ name, ...when }, call) => {
      const { person } = await call("find_person", { name });
      await call("create_event", { ...when, attendees: [person.email] });
    },
    hinder: (state, { name }) => leaves(state, name),
  }),
  job({
    name: "write-to-person",
    difficulty: "single",
    given: (state, dice) => ({
      name: dice.one(state.people).name,
      subject: `About ${dice.one(TITLES)}`,
      body: `Please call me before ${dice.day()}.`,
    }),
    task: ({ name, subject, body }) => `Write to ${name}, with the subject "${subject}": "${body}"`,
    agent: async ({ name, subject, body }, call) => {
      const { person } = await call("find_person", { name });
      await call("send_mail", { to: person.email, subject, body });
    },
    hinder: (state, { name }) => leaves(state, name),
  }),
  job({
    name: "move-meeting",
    difficulty: "single",
    given: (state, dice) => ({ eventId: dice.one(state.events).id, date: dice.day() }),
    task: ({ eventId, date }) => `Move the event ${eventId} to ${date}, at the same time.`,
    agent: async ({ eventId, date }, call) => {
      const { event } = await call("get_event", { id: eventId });
      await call("move_event", { id: eventId, date, start: event.start, end: event.end });
    },
    hinder: (state, { eventId }) => drop(state, eventId),
  }),
  job({
    name: "invite-person",
    difficulty: "single",
    given: (state, dice) => {
      const event = dice.one(state.events);
      const others = state.people.filter(({ email }) => !event.attendees.includes(email));
      return { eventId: event.id, name: dice.one(others).name };
    },
    task: ({ eventId, name }) => `Invite ${name} to the event ${eventId}.`,
    agent: async ({ eventId, name }, call) => {
      const { person } = await call("find_person", { name });
      await call("add_attendee", { id: eventId, email: person.email });
    },
    hinder: (state, { name }) => leaves(state, name),
  }),
];

const loops = [
  job({
    name: "invite-team",
    difficulty: "loop",
    given: (state, dice) => {
      const event = dice.one(state.events);
      event.attendees = [];
      return { eventId: event.id, team: dice.one(state.people).team };
    },
    task: ({ eventId, team }) => `Invite everybody in ${team} to the event ${eventId}.`,
    agent: async ({ eventId, team }, call) => {
      const { people } = await call("list_team", { team });
      for (const { email } of people) await call("add_attendee", { id: eventId, email });
    },
    hinder: (state, { eventId }) => drop(state, eventId),
  }),
  job({
    name: "cancel-day",
    difficulty: "loop",
    given: (state, dice) => {
      const date = dice.day();
      for (let count = dice.between(2, 4); count > 0; count--) addEvent(state, dice, { date });
      return { date };
    },
    task: ({ date }) => `The office is closed on ${date}: cancel all events of the day.`,
    agent: async ({ date }, call) => {
      const { events } = await call("list_events", { date });
      for (const { id } of events) await call("cancel_event", { id });
    },
    hinder: (state, { date }) => {
      state.events = state.events.filter((each) => each.date !== date);
    },
  }),
  job({
    name: "move-day",
    difficulty: "loop",
    given: (state, dice) => {
      const date = dice.day();
      for (let count = dice.between(2, 4); count > 0; count--) addEvent(state, dice, { date });
      return { date, newDate: dice.day() };
    },
    task: ({ date, newDate }) => `Move all events of ${date} to ${newDate}, each at its time.`,
    agent: async ({ date, newDate }, call) => {
      const { events } = await call("list_events", { date });
      for (const { id, start, end } of events) await call("move_event", { id, date: newDate, start, end });
    },
    hinder: (state, { date }) => {
      state.events = state.events.filter((each) => each.date !== date);
    },
  }),
  job({
    name: "write-to-attendees",
    difficulty: "loop",
    given: (state, dice) => ({
      eventId: dice.one(state.events).id,
      subject: `Change of ${dice.one(TITLES)}`,
      body: `We start ${dice.fresh(5, 55)} minutes later.`,
    }),
    task: ({ eventId, subject, body }) =>
      `Write to everybody who attends ${eventId}, with the subject "${subject}": "${body}"`,
    agent: async ({ eventId, subject, body }, call) => {
      const { event } = await call("get_event", { id: eventId });
      for (const to of event.attendees) await call("send_mail", { to, subject, body });
    },
    hinder: (state, { eventId }) => drop(state, eventId),
  }),
  job({
    name: "invite-listed",
    difficulty: "loop",
    given: (state, dice) => {
      const event = dice.one(state.events);
      event.attendees = [];
      return {
        eventId: event.id,
        names: dice.some(state.people, dice.between(2, 4)).map(({ name }) => name),
      };
    },
    task: ({ eventId, names }) => `Invite ${names.join(", ")} to the event ${eventId}.`,
    agent: async ({ eventId, names }, call) => {
      for (const name of names) {
        const { person } = await call("find_person", { name });
        await call("add_attendee", { id: eventId, email: person.email });
      }
    },
    hinder: (state, { names }) => leaves(state, names.at(-1)),
  }),
];

const choices = [
  job({
    name: "cancel-titled",
    difficulty: "choice",
    given: (state, dice) => {
      const date = dice.day();
      for (let count = 0; count < 3; count++) addEvent(state, dice, { date });
      const events = state.events.filter((each) => each.date === date);
      return { date, title: dice.one(events).title };
    },
    task: ({ date, title }) => `Cancel the event "${title}" on ${date}.`,
    agent: async ({ date, title }, call) => {
      const { events } = await call("list_events", { date });
      const found = events.filter((each: CalendarEvent) => each.title === title);
      if (found.length === 1) await call("cancel_event", { id: found[0].id });
    },
    hinder: (state, { date, title }) => {
      state.events = state.events.filter((each) => each.date !== date || each.title !== title);
    },
  }),
  job({
    name: "book-smallest-room",
    difficulty: "choice",
    given: (state, dice) => {
      const event = addEvent(state, dice, { date: dice.day(), room: "" });
      const seats = state.rooms.map((each) => each.seats).toSorted((a, b) => a - b)[2] ?? 0;
      return { eventId: event.id, seats };
    },
    task: ({ eventId, seats }) => `Book the smallest room with at least ${seats} seats for ${eventId}.`,
    agent: async ({ eventId, seats }, call) => {
      const { rooms } = await call("list_rooms", {});
      const large = (rooms as OfficeState["rooms"]).filter((each) => each.seats >= seats);
      const [room] = large.toSorted((a, b) => a.seats - b.seats);
      if (room) await call("book_room", { id: eventId, room: room.name });
    },
    hinder: (state, { seats }) => {
      state.rooms = state.rooms.filter((each) => each.seats < seats);
    },
  }),
  job({
    name: "cancel-meetings-of",
    difficulty: "choice",
    given: (state, dice) => {
      const date = dice.day();
      const { name, email } = dice.one(state.people);
      for (let count = 0; count < 4; count++) {
        const event = addEvent(state, dice, { date });
        event.attendees = event.attendees.filter((each) => each !== email);
        if (count < 2) event.attendees.push(email);
      }
      return { date, name };
    },
    task: ({ date, name }) => `${name} is ill: cancel all events on ${date} to which ${name} is invited.`,
    agent: async ({ date, name }, call) => {
      const { person } = await call("find_person", { name });
      const { events } = await call("list_events", { date });
      for (const { id, attendees } of events as CalendarEvent[])
        if (attendees.includes(person.email)) await call("cancel_event", { id });
    },
    hinder: (state, { name }) => leaves(state, name),
  }),
  job({
    name: "write-to-organizer",
    difficulty: "choice",
    given: (state, dice) => {
      const date = dice.day();
      for (let count = 0; count < 3; count++) addEvent(state, dice, { date });
      const events = state.events.filter((each) => each.date === date);
      return { date, title: dice.one(events).title, body: `I come ${dice.fresh(5, 55)} minutes later.` };
    },
    task: ({ date, title, body }) =>
      `Write to the organizer of the event "${title}" on ${date}, with its title as the subject: "${body}"`,
    agent: async ({ date, title, body }, call) => {
      const { events } = await call("list_events", { date });
      const found = (events as CalendarEvent[]).find((each) => each.title === title);
      if (found) await call("send_mail", { to: found.organizer, subject: title, body });
    },
    hinder: (state, { date, title }) => {
      state.events = state.events.filter((each) => each.date !== date || each.title !== title);
    },
  }),
  job({
    name: "move-first-meeting",
    difficulty: "choice",
    given: (state, dice) => {
      const date = dice.day();
      for (let count = 0; count < 4; count++) addEvent(state, dice, { date });
      return { date, newDate: dice.day() };
    },
    task: ({ date, newDate }) => `Move the first event on ${date} to ${newDate}, at the same time.`,
    agent: async ({ date, newDate }, call) => {
      const { events } = await call("list_events", { date });
      const [first] = (events as CalendarEvent[]).toSorted((a, b) => (a.start < b.start ? -1 : 1));
      if (first)
        await call("move_event", { id: first.id, date: newDate, start: first.start, end: first.end });
    },
    hinder: (state, { date }) => {
      state.events = state.events.filter((each) => each.date !== date);
    },
  }),
];

const texts = [
  job({
    name: "answer-mail",
    difficulty: "text",
    given: (state, dice) => ({
      subject: dice.one(state.mails).subject,
      body: `That is done since ${dice.day()}.`,
    }),
    task: ({ subject, body }) => `Answer the mail "${subject}" with "${body}"`,
    agent: async ({ subject, body }, call) => {
      const lines = String(await call("list_mail", { folder: "inbox" })).split("\n");
      const [id] = lines.find((line) => line.endsWith(` | ${subject}`))?.split(" | ") ?? [];
      if (id === undefined) return;
      const [, from = ""] = /^From: (.*)$/m.exec(String(await call("read_mail", { id }))) ?? [];
      await call("send_mail", { to: from, subject: `Re: ${subject}`, body });
    },
    hinder: (state, { subject }) => {
      state.mails = state.mails.filter((each) => each.subject !== subject);
    },
  }),
  job({
    name: "archive-from",
    difficulty: "text",
    given: (state, dice) => {
      const { email } = dice.one(state.people);
      for (const each of state.mails)
        if (each.from === email)
          each.from = dice.one(state.people.filter((one) => one.email !== email)).email;
      addMail(state, dice, { from: email });
      addMail(state, dice, { from: email });
      return { sender: email, folder: "archive" };
    },
    task: ({ sender, folder }) => `Move all mail from ${sender} in the inbox to the folder ${folder}.`,
    agent: async ({ sender, folder }, call) => {
      const lines = String(await call("list_mail", { folder: "inbox" })).split("\n");
      for (const [id = "", from] of lines.map((line) => line.split(" | ")))
        if (from === sender) await call("move_mail", { id, folder });
    },
    hinder: (state, { sender }) => {
      state.mails = state.mails.filter((each) => each.from !== sender);
    },
  }),
  job({
    name: "archive-all",
    difficulty: "text",
    given: (state, dice) => {
      addMail(state, dice, {});
      return { folder: dice.one(["archive", "later", "done"]) };
    },
    task: ({ folder }) => `Move everything in the inbox to the folder ${folder}.`,
    agent: async ({ folder }, call) => {
      const lines = String(await call("list_mail", { folder: "inbox" })).split("\n");
      for (const line of lines.filter((each) => each !== ""))
        await call("move_mail", { id: line.split(" | ")[0] ?? "", folder });
    },
    hinder: (state) => {
      state.mails = [];
    },
  }),
];

const failing = [
  job({
    name: "book-either-room",
    difficulty: "fails",
    given: (state, dice) => {
      const event = addEvent(state, dice, { date: dice.day(), room: "" });
      const [room, otherRoom] = dice.some(state.rooms, 2).map(({ name }) => name);
      return { eventId: event.id, room: room ?? "", otherRoom: otherRoom ?? "" };
    },
    task: ({ eventId, room, otherRoom }) =>
      `Book the room ${room} for ${eventId}; if it is taken, book ${otherRoom}.`,
    agent: async ({ eventId, room, otherRoom }, call) => {
      if (await refused(call("book_room", { id: eventId, room })))
        await call("book_room", { id: eventId, room: otherRoom });
    },
    hinder: (state, { eventId, room }, dice) => {
      const date = state.events.find(({ id }) => id === eventId)?.date ?? "";
      addEvent(state, dice, { date, room });
    },
  }),
  job({
    name: "invite-who-is-not",
    difficulty: "fails",
    given: (state, dice) => {
      const event = dice.one(state.events);
      event.attendees = [];
      return {
        eventId: event.id,
        emails: dice.some(state.people, dice.between(2, 4)).map((each) => each.email),
      };
    },
    task: ({ eventId, emails }) =>
      `Invite ${emails.join(", ")} to the event ${eventId}, but those who are invited already.`,
    agent: async ({ eventId, emails }, call) => {
      for (const email of emails) await refused(call("add_attendee", { id: eventId, email }));
    },
    hinder: (state, { eventId, emails }) => {
      const event = state.events.find(({ id }) => id === eventId);
      event?.attendees.push(...emails.slice(1, 2));
    },
  }),
  job({
    name: "write-to-person-or-desk",
    difficulty: "fails",
    given: (state, dice) => ({
      name: dice.one(state.people).name,
      desk: addressOf(`${dice.one(PEOPLE)} desk`),
      subject: `About ${dice.one(TITLES)}`,
      body: `Please call me before ${dice.day()}.`,
    }),
    task: ({ name, desk, subject, body }) =>
      `Write to ${name}, or to ${desk} if nobody is called so, with the subject "${subject}": "${body}"`,
    agent: async ({ name, desk, subject, body }, call) => {
      let found: { readonly person: Person } | undefined;
      await refused(call("find_person", { name }).then((answer) => (found = answer)));
      await call("send_mail", { to: found?.person.email ?? desk, subject, body });
    },
    hinder: (state, { name }) => leaves(state, name),
  }),
];

export const OFFICE_JOBS: readonly Job<OfficeState>[] = [
  ...single,
  ...loops,
  ...choices,
  ...texts,
  ...failing,
];
