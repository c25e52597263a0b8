import type { FlowKind, ShownFlow } from "../flow.ts";

/** A flow in one line, such as ``feed.latest -> notes.write_file `content`: its text goes there``. */
export function flowLine({ source, write, argument, kind }: Omit<ShownFlow, "through">): string {
  return `${source} -> ${write}${argument === undefined ? "" : ` \`${argument}\``}: ${SAID[kind]}`;
}

const SAID: Readonly<Record<FlowKind, string>> = {
  value: "its text goes there",
  choice: "it decides what goes there",
  unfollowed: "it may go there, which was not followed",
};
