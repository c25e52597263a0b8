/** The names to which a name leads. */
type Successors = (name: string) => readonly string[];

/** Groups of names that lead to each other (Tarjan 1972), each after those that it leads to. Chains may be long. */
export function stronglyConnectedComponents(
  names: readonly string[],
  leads: Successors,
): readonly (readonly string[])[] {
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
    visits.push({ name, next: leads(name).values() });
  };
  const lower = (name: string, to: number | undefined): void => {
    lowest.set(name, Math.min(lowest.get(name) ?? 0, to ?? 0));
  };
  for (const root of names.toSorted()) {
    if (!order.has(root)) enter(root);
    for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
      const next = visit.next.next();
      if (!next.done) {
        if (!order.has(next.value)) enter(next.value);
        else if (onStack.has(next.value)) lower(visit.name, order.get(next.value));
        continue;
      }
      visits.pop();
      const before = visits.at(-1);
      if (before) lower(before.name, lowest.get(visit.name));
      if (lowest.get(visit.name) !== order.get(visit.name)) continue;
      const component = stack.splice(stack.lastIndexOf(visit.name));
      for (const name of component) onStack.delete(name);
      components.push(component);
    }
  }
  return components;
}

interface Visit {
  readonly name: string;
  readonly next: Iterator<string>;
}

/** From the component's smallest name back to it, by the fewest steps; nothing where there is no cycle. */
export function shortestCycle(
  component: readonly string[],
  leads: Successors,
): readonly string[] | undefined {
  const members = new Set(component);
  const [start] = component.toSorted();
  if (start === undefined) return undefined;
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const name of queue) {
    for (const next of leads(name).toSorted()) {
      if (next === start) return [...chainTo(name, start, cameFrom), start];
      if (!members.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, name);
      queue.push(next);
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
