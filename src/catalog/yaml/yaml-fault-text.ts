import type { YAMLError } from "yaml";

/** What is wrong in a YAML text, and how it is written instead. */
export function yamlFaultText({ code, message }: Pick<YAMLError, "code" | "message">): string {
  return WORDS[code] ?? message;
}

const WORDS: Partial<Readonly<Record<YAMLError["code"], string>>> = {
  ALIAS_PROPS: "A reference (*name) takes no tag or anchor",
  BAD_ALIAS:
    "Nothing before has the anchor (&name) that this reference (*name) means; put the text in quotes if it is none",
  BAD_COLLECTION_TYPE: "This tag does not fit what follows it",
  BAD_DIRECTIVE: "A line that begins with % is a directive of YAML, and this is none; put the text in quotes",
  BAD_DQ_ESCAPE:
    "Between double quotes a backslash begins an escape, and this is none; write \\\\ or use single quotes",
  BAD_INDENT: "This line is not indented as what it belongs to needs it",
  BAD_PROP_ORDER: "Anchors (&name) and tags (!name) stand before the value",
  BAD_SCALAR_START: "A plain value cannot begin with this character; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: "One line holds one name with its value; put a value with a colon in it in quotes",
  BLOCK_IN_FLOW: "Between [ ] or { } there are no lines with dashes, and no indented blocks",
  DUPLICATE_KEY: "This name stands here twice",
  KEY_OVER_1024_CHARS: "A name has at most 1024 characters",
  MISSING_CHAR:
    "Something is missing here: a closing quote, ] or }, a comma, or the colon or space after a name",
  MULTILINE_IMPLICIT_KEY:
    "A name and its colon stand in one line; is a colon missing, or a value not in quotes?",
  MULTIPLE_ANCHORS: "There is more than one anchor (&name) here",
  MULTIPLE_DOCS: "A second document begins here; one is all that is read",
  MULTIPLE_TAGS: "There is more than one tag (!name) here",
  NON_STRING_KEY: "A name is a text",
  RESOURCE_EXHAUSTION: "It is nested too deeply",
  TAB_AS_INDENT: "Lines are indented by spaces, not by tabs",
  TAG_RESOLVE_FAILED: "There is no such tag; put the text in quotes if it is none",
  UNEXPECTED_TOKEN: "This is not expected here; put the value in quotes if it is a text",
};
