export interface Entry {
  title: string;
  children?: Entry[];
}

export interface Output {
  entries: Integer;
  depth: Integer;
}

export default async function outlineCount(outline: Entry): Promise<Output> {
  const branches: Output[] = await Promise.all(
    (outline.children ?? []).map((child) => call_skill("outline-count", child)),
  );
  return {
    entries: 1 + branches.reduce((sum, branch) => sum + branch.entries, 0),
    depth: 1 + Math.max(0, ...branches.map((branch) => branch.depth)),
  };
}
