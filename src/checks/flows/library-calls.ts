/** Methods of the library that change nothing that they are called on or given. */
export const PURE: ReadonlySet<string> = new Set(
  (
    "abs all allSettled any apply at atan2 bind call catch ceil charAt charCodeAt codePointAt concat cos create " +
    "decodeURI decodeURIComponent encodeURI encodeURIComponent endsWith entries every exec exp filter finally find " +
    "findIndex findLast findLastIndex flat flatMap floor for forEach format from fromCharCode fromCodePoint " +
    "fromEntries get getDate getDay getFullYear getHours getMinutes getMonth getOwnPropertyNames getTime " +
    "getUTCDate getUTCDay getUTCFullYear getUTCHours getUTCMinutes getUTCMonth groupBy has hasOwn hasOwnProperty " +
    "includes indexOf is isArray isFinite isInteger isNaN isSafeInteger join keys lastIndexOf localeCompare log " +
    "log10 log2 map match matchAll max min normalize now of padEnd padStart parse parseFloat parseInt pow race " +
    "random raw reduce reduceRight reject repeat replace replaceAll resolve round search sign slice some split sqrt " +
    "startsWith stringify structuredClone substring substr test then toFixed toISOString toJSON toLocaleString " +
    "toLowerCase toPrecision toReversed toSorted toSpliced toString toUpperCase trim trimEnd trimStart trunc " +
    "UTC valueOf values with Array Boolean Date Error Map Number Object RangeError RegExp Set String Symbol " +
    "TypeError URL WeakMap WeakSet BigInt debug error info warn Intl NumberFormat DateTimeFormat Promise"
  ).split(" "),
);

/** Methods that give elements of what they are called on to their callback. */
export const OVER_ELEMENTS: ReadonlyMap<string, "elements" | "results" | "nothing"> = new Map([
  ["map", "results"],
  ["flatMap", "results"],
  ["filter", "elements"],
  ["find", "elements"],
  ["findLast", "elements"],
  ["toSorted", "elements"],
  ["forEach", "nothing"],
]);

/** Methods that call the functions that they are given, and do not keep them. */
export const TAKES_CALLBACK: ReadonlySet<string> = new Set(
  (
    "catch every filter finally find findIndex findLast findLastIndex flatMap forEach from groupBy map parse reduce " +
    "reduceRight replace replaceAll some sort stringify then toSorted"
  ).split(" "),
);

/** Methods that call their callback again or not by what it has given. */
export const ENDS_EARLY: ReadonlySet<string> = new Set(
  "every find findIndex findLast findLastIndex some".split(" "),
);

/** Methods by which a regular expression keeps where its last match ended. */
export const MATCHES: ReadonlySet<string> = new Set(
  "exec match matchAll replace replaceAll search split test".split(" "),
);

/** Functions that throw nothing, whatever data they are given. */
export const NEVER_THROWS: ReadonlySet<string> = new Set(
  (
    "all allSettled debug error from hasOwn info is isArray isFinite isInteger isNaN isSafeInteger keys log max min " +
    "now parseFloat parseInt push resolve stringify then Boolean Error Number String warn"
  ).split(" "),
);
