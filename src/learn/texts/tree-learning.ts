import { leavesOf, type UsedText } from "./block-learning.ts";
import { readText, type TextForm } from "./text-form.ts";
import { PATH_MARKS, type TreeNode, treeIn } from "./text-tree.ts";

/**
 * How texts are read as trees, where nothing else tells what was used of them: a path of names, or what a label says that
 * stands below several others. Undefined where nothing of the kind was used.
 */
export function treeForm(texts: readonly UsedText[], forms: readonly TextForm[]): TextForm | undefined {
  const left = texts.map((used) => {
    const told = new Set(forms.flatMap((form) => leavesOf(readText(used.text, form) ?? null)));
    return used.wanted.map(String).filter((value) => !told.has(value));
  });
  return PATH_MARKS.map((mark): TextForm => ({ kind: "tree", mark })).find((form) =>
    texts.some(({ text }, nth) => {
      const nodes = treeIn(text);
      const paths = new Set(leavesOf(readText(text, form)?.["tree"] ?? null));
      const names = new Set(nodes.flatMap(({ name, said }) => [name, said]));
      return (left[nth] ?? []).some(
        (value) =>
          (paths.has(value) && !names.has(value) && !isValue(nodes, value)) || isBelowSeveral(nodes, value),
      );
    }),
  );
}

function isValue(nodes: readonly TreeNode[], value: string): boolean {
  return nodes.some((node) => node.value === value);
}

/** Whether a value has a label that stands below several others. */
function isBelowSeveral(nodes: readonly TreeNode[], value: string): boolean {
  const [node, ...others] = nodes.filter((each) => each.value === value);
  const parents = nodes.flatMap(({ name, parent }) =>
    node && name === node.name && parent !== undefined ? [nodes[parent]?.said ?? ""] : [],
  );
  const isNamed = parents.every((parent) => /^\p{L}[^:\p{N}]*$/u.test(parent));
  return others.length === 0 && new Set(parents).size > 1 && isNamed;
}
