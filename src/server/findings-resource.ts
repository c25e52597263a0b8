import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import type { CatalogSnapshot } from "../catalog/catalog.ts";

/** All findings about the skills, for people and models that mend them. */
export const FINDINGS_RESOURCE = {
  uri: "repertoire://findings",
  name: "findings",
  title: "Findings about the skills",
  description:
    "What is wrong with the skills, where, and how to mend it; and which are not published for it.",
  mimeType: "application/json",
} satisfies Resource;

export function findingsContent({
  skills,
  diagnostics,
  faulty,
  leftOut,
}: CatalogSnapshot): ReadResourceResult {
  const { uri, mimeType } = FINDINGS_RESOURCE;
  const content = {
    skills: skills.size,
    faulty: [...faulty.keys()].toSorted(),
    leftOut,
    findings: diagnostics,
  };
  return { contents: [{ uri, mimeType, text: JSON.stringify(content, undefined, 2) }] };
}
