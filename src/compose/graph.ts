import type { Diagnostic } from "../core/diagnostic.ts";
import { nearest } from "../core/nearest.ts";
import type { Skill, StaticCall } from "../core/skill.ts";

/** What is wrong with how skills call each other: circles, and calls of what is not there. */
export function graphFindings(
  skills: readonly Skill[],
  folderNames: ReadonlySet<string>,
): readonly Diagnostic[] {
  const graph = new Map(skills.map((skill) => [skill.name, skill]));
  return [...cycleFindings(graph), ...skills.flatMap((skill) => unknownCalls(skill, folderNames))];
}

type Graph = ReadonlyMap<string, Skill>;

function unknownCalls(skill: Skill, folderNames: ReadonlySet<string>): readonly Diagnostic[] {
  return skill.calls.skills
    .filter(({ callee }) => !folderNames.has(callee))
    .map((call) => {
      const meant = nearest(call.callee, [...folderNames]);
      return {
        code: "call-unknown",
        severity: "warning",
        path: call.path,
        line: call.line,
        column: call.column,
        message: `There is no skill ${JSON.stringify(call.callee)}`,
        fix:
          meant === undefined
            ? "Add the skill, or correct the name"
            : `Did you mean ${JSON.stringify(meant)}?`,
      };
    });
}

function cycleFindings(graph: Graph): readonly Diagnostic[] {
  const findings: Diagnostic[] = [];
  for (const component of stronglyConnected(graph)) {
    const cycle = shortestCycle(graph, component);
    const closing = cycle && callBetween(graph, cycle.at(-2), cycle.at(-1));
    if (!cycle || !closing) continue;
    findings.push({
      code: "call-cycle",
      severity: "error",
      path: closing.path,
      line: closing.line,
      column: closing.column,
      message: `Circular dependency detected: ${cycle.join(" -> ")}`,
      fix:
        cycle.length > 2
          ? "Remove one of the calls, or move what they share into a skill that both call"
          : "Remove the call, or list the skill in its own `composes` if it is meant to call itself",
    });
  }
  return findings.toSorted((a, b) => (a.message < b.message ? -1 : 1));
}

function calleesOf(graph: Graph, name: string): readonly string[] {
  const skill = graph.get(name);
  const callees = skill?.calls.skills.map(({ callee }) => callee) ?? [];
  return [...new Set(callees)].filter(
    (callee) => graph.has(callee) && !(callee === name && skill?.composes.includes(name)),
  );
}

function callBetween(
  graph: Graph,
  caller: string | undefined,
  callee: string | undefined,
): StaticCall | undefined {
  return graph.get(caller ?? "")?.calls.skills.find((call) => call.callee === callee);
}

/** From the component's smallest name back to it, by the fewest calls; nothing where there is no circle. */
function shortestCycle(graph: Graph, component: readonly string[]): readonly string[] | undefined {
  const members = new Set(component);
  const [start] = component.toSorted();
  if (start === undefined) return undefined;
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const name of queue) {
    for (const callee of calleesOf(graph, name).toSorted()) {
      if (callee === start) return [...chainTo(name, start, cameFrom), start];
      if (!members.has(callee) || cameFrom.has(callee)) continue;
      cameFrom.set(callee, name);
      queue.push(callee);
    }
  }
  return undefined;
}

function chainTo(name: string, start: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const chain = [name];
  for (let before = name; before !== start;) {
    before = cameFrom.get(before) ?? start;
    chain.unshift(before);
  }
  return chain;
}

interface Visit {
  readonly name: string;
  readonly callees: readonly string[];
  next: number;
}

/** Tarjan's algorithm, without recursion: chains of skills may be longer than the stack is deep. */
function stronglyConnected(graph: Graph): readonly (readonly string[])[] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const onStack = new Set<string>();
  const stack: string[] = [];
  const components: string[][] = [];
  const visits: Visit[] = [];
  const enter = (name: string): void => {
    order.set(name, order.size);
    lowest.set(name, order.size - 1);
    stack.push(name);
    onStack.add(name);
    visits.push({ name, callees: calleesOf(graph, name), next: 0 });
  };
  const lower = (name: string, to: number | undefined): void => {
    lowest.set(name, Math.min(lowest.get(name) ?? 0, to ?? 0));
  };
  for (const root of [...graph.keys()].toSorted()) {
    if (!order.has(root)) enter(root);
    for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
      const callee = visit.callees[visit.next];
      visit.next += 1;
      if (callee !== undefined) {
        if (!order.has(callee)) enter(callee);
        else if (onStack.has(callee)) lower(visit.name, order.get(callee));
        continue;
      }
      visits.pop();
      const caller = visits.at(-1);
      if (caller) lower(caller.name, lowest.get(visit.name));
      if (lowest.get(visit.name) === order.get(visit.name)) {
        const component = stack.splice(stack.lastIndexOf(visit.name));
        for (const name of component) onStack.delete(name);
        components.push(component);
      }
    }
  }
  return components;
}
