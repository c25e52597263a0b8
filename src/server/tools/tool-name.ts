import { createHash } from "node:crypto";

// Narrower than the specification's rule, on purpose: some clients refuse dots, a leading digit or capitals, some
// cut what is longer than 60 characters together with the server's name, and one bad name can cost a whole session.
const MAX_CHARACTERS = 40;
const SAFE = new RegExp(`^[a-z][a-z0-9_-]{0,${MAX_CHARACTERS - 1}}$`);

/** How a name ends that was made here: no skill has such a one for its own, so none can wait for another's. */
const DIGITS = 16;
const MADE = new RegExp(`-[0-9a-f]{${DIGITS}}$`);

/** A tool name that every client accepts: the skill's own where it is one, else its nearest form and a digest. */
export function toolName(skill: string, isTaken: (name: string) => boolean): string {
  if (SAFE.test(skill) && !MADE.test(skill) && !isTaken(skill)) return skill;
  const plain = skill
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replaceAll(/^[^a-z]+|-+$/g, "")
    .slice(0, MAX_CHARACTERS - DIGITS - 1);
  const digest = createHash("sha256").update(skill).digest("hex").slice(0, DIGITS);
  return plain === "" ? `skill-${digest}` : `${plain}-${digest}`;
}
