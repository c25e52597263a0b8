import { SkillWriter, type SkillWriterOptions } from "./assistant/skill-writer.ts";
import type { Config } from "./config.ts";
import { type ExtractionDependencies, openExtraction } from "./open-extraction.ts";
import type { LearningRooms } from "./rooms.ts";

/** What learns in this thread, wired to the other rooms. */
export function openLearning(
  config: Pick<Config, "data" | "drafts">,
  forExtraction: ExtractionDependencies,
  forWriter: Omit<SkillWriterOptions, "extraction">,
): LearningRooms {
  const extraction = openExtraction(config, forExtraction);
  return { extraction, writer: new SkillWriter({ ...forWriter, extraction }) };
}
