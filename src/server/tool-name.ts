import { createHash } from "node:crypto";

// Narrower than the specification's rule, on purpose: some clients refuse dots, a leading digit or capitals, some
// cut what is longer than 60 characters together with the server's name, and one bad name can cost a whole session.
const SAFE = /^[a-z][a-z0-9_-]{0,39}$/;

/** A tool name that every client accepts: the skill's own where it is one, else its nearest form and a digest. */
export function toolName(skill: string, taken: ReadonlySet<string>): string {
  if (SAFE.test(skill) && !taken.has(skill)) return skill;
  const plain = skill
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replaceAll(/^[^a-z]+|-+$/g, "")
    .slice(0, 31);
  const digest = createHash("sha256").update(skill).digest("hex").slice(0, 8);
  return plain === "" ? `skill-${digest}` : `${plain}-${digest}`;
}
