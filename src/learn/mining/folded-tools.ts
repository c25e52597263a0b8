/** A tool's call, or calls, in a sequence in which repetitions stand once. */
export interface FoldedTool {
  readonly tool: number;
  /** Its calls; the last of a repeated group has those of all further rounds too. */
  readonly from: number;
  readonly to: number;
  /** Whether a chain may begin (1) and end (2) here without cutting a repetition. */
  readonly edges: number;
}

const LONGEST_GROUP = 8;

/** A sequence of tools with each repetition of up to eight of them folded: `a b b b c d c d` is `a b+ (c d)+`. */
export function foldedTools(tools: readonly number[]): readonly FoldedTool[] {
  let folded: readonly FoldedTool[] = tools.map((tool, index) => ({
    tool,
    from: index,
    to: index + 1,
    edges: 3,
  }));
  for (let length = 1; length <= LONGEST_GROUP; length++) folded = foldedBy(length, folded);
  return folded;
}

function foldedBy(length: number, tools: readonly FoldedTool[]): readonly FoldedTool[] {
  const folded: FoldedTool[] = [];
  for (let at = 0; at < tools.length;) {
    const end = endOfRounds(tools, at, length);
    if (end < at + 2 * length) {
      folded.push(...tools.slice(at, ++at));
      continue;
    }
    for (const [nth, tool] of tools.slice(at, at + length).entries()) {
      const isLast = nth === length - 1;
      const to = isLast ? (tools[end - 1]?.to ?? tool.to) : tool.to;
      const edges = tool.edges & ((nth === 0 ? 1 : 0) | (isLast ? 2 : 0));
      folded.push({ ...tool, to, edges });
    }
    at = end;
  }
  return folded;
}

/** Where the rounds of the tools that begin here end. What has failed is no round, nor what cuts an inner repetition. */
function endOfRounds(tools: readonly FoldedTool[], at: number, length: number): number {
  let end = at + length;
  const isWhole = ((tools[at]?.edges ?? 0) & 1) !== 0 && ((tools[end - 1]?.edges ?? 0) & 2) !== 0;
  while (isWhole && isSame(tools[end], tools[end - length])) end++;
  return end - ((end - at) % length);
}

function isSame(a: FoldedTool | undefined, b: FoldedTool | undefined): boolean {
  return a !== undefined && a.tool !== -1 && a.tool === b?.tool && a.edges === b.edges;
}
