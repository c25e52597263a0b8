/**
 * @typedef {Object} Input
 * @property {string} text - The text to measure
 * @property {number} [wordsPerMinute] - Reading speed @minimum 1 @default 230
 */

/**
 * @typedef {Object} Output
 * @property {Integer} words
 * @property {Integer} sentences
 * @property {Integer} characters
 * @property {number} minutes - Reading time, to a tenth of a minute
 */

/**
 * @param {Input} input
 * @returns {Output}
 */
export default function textStats({ text, wordsPerMinute = 230 }) {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0;
  const sentences = text.split(/[.!?…]+(?:\s|$)/u).filter((part) => part.trim() !== "").length;
  const minutes = Math.round((words / wordsPerMinute) * 10) / 10;
  return { words, sentences, characters: [...text].length, minutes };
}
