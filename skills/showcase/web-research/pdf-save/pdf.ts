export interface Document {
  readonly title: string;
  /** Seconds are enough: 2027-04-01T08:00:00Z. */
  readonly savedAt: string;
  readonly paragraphs: readonly string[];
}

export interface Pdf {
  /** The file; ASCII only, so that its length is its size in bytes. */
  readonly content: string;
  readonly pages: number;
}

/** The text as a PDF file, in Courier on A4 pages. */
export function pdfOf({ title, savedAt, paragraphs }: Document): Pdf {
  const lines = paragraphs.flatMap((paragraph) => [...wrapped(paragraph), ""]);
  const pages: string[][] = [];
  for (let at = 0; at < Math.max(1, lines.length); at += LINES) pages.push(lines.slice(at, at + LINES));
  const digits = savedAt.replace(/\D/g, "").slice(0, 14);
  const kids = pages.map((_, page) => `${FIRST_PAGE + 2 * page} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 595 842] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    `<< /Title <${utf16(title)}> /CreationDate (D:${digits}Z) /Producer (pdf-save) >>`,
    ...pages.flatMap((page, index) => {
      const shown = page.map((line) => `(${escaped(line)}) Tj T*`).join("\n");
      const stream = `BT /F 10 Tf 14 TL 56 786 Td\n${shown}\nET`;
      const resources = "/Resources << /Font << /F 3 0 R >> >>";
      return [
        `<< /Type /Page /Parent 2 0 R ${resources} /Contents ${FIRST_PAGE + 2 * index + 1} 0 R >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  return { content: fileOf(objects), pages: pages.length };
}

const LINES = 52;
const COLUMNS = 80;
const FIRST_PAGE = 5;

function fileOf(objects: readonly string[]): string {
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  return (
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}` +
    `trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  );
}

function wrapped(paragraph: string): string[] {
  const lines: string[] = [];
  for (const given of paragraph.split("\n")) {
    let line = "";
    for (const word of given.split(/\s+/)) {
      if (line !== "" && line.length + 1 + word.length > COLUMNS) {
        lines.push(line);
        line = "";
      }
      line = line === "" ? word : `${line} ${word}`;
      for (; line.length > COLUMNS; line = line.slice(COLUMNS)) lines.push(line.slice(0, COLUMNS));
    }
    lines.push(line);
  }
  return lines;
}

/** Characters outside Latin-1 that the Western encoding has. */
const WESTERN: Readonly<Record<string, number>> = {
  "€": 128,
  "‚": 130,
  "„": 132,
  "…": 133,
  "‘": 145,
  "’": 146,
  "“": 147,
  "”": 148,
  "•": 149,
  "–": 150,
  "—": 151,
};

function escaped(text: string): string {
  return Array.from(text, (character) => {
    const code = WESTERN[character] ?? character.codePointAt(0) ?? 63;
    if ("()\\".includes(character)) return `\\${character}`;
    if (code >= 32 && code < 127) return character;
    return (code >= 160 || WESTERN[character]) && code < 256 ? `\\${code.toString(8).padStart(3, "0")}` : "?";
  }).join("");
}

/** Hexadecimal, as texts that are no part of a page may be written. */
function utf16(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return [0xfeff, ...units].map((unit) => unit.toString(16).padStart(4, "0")).join("");
}
