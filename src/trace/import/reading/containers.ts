/** Members that hold a list of records, where they stand in the document's own object. */
const OF_DOCUMENT: ReadonlySet<string> = new Set([
  "messages",
  "chat_history",
  "calls",
  "resourceSpans",
  "spans",
  "data",
  "runs",
  "observations",
  "traces",
  "conversations",
  "execution_events",
  "events",
  "items",
  "input",
  "output",
]);

/** The same, where they stand in an element of a list of documents. */
const OF_ELEMENT: ReadonlySet<string> = new Set([
  "messages",
  "chat_history",
  "calls",
  "observations",
  "resourceSpans",
  "scopeSpans",
  "spans",
]);

/** Lists whose elements may be documents; "" is a list that is itself the document. */
const OF_DOCUMENTS: ReadonlySet<string> = new Set([
  "",
  "data",
  "traces",
  "conversations",
  "resourceSpans",
  "scopeSpans",
]);

/** Whether the member `key` of an object that stands in `list` (nothing: it is the document) is a list of records. */
export function isContainer(key: string, list: string | undefined): boolean {
  return list === undefined ? OF_DOCUMENT.has(key) : holdsDocuments(list) && OF_ELEMENT.has(key);
}

/** Whether the elements of this list may hold lists of records. */
export function holdsDocuments(list: string): boolean {
  return OF_DOCUMENTS.has(list);
}
