/** Code that takes one line where that is short enough, else several. */
export type Layout = string | readonly Layout[] | Enclosed | Headed | Chain;

/** Elements between brackets. */
interface Enclosed {
  readonly kind: "enclosed";
  readonly open: string;
  readonly elements: readonly Layout[];
  readonly close: string;
  /** What is between the brackets and the elements on one line. */
  readonly padding: "" | " ";
}

/** Something that ends a line, or has its body behind it. */
interface Headed {
  readonly kind: "headed";
  readonly head: string;
  readonly body: Layout;
}

/** Operands with an operator between them. */
interface Chain {
  readonly kind: "chain";
  readonly operator: string;
  readonly operands: readonly Layout[];
  readonly isInParentheses: boolean;
}

export function enclosed(
  open: string,
  elements: readonly Layout[],
  close: string,
  padding: "" | " " = "",
): Layout {
  return elements.length === 0 ? open + close : { kind: "enclosed", open, elements, close, padding };
}

export function headed(head: string, body: Layout): Layout {
  return { kind: "headed", head, body };
}

export function chain(operator: string, operands: readonly Layout[], isInParentheses = false): Layout {
  return { kind: "chain", operator, operands, isInParentheses };
}

/** A line is not longer where that can be helped. */
const WIDTH = 110;

/** The code's text, whose first line begins with the indent, the further ones with it or more. */
export function layoutText(layout: Layout, indent: string): string {
  return indent + fittedText(layout, { indent, column: indent.length, after: 0 });
}

/** On one line. */
export function singleLine(layout: Layout): string {
  if (typeof layout === "string") return layout;
  if (isSequence(layout)) return layout.map(singleLine).join("");
  switch (layout.kind) {
    case "enclosed": {
      const { open, elements, close, padding } = layout;
      return `${open}${padding}${elements.map(singleLine).join(", ")}${padding}${close}`;
    }
    case "headed":
      return `${layout.head} ${singleLine(layout.body)}`;
    case "chain": {
      const { operator, operands, isInParentheses } = layout;
      const text = operands.map(singleLine).join(` ${operator} `);
      return isInParentheses ? `(${text})` : text;
    }
  }
}

interface Spot {
  readonly indent: string;
  /** Where the text begins in its line. */
  readonly column: number;
  /** How many characters must stand behind it in its last line. */
  readonly after: number;
}

function fittedText(layout: Layout, { indent, column, after }: Spot): string {
  const text = singleLine(layout);
  if (typeof layout === "string" || column + text.length + after <= WIDTH) return text;
  if (isSequence(layout)) return sequence(layout, { indent, column, after });
  const inner = `${indent}  `;
  const onOwnLine = (each: Layout, behind: number): string =>
    `\n${inner}${fittedText(each, { indent: inner, column: inner.length, after: behind })}`;
  switch (layout.kind) {
    case "enclosed": {
      const lines = layout.elements.map((each) => `${onOwnLine(each, 1)},`);
      return `${layout.open}${lines.join("")}\n${indent}${layout.close}`;
    }
    case "headed":
      return `${layout.head}${onOwnLine(layout.body, after)}`;
    case "chain": {
      const { operands, operator, isInParentheses } = layout;
      const begin = isInParentheses ? inner : indent;
      const behind = operator.length + 1;
      const lines = operands
        .map((each) => fittedText(each, { indent: begin, column: begin.length, after: behind }))
        .join(` ${operator}\n${begin}`);
      return isInParentheses ? `(${lines})` : lines;
    }
  }
}

/** The parts that come first are broken only where the rest of the line would not fit behind them. */
function sequence(parts: readonly Layout[], { indent, column, after }: Spot): string {
  let text = "";
  parts.forEach((part, index) => {
    const line = text.slice(text.lastIndexOf("\n") + 1);
    const rest = lineBegin(parts.slice(index + 1), after);
    text += fittedText(part, {
      indent,
      column: text.includes("\n") ? line.length : column + line.length,
      after: rest,
    });
  });
  return text;
}

/** How many characters of the parts stand before the first place where a line can end. */
function lineBegin(parts: readonly Layout[], after: number): number {
  let length = 0;
  for (const part of parts) {
    if (typeof part === "string") length += part.length;
    else if (!isSequence(part) && part.kind === "enclosed") return length + part.open.length;
    else length += singleLine(part).length;
  }
  return length + after;
}

function isSequence(layout: Layout): layout is readonly Layout[] {
  return Array.isArray(layout);
}
