import { addressOf, type Dice, PEOPLE } from "./dice.ts";

export interface Person {
  name: string;
  email: string;
  team: string;
}

export interface CalendarEvent {
  id: string;
  title: string;
  date: string;
  start: string;
  end: string;
  room: string;
  organizer: string;
  attendees: string[];
}

export interface Mail {
  id: string;
  folder: string;
  from: string;
  to: string;
  subject: string;
  body: string;
}

export interface OfficeState {
  people: Person[];
  rooms: { name: string; seats: number }[];
  events: CalendarEvent[];
  mails: Mail[];
}

const TEAMS = ["sales", "design", "support"] as const;
const ROOMS = ["Birch", "Maple", "Aspen", "Linden", "Rowan"] as const;
export const TITLES = [
  "Budget",
  "Roadmap",
  "Hiring",
  "Retrospective",
  "Launch",
  "Training",
  "Survey",
  "Contracts",
  "Onboarding",
  "Pricing",
] as const;

export function officeState(dice: Dice): OfficeState {
  const people = dice
    .some(PEOPLE, 10)
    .map((name, nth) => ({ name, email: addressOf(name), team: TEAMS[nth % TEAMS.length] ?? "" }));
  const rooms = dice.some(ROOMS, ROOMS.length).map((name) => ({ name, seats: dice.fresh(2, 40) }));
  const state: OfficeState = { people, rooms, events: [], mails: [] };
  for (let count = 0; count < 6; count++) addEvent(state, dice, { date: dice.day() });
  for (let count = 0; count < 3; count++) addMail(state, dice, {});
  return state;
}

/** Events of a day have other times, and are kept in no order that tells anything. */
export function addEvent(state: OfficeState, dice: Dice, known: Partial<CalendarEvent>): CalendarEvent {
  const date = known.date ?? dice.day();
  const taken = new Set(state.events.flatMap((each) => (each.date === date ? [each.start] : [])));
  const hour = dice.one([8, 9, 10, 11, 13, 14, 15, 16, 17].filter((each) => !taken.has(clock(each))));
  const [organizer, ...attendees] = dice.some(state.people, dice.between(3, 5)).map(({ email }) => email);
  const titles = new Set(state.events.flatMap((each) => (each.date === date ? [each.title] : [])));
  const event: CalendarEvent = {
    id: `E-${dice.fresh(1000, 9999)}`,
    title: dice.one(TITLES.filter((each) => !titles.has(each))),
    date,
    start: clock(hour),
    end: clock(hour + 1),
    room: dice.one(state.rooms).name,
    organizer: organizer ?? "",
    attendees,
    ...known,
  };
  state.events.splice(dice.between(0, state.events.length), 0, event);
  return event;
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

export function addMail(state: OfficeState, dice: Dice, known: Partial<Mail>): Mail {
  const subjects = new Set(state.mails.map(({ subject }) => subject));
  const mail: Mail = {
    id: `m${dice.fresh(100, 999)}`,
    folder: "inbox",
    from: dice.one(state.people).email,
    to: "office@example.org",
    subject: `${dice.one(TITLES.filter((each) => !subjects.has(`${each} question`)))} question`,
    body: `Could you look at number ${dice.fresh(1000, 9999)}?`,
    ...known,
  };
  state.mails.splice(dice.between(0, state.mails.length), 0, mail);
  return mail;
}
