import { NO_ELEMENT, NOTHING_WORDS, REMARK, SHAPES, TOTAL_WORDS, TWO_ELEMENTS } from "../texts/text-form.ts";
/** What printed Python reads texts with: each does what its counterpart in `text-helpers.ts` does. */
export const PYTHON_TEXT_HELPERS: { readonly [name: string]: string } = {
  with_text: `def with_text(answer: Any, path: list[str], read: Callable[[str], dict[str, Any]]) -> Any:
    """An answer in which a text stands as what it says."""
    if path:
        if not isinstance(answer, dict):
            raise PlanError("An answer has no text, as it had when the skill was learned")
        return {**answer, path[0]: with_text(answer.get(path[0]), path[1:], read)}
    if not isinstance(answer, str):
        raise PlanError("An answer is no text, as it was when the skill was learned")
    return {"text": answer, **read(answer)}`,
  json_of: String.raw`def json_of(text: str) -> dict[str, Any]:
    """JSON in a text."""

    def refuse(word: str) -> Any:
        raise ValueError(word)

    def whole(digits: str) -> Any:
        return int(digits) if abs(int(digits)) < 2**53 else digits

    def sign_as_json(sign: re.Match[str]) -> str:
        known = {'"': '\\"', "\\'": "'"}
        return f"\\u00{sign[1]}" if sign[1] else known.get(sign[0], sign[0])

    def as_json(said: re.Match[str]) -> str:
        if said[1] is not None:
            return f'"{said[1]}"'
        if said[3] is not None:
            year, *parts = said[3].split(", ")
            month, date, *time = [number.zfill(2) for number in parts]
            clock = "T" + ":".join([*time[:3], *["00"] * (3 - len(time))]) if time else ""
            return f'"{year.zfill(4)}-{month}-{date}{clock}' + (f'.{time[3].zfill(6)}"' if len(time) > 3 else '"')
        if said[2] is None:
            return said[0] if said[0].startswith('"') else "null" if said[0] == "None" else said[0].lower()
        return '"' + re.sub(r"\\x(\w\w)|\\.|" + '"', sign_as_json, said[2]) + '"'

    try:
        python = (
            r"\"(?:[^\"\\\n]|\\.)*\"|\b(?:Decimal|UUID)\('([\w.+-]*)'\)|'((?:[^'\\\n]|\\.)*)'"
            r"|\bdatetime\.date(?:time)?\((\d+(?:, \d+){2,6})\)|\b(?:True|False|None)\b"
        )
        is_python = re.match(r"(?s)\s*[\[{].*'", text) is not None
        value = json.loads(re.sub(python, as_json, text) if is_python else text, parse_constant=refuse, parse_int=whole)
    except ValueError as cause:
        inner = re.search(r"(?s)\{.*\}|\[\s*\{.*\}\s*\]", text)
        if not inner or inner.group() == text:
            raise PlanError("A text is no JSON") from cause
        try:
            value = json.loads(inner.group(), parse_constant=refuse, parse_int=whole)
        except ValueError as other:
            raise PlanError("A text is no JSON") from other
    if not isinstance(value, (dict, list)):
        raise PlanError("A text is no JSON object or list")
    return {"json": value}`,
  fields_of: `def fields_of(text: str, mark: str, fields: list[Any]) -> dict[str, Any]:
    """What labelled lines of a text say."""
    return {"fields": labelled_in(marked_lines_in(text), mark, fields)}`,
  lines_of: `def lines_of(text: str, line: list[Any], around: Any = None, is_spaced: bool = False, is_unbroken: bool = False) -> dict[str, Any]:
    """What each line of a text says, but for some lines above and below."""
    if is_unbroken and re.search(r"\\S[^\\S\\n]*\\n[^\\S\\n]*\\n\\s*\\S", text):
        raise PlanError("A text has an empty line, as none had when the skill was learned")
    above = len(around["head"]) if around else 0
    lines = lines_in(text)
    end = len(lines) - (len(around["tail"]) if around else 0)
    if end < above:
        raise PlanError("A text has fewer lines than when the skill was learned")
    items = lines[above:end]
    if len(items) > 1 and is_total(items[-1]):
        raise PlanError("A list ends with a total, as none did when the skill was learned")
    if any(is_subtotal(each) for each in items[1:]):
        raise PlanError("A list adds up some of its lines, as none did when the skill was learned")
    records = [record_in(re.sub(" +", " ", each.strip()) if is_spaced else each, line) for each in items]
    return {"lines": records, **around_of(lines[:above], lines[end:], around, len(items))}`,
  rows_of: `def rows_of(text: str, delimiter: str, fields: list[Any], around: Any = None) -> dict[str, Any]:
    """The rows of a table in a text."""
    (head, *rows), above, below = table_in(text, delimiter)
    is_other = len(set(head)) < len(head) or any(len(row) != len(head) for row in rows)
    if is_other or any(each["label"] not in head for each in fields):
        raise PlanError("A text is not the table that is expected")
    if head[0] != "" and any(row[0] == "" for row in rows):
        raise PlanError("A row of a table may go on from the one above it")
    records = [
        {
            name: value
            for each in fields
            for name, value in said_as(
                each["label"], unquoted(row[head.index(each["label"])], each.get("quote", "")), each
            ).items()
        }
        for row in rows
    ]
    return {"rows": records, **around_of(above, below, around, len(rows))}`,
  records_of: `def records_of(text: str, mark: str, fields: list[Any], is_bare: bool = False) -> dict[str, Any]:
    """What a text says of one thing after the other, each from its first label on."""
    lines = marked_lines_in(text)
    said = [labelled(line, mark) for line in lines]
    starts = [nth for nth, each in enumerate(said) if each and each[0] == fields[0]["label"]]
    if is_bare and starts and None in said[starts[0] :]:
        raise PlanError("A text says more than its records, as none did when the skill was learned")
    first = fields[0]["label"]
    for label in [each[0] for each in said if each and each[0] != first]:
        names = re.split(r"[,;/]|\\s(?:and|und|et|og|och|[&+])\\s", re.sub(r"\\s*[(\\[].*", "", label, flags=re.S))
        if first in [name.strip() for name in names]:
            raise PlanError(f"Whether {label} is meant by {first} was not seen when the skill was learned")
    ends = [*starts[1:], len(lines)]
    return {"records": [labelled_in(lines[start:end], mark, fields) for start, end in zip(starts, ends)]}`,
  around_of: String.raw`def around_of(above: list[str], below: list[str], around: Any, count: int) -> dict[str, Any]:
    """What the lines above and below a list say, where they are those that are expected."""
    head, tail = (around["head"], around["tail"]) if around else ([], [])
    if len(above) != len(head) or len(below) != len(tail):
        raise PlanError("A text says other things around a list than when the skill was learned")
    lines = [*above, *below]
    for line, nth in (around or {}).get("counts") or []:
        numbers = re.findall(r"(?<![\w.,-])[0-9]+(?![\w,]|\.[0-9])", lines[line] if line < len(lines) else "", re.A)
        if nth >= len(numbers) or int(numbers[nth]) != count:
            raise PlanError("A text tells of another number of elements than it has: its list may be cut")
    said: dict[str, Any] = {}
    for line, template in zip(lines, [*head, *tail]):
        said.update(record_in(line, template, True))
    return {"around": said} if said else {}`,
  table_in: `def table_in(text: str, delimiter: str) -> tuple[list[list[str]], list[str], list[str]]:
    """The only table in a text, and what stands above and below it."""
    is_drawn = delimiter in ("|", "  ")
    cells, above, below = drawn_table(text, delimiter) if is_drawn else delimited_table(text, delimiter)
    last = delimiter.join(cells[-1]) if cells else ""
    if not cells:
        raise PlanError("A text is not the table that is expected")
    if len(cells) > 2 and is_total(last):
        cells, below = cells[:-1], [last, *below]
    if any(is_subtotal(delimiter.join(row)) for row in cells[2:]):
        raise PlanError("A table adds up some of its rows, as none did when the skill was learned")
    return cells, above, below`,
  drawn_table: String.raw`def drawn_table(text: str, delimiter: str) -> tuple[list[list[str]], list[str], list[str]]:
    def is_rule(line: str) -> bool:
        return re.fullmatch(r"[\s|:+-]*-[\s|:+-]*", line) is not None

    def is_row(line: str) -> bool:
        return not is_rule(line) and ("|" in line if delimiter == "|" else "  " in line.strip())

    def cells_of(line: str) -> list[str]:
        if delimiter == "  ":
            return re.split(" {2,}", line.strip())
        return [cell.strip() for cell in re.sub(r"^\||\|\Z", "", line.strip()).split("|")]

    lines = [line.rstrip() for line in text.split("\n")]
    start = next((nth for nth, line in enumerate(lines) if is_row(line)), -1)
    end = start
    while 0 <= end < len(lines) and (is_row(lines[end]) or is_rule(lines[end])):
        end += 1
    rows = [nth for nth in range(max(start, 0), end) if is_row(lines[nth])]
    rest = [line for line in lines[end:] if line]
    is_broken = any(row != before + 1 for before, row in zip(rows[1:], rows[2:]))
    if start < 0 or is_broken or any(map(is_row, rest)):
        raise PlanError("A text is not the table that is expected")
    above = [line for line in lines[:start] if line and not is_rule(line)]
    return [cells_of(lines[row]) for row in rows], above, [line for line in rest if not is_rule(line)]`,
  delimited_table: String.raw`def delimited_table(text: str, delimiter: str) -> tuple[list[list[str]], list[str], list[str]]:
    rows: list[list[str]] = []
    row: list[str] = []
    cell = re.compile(rf'(?:"((?:[^"]|"")*)"|([^"\n{delimiter}]*))({delimiter}|\n|\Z)')
    text = text.rstrip().replace("\r\n", "\n")
    place = 0
    while found := cell.match(text, place):
        quoted, said, end = found.groups()
        row.append(said.strip() if quoted is None else quoted.replace('""', '"'))
        place = found.end()
        if end == delimiter:
            continue
        rows.append(row)
        row = []
        if end == "":
            break
    last = max((nth for nth, each in enumerate(rows) if len(each) > 1), default=-1)
    if row or last < 0:
        raise PlanError("A text is not the table that is expected")
    return rows[: last + 1], [], [each[0] for each in rows[last + 1 :] if each[0]]`,
  is_total: String.raw`TOTAL = r"(?:${TOTAL_WORDS})(?![^\W\d_])"


def is_total(line: str) -> bool:
    """Whether a line adds up the others."""
    return re.match(rf'[\s|>*_#"(-]*(?:grand[ -]?|sub[ -]?)?{TOTAL}', line, re.I) is not None


def is_subtotal(line: str) -> bool:
    """Whether a line adds up some: words behind a total make a name of it."""
    form = rf"(?:(?:sub|zwischen|sous)[ -]?{TOTAL}|(?:grand[ -]?)?{TOTAL}(?! (?!for )[^\W\d_]))"
    return re.match(rf'[\s|>*_#"(-]*{form}', line, re.I) is not None`,
  labelled_in: `def labelled_in(lines: list[str], mark: str, fields: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in fields:
        said = [pair[1] for line in lines if (pair := labelled(line, mark)) and pair[0] == each["label"]]
        if not said and each.get("optional"):
            continue
        if len(said) != 1:
            raise PlanError(f"A text says {'several times' if said else 'no'} {each['label']}")
        cut = [line for line in lines if line.endswith("\\n") and (labelled(line, mark) or ("",))[0] == each["label"]]
        is_whole = each["is"] in ("number", "decimal", "figure", "amount", "date", "day")
        if cut and not is_whole and not each.get("isFollowed"):
            raise PlanError(f"A text goes on in the line below {each['label']}, as none did when the skill was learned")
        found.update(said_as(each["label"], unquoted(said[0], each.get("quote", "")), each))
    return found`,
  labelled: String.raw`def labelled(line: str, mark: str) -> tuple[str, str] | None:
    """What a line says behind a label. A line that quotes another says nothing."""
    plain_line = re.sub(r"^\s*(?:[*•-]\s+)?", "", line)
    plain_line = re.sub(r"^(\*\*|__)(.+?)\1", r"\2", plain_line) + " "
    end = plain_line.find(mark)
    if end <= 0 or plain_line.startswith(">"):
        return None
    said = plain_line[end + len(mark) :]
    return plain_line[:end].rstrip(), (said.lstrip(".") if mark == ".." else said).strip()`,
  unquoted: `def unquoted(said: str, quote: str) -> str:
    """What stands between two marks."""
    if quote == "":
        return said
    end = said.find({"<": ">", "[": "]", "(": ")"}.get(quote, quote), len(quote))
    if end <= len(quote) or not said.startswith(quote) or end != len(said) - len(quote):
        raise PlanError("A text is not written as those that the skill was learned from")
    return said[len(quote) : end]`,
  record_in: String.raw`def record_in(line: str, template: list[Any], is_around: bool = False) -> dict[str, Any]:
    """What stands in a line where it differs from others of its form."""

    def source(nth: int, lazy: str) -> str:
        piece = template[nth]
        if isinstance(piece, str):
            literal = re.sub(" {2,}", " {2,}", re.sub(r"([\\^$.*+?()\[\]{}|])", r"\\\1", piece))
            plural = "(?:ies|y|s)?"
            return re.sub(rf"(?<=[^\W\d_]{{2}}){plural}(?![^\W_])", plural, literal) if is_around else literal
        if piece["is"] in ("number", "decimal", "figure"):
            return r"(-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,12})?)"
        if piece["is"] == "remark":
            return r"${REMARK}"
        if piece["is"] == "mark":
            return f"(.{{{piece.get('width', 1)}}})"
        if piece["is"] not in ("word", "day", "time", "code"):
            return f"(.*{lazy})"
        behind = template[nth + 1][:1] if nth + 1 < len(template) and isinstance(template[nth + 1], str) else ""
        behind = re.sub(r"([\\\]^-])", r"\\\1", behind)
        return rf"([^\s{behind}]+{lazy})"

    shortest_match, longest_match = (
        re.fullmatch("".join(source(nth, lazy) for nth in range(len(template))), line) for lazy in ("?", "")
    )
    if not shortest_match or not longest_match or shortest_match.groups() != longest_match.groups():
        raise PlanError("A line does not have the form of those that the skill was learned from")
    pieces = [piece for piece in template if not isinstance(piece, str)]
    found: dict[str, Any] = {}
    for piece, said in zip(pieces, shortest_match.groups()):
        found.update(said_as(piece["name"], said, piece))
    return found`,
  said_as: String.raw`def said_as(name: str, said: str, form: dict[str, Any]) -> dict[str, Any]:
    """What a text says, by its name."""
    kind = form["is"]
    if kind in ("number", "decimal", "figure"):
        is_numeral = re.fullmatch(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,12})?", said)
        if not is_numeral or re.fullmatch(r"-?[1-9][0-9]{0,2}\.[0-9]{3}", said):
            raise PlanError(f"A text is no number: {said[:200]}")
        if kind == "figure" and text_of(shortest(float(said))) != said:
            raise PlanError(f"A number is written otherwise than when the skill was learned: {said[:200]}")
        written = f"{name}Text" if re.fullmatch(r"\w+", name, re.A) else f"{name} text"
        return {name: shortest(float(said)), **({written: said} if kind != "number" else {})}
    if kind == "remark":
        return {name: said.strip()}
    if kind == "mark":
        return {name: said if said.strip() else ""}
    if said == "" and not form.get("empty"):
        raise PlanError(f"A text says nothing of {name}")
    forms = {"name": "", "term": r"\S*\Z", "path": r"[^/\\]*[/\\]", "file": r"(?s:.*)\.[^\W\d_]\w{0,7}\Z"}
    nothing = r"${NOTHING_WORDS}"
    remark = r"\([^()]*\)|<[^<>]*>|\[[^\[\]]*\]|(?s:(?:error|exception|fail(?:ed|ure)|fehler|erreur)\s*[:(–-].*)"
    is_nothing = said != "/" and re.fullmatch(rf"[\W_]*(?:{nothing})?[\W_]*|{remark}", said, re.I) is not None
    if said != "" and is_nothing and not form.get("empty"):
        raise PlanError(f"A text says that there is nothing for {name}: {said[:200]}")
    is_remark = is_nothing or re.search(r"^[\s(\[{<…]|^\.{3}|[.!?:;,…。！)\]}>]\Z|(?<!\S)[0-9]+(?!\S)", said)
    if kind in forms and said != "" and (is_remark or not re.match(forms[kind], said)):
        raise PlanError("A line is not one of a list as those that the skill was learned from")
    shapes = {"day": r"${SHAPES.day.source}", "time": r"${SHAPES.time.source}", "code": r"${SHAPES.code.source}"}
    if kind in shapes and said != "" and not re.fullmatch(shapes[kind], said):
        raise PlanError(f"A text is no {kind} as those that the skill was learned from: {said[:200]}")
    if "list" not in form:
        return {name: said}
    mark, last = form["list"], form.get("last", "")
    end = said.rfind(last) if last else -1
    cut = said.split(mark) if end < 0 else [*said[:end].split(mark), said[end + len(last) :]]
    elements = [] if said == "" or is_nothing else [each.strip() for each in cut]
    joined = [each for each in elements if re.search(r"${TWO_ELEMENTS.source}", each, re.I)]
    is_last = len(joined) == 1 and joined[0] == elements[-1]
    is_otherwise = (len(joined) > 0 or (len(cut) > 1 if end < 0 else len(cut) == 2)) if last else is_last
    no_element = r'${NO_ELEMENT.source.replaceAll("$", String.raw`\Z`)}'
    is_cut = mark.startswith(",") and any("," in each for each in elements)
    if is_otherwise or is_cut or any(each == "" or re.search(no_element, each, re.I) for each in elements):
        raise PlanError(f"A list in a text is written otherwise than those that the skill was learned from: {said[:200]}")
    return {name: said, f"{name}List" if re.fullmatch(r"\w+", name, re.A) else f"{name} list": elements}`,
  marked_lines_in: String.raw`def marked_lines_in(text: str) -> list[str]:
    """Lines that are not empty; one that seems to go on in the next ends with a line break."""
    label = r"\s*(?:[*•-]\s+)?[^\W\d_][\w;.-]*(?: [\w.-]+){0,3}\s*[:=](?!//)"

    def goes_on(line: str, after: str) -> bool:
        begin = after.lstrip()[:1]
        is_plain = begin.islower() and re.match(label, line) and not re.match(label, after) and line[-1] not in ".!?:"
        is_deeper = len(after) - len(after.lstrip()) > len(line) - len(line.lstrip())
        return after != "" and bool(is_deeper or line.endswith(" \\") or is_plain)

    lines = [line.rstrip() for line in text.split("\n")]
    pairs = zip(lines, [*lines[1:], ""])
    return [f"{line}\n" if goes_on(line, after) else line for line, after in pairs if line != ""]`,
  lines_in: `def lines_in(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\\n") if line.rstrip() != ""]`,
};
