export interface Input {
  /** @format date */
  date: string;
  /** @minItems 1 @maxItems 8 @uniqueItems @minLength 3 */
  topics: string[];
  /** Where to save it; briefing-<date>.pdf unless told @pattern \.pdf$ @example briefings/today.pdf */
  saveTo?: string;
}

export interface Section {
  topic: string;
  text: string;
  /** @format uri */
  sources: string[];
  /** @minimum 0 @maximum 1 */
  confidence: number;
}

export interface Output {
  /** What the calendar holds for the day */
  appointments: string[];
  /** In the order of the topics */
  sections: Section[];
  /** Topics on which nothing could be found out, and why */
  missing: { topic: string; reason: string }[];
  savedTo: string;
  pages: Integer;
}

interface Missing {
  topic: string;
  reason: string;
}

interface Answer {
  answer: string;
  sources: { url: string }[];
  confidence: number;
}

export default async function dailyBriefing({ date, topics, saveTo }: Input): Promise<Output> {
  const path = saveTo ?? `briefing-${date}.pdf`;
  const [calendar, ...parts]: [{ appointments: { title: string }[] }, ...(Section | Missing)[]] =
    await Promise.all([
      call_skill("calendar-read", { from: date, to: date }),
      ...topics.map((topic) => sectionOn(topic)),
    ]);
  const appointments = calendar.appointments.map(({ title }) => title);
  const sections = parts.flatMap((part) => ("text" in part ? part : []));
  const missing = parts.flatMap((part) => ("reason" in part ? part : []));
  const { pages }: { pages: number } = await call_skill("pdf-save", {
    path,
    title: `Briefing for ${date}`,
    paragraphs: [
      appointments.length === 0 ? "No appointments." : `Appointments\n${appointments.join("\n")}`,
      ...sections.map(({ topic, text }) => `${topic}\n${text}`),
      ...missing.map(({ topic, reason }) => `${topic}\nNothing found: ${reason}`),
    ],
    sources: [...new Set(sections.flatMap(({ sources }) => sources))],
  });
  return { appointments, sections, missing, savedTo: path, pages };
}

async function sectionOn(topic: string): Promise<Section | Missing> {
  try {
    const { answer, sources, confidence }: Answer = await call_skill("research", {
      query: topic,
      focus: "news",
    });
    return { topic, text: answer, sources: sources.map(({ url }) => url), confidence };
  } catch (error) {
    return { topic, reason: error instanceof Error ? error.message : String(error) };
  }
}
