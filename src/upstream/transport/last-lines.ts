const MAX_LINES = 40;
const MAX_CHARACTERS = 1000;
const PASSED_ON_PER_SECOND = 50;

/** The last lines of an endless text, which arrives in pieces; each is also passed on, unless there are too many. */
export class LastLines {
  readonly #lines: string[] = [];
  readonly #passOn: (line: string) => void;
  #open = "";
  #second = 0;
  #inSecond = 0;
  #leftOut = 0;

  constructor(passOn: (line: string) => void) {
    this.#passOn = passOn;
  }

  get lines(): readonly string[] {
    return this.#open === "" ? [...this.#lines] : [...this.#lines, this.#open];
  }

  add(text: string): void {
    const parts = text.split("\n");
    for (const [index, part] of parts.entries()) {
      this.#open = (this.#open + printable(part.slice(0, 2 * MAX_CHARACTERS))).slice(0, MAX_CHARACTERS);
      if (index < parts.length - 1) this.end();
    }
  }

  /** What came last is a whole line. */
  end(): void {
    const line = this.#open.trimEnd();
    this.#open = "";
    if (line === "") return;
    this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    this.#tell(line);
  }

  #tell(line: string): void {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) {
      if (this.#leftOut > 0) this.#passOn(`… and ${this.#leftOut} lines that are left out`);
      this.#second = second;
      this.#inSecond = 0;
      this.#leftOut = 0;
    }
    if (this.#inSecond++ < PASSED_ON_PER_SECOND) this.#passOn(line);
    else this.#leftOut++;
  }
}

/** Without colours, and without anything that could move a terminal's cursor. */
function printable(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}
