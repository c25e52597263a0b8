export interface Input {
  csv: string;
  /** What separates the fields @default , */
  delimiter?: "," | ";" | "\t" | "|";
}

export interface Output {
  columns: string[];
  records: Record<string, string>[];
}

export default function csvRecords({ csv, delimiter = "," }: Input): Output {
  const [columns = [], ...rows] = parsed(csv, delimiter);
  const records = rows.map((row, index) => {
    if (row.length !== columns.length) {
      throw new SyntaxError(`row ${index + 2} has ${row.length} fields, expected ${columns.length}`);
    }
    return Object.fromEntries(columns.map((column, at) => [column, row[at] ?? ""]));
  });
  return { columns, records };
}

function parsed(csv: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = "";
  let quoted = false;
  const endField = () => {
    row.push(field);
    field = "";
  };
  const endRow = () => {
    endField();
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  for (let at = 0; at < csv.length; at++) {
    const character = csv[at];
    if (quoted) {
      if (character !== '"') field += character;
      else if (csv[at + 1] === '"') field += csv[++at];
      else quoted = false;
    } else if (character === '"' && field === "") quoted = true;
    else if (character === delimiter) endField();
    else if (character === "\n") endRow();
    else if (character !== "\r") field += character;
  }
  if (quoted) throw new SyntaxError("a quoted field has no end");
  endRow();
  return rows;
}
