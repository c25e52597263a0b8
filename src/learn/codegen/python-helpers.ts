import { NEAR_DAY, WRITTEN_DAY } from "../plan/quantities.ts";
import { PIECE_FORMS } from "../texts/text-piece.ts";
import { KIND_FORMS, NAME_PARTICLES, SEPARATOR } from "../expectations/value-kind.ts";
import { BETWEEN, NO_WORDS } from "../expectations/near-texts.ts";

/**
 * What printed Python may use of its own, each as it is written into the module that needs it. Each does what its
 * counterpart in `helpers.ts` does.
 */
export const PYTHON_HELPERS: { readonly [name: string]: string } = {
  PlanError: `class PlanError(Exception):
    """The skill cannot go on: nobody has seen what to do then."""`,
  ChoiceNeeded: `class ChoiceNeeded(PlanError):
    """The caller has to choose one of the options, and to run the skill again with it."""

    def __init__(self, parameter: str, options: list[Any]) -> None:
        super().__init__(f"{parameter} is to be chosen: there are {len(options)}")
        self.parameter = parameter
        self.options = options`,
  MISSING: `MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING", "__bool__": lambda self: False})()
"""Nothing, rather than null: what the caller leaves out, or what an answer does not have."""`,
  field: `def field(value: Any, *path: str) -> Any:
    """What stands at a path; an error where something on the way to it is missing."""
    for key in path:
        if value is None or value is MISSING:
            raise PlanError(f"There is nothing that could have {key!r}")
        value = value.get(key, MISSING) if isinstance(value, dict) else MISSING
    return value`,
  at: `def at(value: Any, *path: str) -> Any:
    """What stands at a path, if anything does."""
    for key in path:
        value = value.get(key, MISSING) if isinstance(value, dict) else MISSING
    return value`,
  plain: `def plain(value: Any) -> Any:
    """A value that leaves the skill, without what is not there: that has no place in a list."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if each is not MISSING}
    if isinstance(value, list):
        if any(each is MISSING for each in value):
            raise PlanError("An element of a list is missing")
        return [plain(each) for each in value]
    return value`,
  first_given: `def first_given(value: Any, otherwise: Callable[[], Any]) -> Any:
    """What is there, or something else."""
    return otherwise() if value is None or value is MISSING else value`,
  must_have: `def must_have(value: Any, what: str) -> Any:
    """What an answer tells: where it tells nothing, nothing is called without it."""
    if value is None or value is MISSING or value == "":
        raise PlanError(f"An answer has no {what}, as every one had when the skill was learned")
    return value`,
  must_have_some: `def must_have_some(found: list, what: str) -> list:
    """What is chosen of a list: where nothing is, nothing is called with it."""
    if not found:
        raise PlanError(f"Nothing in {what} is what it has to be, as something was when the skill was learned")
    return found`,
  of_kind: String.raw`def of_kind(value: Any, kind: str, what: str) -> Any:
    """What an answer tells, if it is of the kind that it was when the skill was learned; otherwise it is an error."""
    must_have(value, what)
    if is_number(value):
        is_it = (kind.startswith("num") or kind == "cell") and (not float(value).is_integer() or abs(value) < 2**53)
    elif not isinstance(value, str) or kind == "number":
        is_it = False
    elif kind in ("person", "name", "single"):
        words = value.split(" ") if kind == "person" else re.sub(r"^(?:(?:${NAME_PARTICLES}) )*", "", value).split(" ")
        is_capital = [word[:1].isalpha() and not word[0].islower() for word in words]
        if kind == "single" and re.search(r"/|${SEPARATOR}", value):
            is_it = False
        elif kind != "person":
            is_it = (is_capital[0] or re.match("[0-9]", words[0]) is not None) and not re.search(r"~~\S|[→?]", value)
        else:
            is_word = [
                capital and all(sign.isalpha() or unicodedata.category(sign)[0] == "M" or sign in "'’.-" for sign in word)
                for word, capital in zip(words, is_capital)
            ]
            is_one = len(value) > 1 and all(unicodedata.category(sign) == "Lo" for sign in value)
            others = [word for word, known in zip(words, is_word) if not known]
            is_it = is_one or (len(words) > 1 and is_word[-1] and all(re.fullmatch("${NAME_PARTICLES}", word) for word in others))
    else:
        forms = {
            "numeral": r"${KIND_FORMS.numeral}",
            "version": r"${KIND_FORMS.version}",
            "numbered": r"${KIND_FORMS.numbered}",
            "code": r"${KIND_FORMS.code.replaceAll(String.raw`[\p{L}\p{N}]`, String.raw`[^\W_]`)}",
            "text": r"${KIND_FORMS.text}",
            "item": r"${KIND_FORMS.item}",
            "lines": r"${KIND_FORMS.lines}",
            "dashes": r"${KIND_FORMS.dashes}",
            "boxes": r"${KIND_FORMS.boxes}",
            "rows": r'${KIND_FORMS.rows}',
            "cell": r'${KIND_FORMS.cell}',
            "file": r"${KIND_FORMS.file}",
            "subject": r"${KIND_FORMS.subject}",
            "page": r"${KIND_FORMS.page}",
        }
        is_it = re.fullmatch(forms[kind], value) is not None
    if not is_it:
        raise PlanError(f"An answer has as {what} something of another kind than when the skill was learned: {value}")
    return value`,
  NO_WORDS: `# What people write where there is nothing.
NO_WORDS = ${JSON.stringify(NO_WORDS)}`,
  clear: `def clear(value: Any, wanted: Any) -> Any:
    """What is compared with a text: one that is nearly the same may be meant, too, and is an error."""
    def words_of(text: str) -> str:
        return f" {' '.join(''.join(sign if sign.isalnum() else ' ' for sign in text.lower()).split())} "
    is_text = isinstance(value, str) and isinstance(wanted, str) and value != wanted
    words = words_of(wanted) if is_text else ""
    is_near = len(words) > 4 and not re.search("[0-9]", wanted) and words in words_of(value)
    def is_nothing(text: str) -> bool:
        places = [at for at, sign in enumerate(text) if sign.isalnum()]
        return not places or re.fullmatch(NO_WORDS, text[places[0] : places[-1] + 1], re.IGNORECASE) is not None
    if isinstance(wanted, str) and re.fullmatch("[-–—?]*", wanted) and value != wanted:
        is_near = value is MISSING or value is None or (isinstance(value, str) and is_nothing(value))
    if is_near or (isinstance(wanted, bool) and not isinstance(value, bool)):
        raise PlanError(f"Whether {value!r} is meant by {wanted!r} was not seen when the skill was learned")
    return value`,
  is_in: `def is_in(value: Any, items: Any) -> bool:
    """Whether a value is one of a list; one that is written otherwise there may be meant, too, and is an error."""
    def words_of(each: Any) -> str:
        text = text_of(each) if isinstance(each, bool) or is_number(each) else each
        if not isinstance(text, str):
            return ""
        return " ".join("".join(sign if sign.isalnum() else " " for sign in text.lower()).split())
    if not isinstance(items, list) or value is MISSING or value is None or value == "":
        raise PlanError("There is nothing that could be one of a list")
    if any(is_same(each, value) for each in items):
        return True
    def names_of(text: str) -> tuple[str, str]:
        parts = text.split(" ")
        whole = " ".join(sorted(parts))
        return whole, " ".join(sorted([parts[0], parts[-1]])) if len(parts) > 2 else whole
    def is_one(one: str, other: str) -> bool:
        if one == other or re.search("[0-9]", one + other):
            return one == other
        (own, ends), (others, other_ends) = names_of(one), names_of(other)
        return others in (own, ends) or own == other_ends or are_short(one.split(" "), other.split(" "))
    def are_short(own: list[str], others: list[str]) -> bool:
        def is_like(word: str, other: str) -> bool:
            short, long = sorted((word, other), key=len)
            return word == other or (len(short) == 1 and long.startswith(short))
        pairs = list(zip(own, others))
        has_same = any(len(word) > 1 and word == other for word, other in pairs)
        return len(own) == len(others) and has_same and all(is_like(word, other) for word, other in pairs)
    # One may stand among others, or with a remark.
    def has_among(text: Any, other: str) -> bool:
        return any(words_of(part) == other for part in re.split(r"${BETWEEN}", str(text)))
    words = words_of(value)
    def is_near(each: Any, own: str) -> bool:
        return own != "" and (is_one(own, words) or has_among(each, words) or has_among(value, own))
    if words != "" and any(is_near(each, words_of(each)) for each in items):
        raise PlanError(f"{value!r} is written otherwise in a list, as it was not when the skill was learned")
    return False`,
  slug_of: `def slug_of(text: Any, separator: str, is_lower: bool) -> str:
    """A short text as names have it; one of more than words can be written in many ways, and is an error."""
    is_plain = isinstance(text, str) and re.fullmatch("[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*", text) is not None
    if not is_plain or (separator != "-" and "-" in text):
        raise PlanError(f"A text of which a name is made has more than words: {text!r}"[:300])
    joined = text.replace(" ", separator)
    return joined.lower() if is_lower else joined`,
  clear_part: `def clear_part(value: Any, wanted: Any, before: Any = None, after: Any = None, element: Any = None) -> Any:
    """What has words as texts had them when the skill was learned, or not at all: anything between may be meant, too, and is an error."""
    def runs_of(text: str) -> str:
        spaced = re.sub("([0-9]+)", r" \\1 ", text.lower())
        return f" {' '.join(''.join(sign if sign.isalnum() else ' ' for sign in spaced).split())} "
    def texts_of(each: Any) -> list[str]:
        if isinstance(each, (dict, list)):
            return [text for one in (each.values() if isinstance(each, dict) else each) for text in texts_of(one)]
        return [each] if isinstance(each, str) else []
    def is_seen(text: str, place: str, seen: Any) -> bool:
        found = re.search(place, text)
        if not found or (re.search(r"\\s", found[1]) and found[1].strip() != ""):
            return True
        return (" " if re.search(r"\\s", found[1]) else found[1]) in seen if seen is not None else found[1] != ""
    if not isinstance(wanted, str) or len(wanted) < 3:
        return value
    pieces = value.split(wanted) if isinstance(value, str) else []
    has_words = any(
        is_seen(wanted.join(pieces[:at]), r"[^\\W_]([\\W_]*)\\Z", before)
        and is_seen(wanted.join(pieces[at:]), r"\\A([\\W_]*)[^\\W_]", after)
        for at in range(1, len(pieces))
    )
    letters = re.sub(r"^ (?![0-9])|(?<![0-9]) $", "", runs_of(wanted))
    near = next((text for text in texts_of(value if element is None else element) if letters in runs_of(text)), None)
    if not has_words and letters != "" and near is not None:
        raise PlanError(f"Whether {near!r} is meant by {wanted!r} was not seen when the skill was learned")
    return value`,
  is_number: `def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)`,
  is_same: `def is_same(a: Any, b: Any) -> bool:
    """Whether two values are equal, whatever the order of their keys: 1 is 1.0, and not true."""
    if isinstance(a, dict) and isinstance(b, dict):
        a, b = ({key: each for key, each in of.items() if each is not MISSING} for of in (a, b))
        return a.keys() == b.keys() and all(is_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    return a == b if is_number(a) and is_number(b) else type(a) is type(b) and a == b`,
  list_of: `def list_of(value: Any) -> list[Any]:
    """A list: what is none is an error."""
    if not isinstance(value, list):
        raise PlanError("What is to be a list is none")
    return value`,
  keys_of: `def keys_of(value: Any) -> list[str]:
    """The keys of a map, first those that are numbers in their order; an empty list is an empty map."""
    if value == [] or not isinstance(value, dict):
        if value != []:
            raise PlanError("What is to be a map is none")
        return []
    numbers = [key for key in value if re.fullmatch("0|[1-9][0-9]{0,9}", key) and int(key) < 2**32 - 1]
    present = [key for key in value if key not in numbers]
    return sorted(numbers, key=int) + present`,
  values_of: `def values_of(value: Any) -> list[Any]:
    """A map's values as a list."""
    return [value[key] for key in keys_of(value)]`,
  entries_of: `def entries_of(value: Any) -> list[Any]:
    """A map as a list of its keys and values."""
    return [{"key": key, "value": value[key]} for key in keys_of(value)]`,
  pairs_of: `def pairs_of(left: Any, right: Any) -> list[Any]:
    """Two lists side by side: each has as many elements as the other."""
    if len(list_of(left)) != len(list_of(right)):
        raise PlanError(f"A list has {len(left)} elements, and the one beside it {len(right)}")
    return [{"left": one, "right": other} for one, other in zip(left, right)]`,
  parts_in: `def parts_in(value: Any) -> list[Any]:
    """The elements of a list, or the values of a map; nothing else has any."""
    return value if isinstance(value, list) else values_of(value) if isinstance(value, dict) else []`,
  wanted_of: `def wanted_of(items: Any, what: str, wanted: dict[str, Any] | None) -> str:
    """Of how many is looked for what, in an error, and what to do then."""
    said = {name: value for name, value in (wanted or {}).items() if value is not MISSING}
    told = [f"{name} {json.dumps(value, ensure_ascii=False)}"[:200] for name, value in said.items()]
    has = "has " + " and ".join(told) if told else "is what the input asks for"
    count = len(items) if isinstance(items, list) else 0
    return f"{count} in {what} {has}; mend the arguments and call again"`,
  the_one: `def the_one(
    items: Any, what: str, fits: Callable[[Any], bool], wanted: dict[str, Any] | None = None
) -> Any:
    """The element that fits: none, or several different ones, is an error."""
    found = [each for each in items if fits(each)] if isinstance(items, list) else []
    if not found or found[0] is MISSING:
        raise PlanError(f"None of the {wanted_of(items, what, wanted)}")
    if not all(is_same(each, found[0]) for each in found):
        raise PlanError(f"More than one of the {wanted_of(items, what, wanted)}")
    return found[0]`,
  the_only: `def the_only(items: Any, what: str) -> Any:
    """The value that the list is of: more than one is a question that the skill cannot answer."""
    if not isinstance(items, list) or not items or items[0] is MISSING:
        raise PlanError(f"There is nothing in {what}")
    if not all(is_same(each, items[0]) for each in items):
        raise PlanError(f"There are several in {what}")
    return items[0]`,
  the_extreme: `def the_extreme(items: Any, what: str, quantity: Callable[[Any], Any], most: bool) -> Any:
    """The element with the least or the most: none, or several different ones, is an error."""
    values = [quantity(each) for each in list_of(items)]
    if not values:
        raise PlanError(f"There is nothing in {what}")
    best = values[0]
    for value in values:
        best = value if compares(value, ">" if most else "<", best) else best
    return the_one([each for each, value in zip(items, values) if value == best], what, lambda each: True)`,
  groups_of: `def groups_of(items: Any, what: str, name_of: Callable[[Any], Any]) -> list[Any]:
    """The elements that say the same: what says nothing, or is written in two ways, is an error."""
    groups: list[Any] = []
    for element in list_of(items):
        name = name_of(element)
        if not (isinstance(name, str) or is_number(name)) or name == "":
            raise PlanError(f"An answer has no {what}, as every one had when the skill was learned")
        if is_in(name, [group["name"] for group in groups]):
            next(group for group in groups if is_same(group["name"], name))["elements"].append(element)
        else:
            groups.append({"name": name, "elements": [element]})
    return groups`,
  sorted_by: `def sorted_by(items: Any, quantity: Callable[[Any], Any], is_falling: bool, is_strict: bool = False) -> list[Any]:
    """The elements in the order of numbers, or of texts of which nobody would put the later one first."""
    items = list_of(items)
    owns = [quantity(each) for each in items]
    is_of_texts = all(isinstance(own, str) for own in owns)
    if not is_of_texts and not all(is_number(own) for own in owns):
        raise PlanError("What is to be sorted is neither numbers nor texts")
    keys = [re.sub("[A-Z]", lambda sign: sign[0].lower(), own) if is_of_texts else own for own in owns]
    order = sorted(range(len(items)), key=lambda nth: keys[nth], reverse=is_falling)
    for one, other in zip(order, order[1:]):
        is_tie = is_strict and keys[one] == keys[other]
        if is_tie or (is_of_texts and not is_clear_order(owns[one], owns[other])):
            raise PlanError(f"It is not clear which comes first: {owns[one]} or {owns[other]}")
    return [items[nth] for nth in order]`,
  is_clear_order: `def is_clear_order(a: str, b: str) -> bool:
    """Whether all would put the same of two texts first: by letters of the same case, signs apart, and numbers as long."""
    at = next((nth for nth, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    x, y = a[at : at + 1], b[at : at + 1]
    if x == "" or y == "":
        return True
    before = re.search(r"[0-9]*\\Z", a[:at])[0]
    own, other = (before + re.match(r"[0-9]*", text[at:])[0] for text in (a, b))
    is_number = before != "" or re.fullmatch(r"[0-9]{2}", x + y) is not None
    if is_number and len(own) != len(other):
        return False
    return re.fullmatch(r"[ 0-9A-Za-z]{2}", x + y) is not None and x.lower() != y.lower()`,
  compares: `def compares(a: Any, operator: str, b: Any) -> bool:
    """Whether two numbers, or two dates written alike, stand in this order; or a text begins or ends with another, or has its words."""
    if operator == "contains":
        words = text_of(b) if is_number(b) else b
        has_words = isinstance(a, str) and isinstance(words, str) and words != ""
        return has_words and bool(re.search(r"(?<![^\\W_])" + re.escape(words) + r"(?![^\\W_])", a))
    if operator == "startsWith":
        return isinstance(a, str) and isinstance(b, str) and a.startswith(b)
    if operator == "endsWith":
        return isinstance(a, str) and isinstance(b, str) and a.endswith(b)
    if is_number(b) and isinstance(a, str) and re.fullmatch("-?[0-9]{1,15}([.][0-9]{1,12})?", a):
        a = float(a) if "." in a else int(a)
    if not (is_number(a) and is_number(b)) and form_of(a) != form_of(b):
        raise PlanError("Two values cannot be compared")
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]`,
  day_compares: `def day_compares(text: Any, operator: str, limit: Any) -> bool:
    """Whether the one day in a text stands in this order to another. A text without a day does not."""
    written = (
        "${WRITTEN_DAY[0]}"
        "${WRITTEN_DAY[1]}"
    )
    near = (
        "${NEAR_DAY[0]}"
        "${NEAR_DAY[1]}"
    )
    days = set(re.findall(written, text)) if isinstance(text, str) else set()
    if not isinstance(text, str) or len(days) > 1 or (not days and re.search(near, text, re.IGNORECASE)):
        raise PlanError("In a text that has to tell a day, it is written otherwise, or there are several")
    if not isinstance(limit, str) or not re.fullmatch(written, limit):
        raise PlanError("What has to be a day is none")
    return any(
        {"<": day < limit, "<=": day <= limit, ">": day > limit, ">=": day >= limit}[operator] for day in days
    )`,
  form_of: `def form_of(value: Any) -> str:
    """A date or time with its digits as zeros."""
    if not isinstance(value, str) or not re.match("[0-9]{4}-[0-9]{2}|[0-9]{2}:[0-9]{2}", value):
        raise PlanError("Two values cannot be compared")
    return re.sub("[0-9]", "0", value)`,
  taken_of: `def taken_of(items: Any, count: int, is_last: bool, quantity: Callable | None = None) -> list[Any]:
    """So many elements from one end on; fewer are an error, and so is a next one that says the same."""
    items = list_of(items)
    if len(items) < count:
        raise PlanError(f"There are only {len(items)} of {count} elements")
    at = len(items) - count if is_last else count
    if quantity and len(items) > count and is_same(quantity(items[at - 1]), quantity(items[at])):
        raise PlanError(f"It is not clear which are the {count}: {quantity(items[at])}"[:300])
    return items[at:] if is_last else items[:at]`,
  numbered_of: `def numbered_of(items: Any) -> list[Any]:
    """The elements with their numbers, from 1."""
    return [{"number": nth + 1, "element": each} for nth, each in enumerate(list_of(items))]`,
  cased_text: `def cased_text(text: Any, is_upper: bool) -> str:
    """A text in capital or small letters, if each has one other form alone."""
    others = "\\xaa\\xb5\\xba\\xdf"
    def is_clear(sign: str) -> bool:
        is_latin = "\\xa0" <= sign <= "\\xfe" and sign not in others
        return sign <= "\\x7f" or is_latin or "\\u2010" <= sign <= "\\u203a"
    if not isinstance(text, str) or not all(is_clear(sign) for sign in text):
        raise PlanError(f"A text has letters without one other form: {text!r}"[:300])
    return text.upper() if is_upper else text.lower()`,
  the_nth: `def the_nth(items: Any, position: int) -> Any:
    """The element at a position; negative ones count from the end."""
    if not isinstance(items, list) or not -len(items) <= position < len(items) or items[position] is MISSING:
        raise PlanError("There are fewer elements than the input speaks of")
    return items[position]`,
  number_of: `def number_of(value: Any) -> int | float:
    """A number, or one that is written as people write it."""
    space = "[\\\\t\\\\n\\\\v\\\\f\\\\r \\\\xa0\\\\u1680\\\\u2000-\\\\u200a\\\\u2028\\\\u2029\\\\u202f\\\\u205f\\\\u3000\\\\ufeff]*"
    if is_number(value):
        return value
    said = re.fullmatch(f"{space}(-?[0-9]+(?:\\\\.[0-9]+)?){space}", value) if isinstance(value, str) else None
    if not said:
        raise PlanError("What is to be a number is none")
    return shortest(float(said[1]))`,
  shortest: `def shortest(number: float) -> int | float:
    """The number, without decimals where it has none."""
    return int(number) if number.is_integer() and abs(number) < 2**53 else number`,
  calculated: `def calculated(left: Any, operator: str, right: Any) -> int | float:
    """What two numbers give, with no more decimals than it has."""
    if not is_number(left) or not is_number(right):
        raise PlanError("What is to be calculated with is not a number")
    a, b = (math.inf if "e" in each else len(each.partition(".")[2]) for each in map(text_of, (left, right)))
    decimals = a + b if operator == "*" else max(a, b)
    left, right = float(left), float(right)
    if operator == "/" and right == 0:
        raise PlanError("What is to be calculated is no number")
    value = left + right if operator == "+" else left - right if operator == "-" else left * right if operator == "*" else left / right
    if not math.isfinite(value):
        raise PlanError("What is to be calculated is no number")
    return shortest(value if operator == "/" or decimals > 12 else float(f"{value:.{decimals}f}"))`,
  sum_of: `def sum_of(items: Any) -> int | float:
    """What numbers add up to, with as many decimals as they have."""
    total: int | float = 0
    for each in list_of(items):
        total = calculated(total, "+", each)
    return total`,
  truth_of: `def truth_of(value: Any, what: str) -> bool:
    """Whether a value is true: zero is not, and lists and objects are."""
    return isinstance(must_have(value, what), (list, dict)) or bool(value)`,
  text_of: `def text_of(value: Any) -> str:
    """A text, a number or a truth value as a text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if not is_number(value):
        raise PlanError("A part of the text is missing")
    number = float(value)
    if number == 0 or 1e-6 <= abs(number) < 1e21:
        written = format(decimal.Decimal(repr(number)), "f")
        return re.sub(r"\\.0+$", "", written).removeprefix("-" if number == 0 else "+")
    return re.sub(r"(?:\\.0)?e([+-])0*", r"e\\1", repr(number))`,
  text_with: `def text_with(part: Any, beside: str) -> str:
    """A part of a text: one that is missing, or that would end what stands around it, is an error."""
    text = text_of(part)
    if text == "":
        raise PlanError("A part of the text is missing")
    ends = r"(^|[\\\\/])\\.\\.([\\\\/]|\\Z)" if beside == "/" else r"[\\s\\ufeff;'\\"\`()]" if beside == "=" else f"[{re.escape(beside)}\\\\\\\\]"
    if beside != "" and re.search(ends, text):
        raise PlanError(f"A part of the text would change what it stands in: {text}")
    return text`,
  joined: `def joined(items: Any, separator: str) -> str:
    """The texts of a list, one after the other: one that is missing is an error."""
    return separator.join([text_of(each) for each in list_of(items)])`,
  replaced_in: `def replaced_in(text: Any, part: str, by: str) -> str:
    """A text with another at the one place where a part of it stands as a whole."""
    if not isinstance(text, str):
        raise PlanError("What is to be a text is none")
    begin = r"(?<!\\w)" + (r"(?<![0-9][.-])" if part[:1].isdigit() else "") if part[:1].isalnum() else ""
    end = r"(?!\\w)" + (r"(?![.-][0-9])" if part[-1:].isdigit() else "") if part[-1:].isalnum() else ""
    places = list(re.finditer(begin + re.escape(part) + end, text))
    if len(places) != 1:
        raise PlanError("A part of a text stands there at none or several places")
    return text[: places[0].start()] + by + text[places[0].end() :]`,
  rounded_text: `def rounded_text(value: Any, decimals: int) -> str:
    """A number with so many decimals: half way between two of these it would be a guess."""
    if not is_number(value) or not abs(value) * 10**decimals < 1e12:
        raise PlanError("What is to be rounded is no number")
    scaled = abs(value) * 10**decimals
    whole = math.floor(scaled)
    if abs(scaled - whole - 0.5) < 1e-6:
        raise PlanError(f"It is not clear how a number is rounded: {value}")
    digits = str(whole + 1 if scaled - whole > 0.5 else whole).rjust(decimals + 1, "0")
    end = len(digits) - decimals
    sign = "-" if value < 0 and int(digits) > 0 else ""
    return sign + digits[:end] + ("" if decimals == 0 else f".{digits[end:]}")`,
  excerpt_of: `def excerpt_of(text: Any, part: str, is_line: bool) -> str:
    """A part of a text that stands there once, and not inside of a longer word; or all of a line but for space before."""
    replaced_in(text, part, part)
    if text.count(part) != 1:
        raise PlanError("A part of a text stands there in a longer word, too")
    before, _, after = text.partition(part)
    begin = r"(?:^|\\n)\\Z" if part.endswith("\\n") else r"(?:^|\\n)[ \\t]*\\Z"
    is_begin = part.startswith("\\n") or re.search(begin, before) is not None
    is_end = part.endswith("\\n") or re.match(r"\\r?(?:\\n|\\Z)", after) is not None
    if is_line and not (is_begin and is_end):
        raise PlanError(f"A part of a text is no line of its own, as it was when the skill was learned: {part}")
    return part`,
  replaced_all: `def replaced_all(text: Any, part: str, by: str) -> str:
    """A text with another at all places where a part of it stands: in a longer word it would be a guess."""
    if not isinstance(text, str):
        raise PlanError("What is to be a text is none")
    begin = r"(?<!\\w)" + (r"(?<![0-9][.-])" if part[:1].isdigit() else "") if part[:1].isalnum() else ""
    end = r"(?!\\w)" + (r"(?![.-][0-9])" if part[-1:].isdigit() else "") if part[-1:].isalnum() else ""
    places = re.findall(begin + re.escape(part) + end, text)
    if part == "" or len(places) == 0 or text.count(part) > len(places):
        raise PlanError("A part of a text stands there at no place, or in a longer word")
    return text.replace(part, by)`,
  piece_of: String.raw`def piece_of(text: Any, after: str, before: str, kind: str) -> str:
    """What stands in a text between two marks that it has once each, if it is of the kind that it was when the skill was learned."""
    if not isinstance(text, str):
        raise PlanError("What is to be a text is none")
    ends = text.split(before) if before else [text, ""]
    is_ending = len(ends) > 1 and re.fullmatch("[A-Za-z][A-Za-z0-9]{0,4}", ends[-1]) is not None
    is_end = is_ending if before == "." else len(ends) == 2
    rest = before.join(ends[:-1])
    begins = rest.split(after) if after else ["", rest]
    is_begin = len(begins) > 1 if after == "/" else len(begins) == 2
    if not is_end or not is_begin or (after and len(text.split(after)) != len(begins)):
        raise PlanError("A text does not have the form that it had when the skill was learned")
    forms = {
${Object.entries(PIECE_FORMS)
  .map(
    ([kind, form]) =>
      `        "${kind}": r'''${form.replaceAll(String.raw`[\p{L}\p{N}]`, String.raw`[^\W_]`)}''',`,
  )
  .join("\n")}
    }
    if not re.fullmatch(forms[kind], begins[-1]):
        raise PlanError("A part of a text is of another kind than when the skill was learned")
    return begins[-1]`,
  part_of: `def part_of(text: Any, after: str, before: str) -> str:
    """What stands in a text between two marks: one of several things of the same form would be a guess."""
    if not isinstance(text, str):
        raise PlanError("What is to be a text is none")
    start = text.find(after) + len(after)
    end = text.find(before, start) if before else len(text)
    if start < len(after) or end < start:
        raise PlanError("A text does not have the expected form")
    is_in_word = re.match(r"[^\\W_]", after) and re.search(r"[\\w-]\\Z", text[: start - len(after)])
    if is_in_word or (after and text.find(after, start - len(after) + 1) >= 0):
        raise PlanError("A text has several parts of the form that is looked for")
    part = text[start:end]
    if "\\n" in part:
        raise PlanError("A part of a text goes on in the next line")
    if not re.search(r"[^\\W_]", part):
        return part
    words = re.findall(r"[^\\W_]+", part)
    form = r"([^\\W_]+)".join(re.escape(each) for each in re.split(r"[^\\W_]+", part))
    alike = re.compile(rf"(?<![^\\W_]){form}(?![^\\W_])")
    label_of = lambda place: re.search(
        r"([\\w-]+)[\\"']?\\s?[:=]\\s?[\\"']?\\Z", text[max(0, place - 60) : place]
    )
    own = label_of(start)
    place = 0
    while other := alike.search(text, place):
        has_numbers = "@" in part or all(
            has_number(said) or not has_number(word) for said, word in zip(other.groups(), words)
        )
        place = other.end() if has_numbers else other.start() + 1
        label = label_of(other.start())
        is_labelled = own and label and label[1] != own[1]
        if has_numbers and other[0] != part and not is_labelled:
            raise PlanError("A text has several parts of the form that is looked for")
    return part`,
  has_number: `def has_number(word: str) -> bool:
    return any(unicodedata.category(sign)[0] == "N" for sign in word)`,
  date_of: `def date_of(text: Any, days: int, form: str) -> str:
    """A date, moved by days, in a format."""
    time = r"[T ]([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?![0-9:]|\\s*[AaPp]\\.?[Mm])"
    pattern = f"(?!00)([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})(?:{time})?"
    parts = re.match(pattern, text) if isinstance(text, str) else None
    # Midnight is that of a day alone.
    is_timed = "hh" in form and (parts is None or len(text) > 10 or "YYYY" not in form)
    if not parts or (parts[4] is None and is_timed):
        raise PlanError("A date does not have the expected form")
    year, month, day, hour, minute, second = (int(part or 0) for part in parts.groups())
    try:
        begin = datetime.datetime(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)
        date = begin + datetime.timedelta(days=day - 1 + days, hours=hour, minutes=minute, seconds=second)
    except (OverflowError, ValueError) as cause:
        raise PlanError("A date is beyond the calendar") from cause
    signs = {
        "YYYY": f"{date.year:04}",
        "MM": f"{date.month:02}",
        "DD": f"{date.day:02}",
        "hh": f"{date.hour:02}",
        "mm": f"{date.minute:02}",
        "ss": f"{date.second:02}",
    }
    return re.sub("YYYY|MM|DD|hh|mm|ss", lambda sign: signs[sign[0]], form)`,
  chosen_of: `def chosen_of(parameter: str, chosen: Any, items: Any, *path: str) -> Any:
    """The choice, where it is one of the options; otherwise the skill ends with them."""
    options: dict[Any, Any] = {}
    for option in items if isinstance(items, list) else []:
        value = at(option, *path)
        if isinstance(value, str) or is_number(value):
            options.setdefault(value, option)
    if (isinstance(chosen, str) or is_number(chosen)) and chosen in options:
        return chosen
    if not options:
        raise PlanError(f"There is nothing to choose {parameter} from")
    raise ChoiceNeeded(parameter, [{"value": value, "about": option} for value, option in options.items()])`,
  first_that: `async def first_that(
    items: list[Any],
    what: str,
    give: Callable[[Any], Awaitable[Any]],
    fits: Callable[[Any], bool],
    wanted: dict[str, Any] | None = None,
) -> Any:
    """What is given for the first element for which that fits: none is an error."""
    for each in items:
        given = await give(each)
        if fits(given):
            return given
    raise PlanError(f"None of the {wanted_of(items, what, wanted)}")`,
  must_fail: `async def must_fail(what: str, call: Awaitable[Any], kind: str, args: list[Any]) -> None:
    """Goes on only where a call fails as it did in every recorded run: what to do otherwise is not known."""
    failed, _ = await attempt(what, call, kind, args)
    if not failed:
        raise PlanError(f"{what} has succeeded; in the recorded runs it failed with {kind!r}")`,
  attempt: `async def attempt(what: str, call: Awaitable[Any], kind: str, args: list[Any]) -> tuple[bool, Any]:
    """Whether a call fails as in recorded runs, and what it gives; another failure ends the skill."""
    try:
        return False, await call
    except Exception as error:
        if kind and failure_kind(str(error), args) == kind:
            return True, None
        raise PlanError(f"{what} failed in another way; in the recorded runs it failed with {kind!r}") from error`,
  retried: `async def retried(times: int, kinds: list[str], args: list[Any], call: Callable[[], Awaitable[Any]]) -> Any:
    """What a call that only reads gives: where it fails as in recorded runs that made it again, it is made again."""
    while True:
        try:
            return await call()
        except Exception as error:
            if times <= 0 or failure_kind(str(error), args) not in kinds:
                raise
            times -= 1`,
  failure_kind: String.raw`def failure_kind(error: str, args: list[Any]) -> str:
    """In which way a call failed: the codes in its message, or its words without the call's own values."""
    message = re.sub(r'\\+"', '"', re.sub(r"\\+[nrt]", " ", error))
    given = sorted([each for each in texts_in(plain(args)) if len(json.dumps(each)) > 4], key=len, reverse=True)
    general = re.compile(
        r"\b(?:api|argument|bad|client|conflict|err|errors?|exception|execution|fail(?:ed|ure)?|generic|http|input"
        r"|internal|invalid|mcp|p0001|params?|precondition|request|runtime|server|tool|type|unknown|unprocessable"
        r"|validation|value)\b",
        re.I | re.A,
    )
    patterns = [
        (r"\b(E(?:ACCES|AGAIN|BUSY|CONN[A-Z]+|EXIST|HOSTUNREACH|INVAL|IO|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|NOTEMPTY"
         r"|NOTFOUND|PERM|PIPE|ROFS|TIMEDOUT|XDEV))\b|\b(Errno [0-9]+)|\bSQLSTATE\W{0,3}([0-9A-Z]{5})\b"
         r"|^\W*(?:error\W{1,3})?([A-Z]{2,8}-?[0-9]{3,6})(?=\W*\Z|[:\])] )", re.A),
        (r"\b(?:HTTP(?:/[0-9.]+)?|status|error)(?:[ _]?code)?[\"']?[ :=]{0,3}[\"']?([45][0-9]{2})\b"
         r"|\b([45][0-9]{2})(?= (?:Bad|Unauthorized|Payment|Forbidden|Not|Method|Conflict|Gone|Precondition"
         r"|Unprocessable|Validation|Too|Internal|Service|Gateway)\b)", re.I | re.A),
        (r"[\"'](?:(?:error|decline)?_?code|sql_?state)[\"']\s*:\s*[\"']?([\w.-]{1,60})(?=[\"']|\s*[,}\]])", re.I | re.A),
    ]
    found = {code for form, flags in patterns for each in re.findall(form, message, flags) for code in ([each] if isinstance(each, str) else each) if code}
    codes = sorted(found - set(given))
    telling = [
        code
        for code in codes
        if (
            re.fullmatch("401|404|408|410|429|[0-9]{4,}", code)
            if re.fullmatch("-?[0-9]+", code)
            else re.search("[0-9a-z]", general.sub("", re.sub("[^A-Za-z0-9]+", " ", re.sub("([a-z])([A-Z])", r"\1 \2", code))), re.I)
        )
    ]
    exits = re.findall(
        r"\b(?:exit(?:ed)?(?: with)?(?: code| status)?|error code|return(?:ed)?(?: code)?|rc|ERROR)[ :=]{1,3}(-?[0-9]{1,5})\b", message, re.A
    )
    kept = [code for code in codes if code in telling or re.fullmatch("[45][0-9]{2}", code)] + exits
    if telling:
        return " ".join(kept)
    said = re.findall(
        r"[\"'](?:errors?|messages?|msg|details?|reason|title|type|(?:error_)?description)[\"']\s*:\s*\[?\s*"
        r"(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')", message, re.I
    )
    whole = re.sub(r"[\[{].*[\]}]", " ", message, count=1, flags=re.S) + " " + " ".join(said) if said else message
    text = re.sub(r"</?\w+>", " ", whole, flags=re.A)
    text = re.sub(r"^\s*(?:(?:mcp |tool )?(?:error|exception)(?: -?[0-9]+)?: *)+", "", text, flags=re.I)
    rest = text
    for value in given:
        if len(value) <= 100:
            rest = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " 0 ", rest)
    rest = re.sub(
        "([\"'\x60])([^\"'\x60]+)\\1", lambda quoted: " 0 " if any(quoted[2] in value for value in given) else quoted[0], rest
    )
    words = words_of(rest)
    is_said = re.search(r"[^?\s]", general.sub("", words))
    kind = " ".join([*kept, *(words if is_said else words_of(text)).split(" ")[:40]])
    return kind if re.search("[^? ]", kind) else ""`,
  texts_in: `def texts_in(value: Any) -> list[str]:
    """All texts in a value."""
    if isinstance(value, str):
        return [value]
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in texts_in(part)]`,
  words_of: String.raw`def words_of(text: str) -> str:
    """The words of a message, with a question mark for each number, id or address."""
    text = re.sub(r"[^\s:;,()=<>\[\]{}]+", lambda word: "?" if re.search(r"[0-9]|[^/]/[^/]|@|\\", word[0]) else word[0], text)
    text = "".join(sign if sign.isalpha() or sign in "_?'-" else " " for sign in text)
    text = re.sub(r"(^| )['-]+|['-]+(?= |\Z)", r"\1", re.sub(" +", " ", text))
    return re.sub(r"\? (?:\? )*(?=\?)", "", text).strip().lower()`,
};
