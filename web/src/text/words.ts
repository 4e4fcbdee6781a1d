/** Words of a text, for moving and for snapping; in UTF-16 units. */

import type { Edges } from "./offsets";

// Letters with their marks and digits; or signs such as + and ↑, with emoji kept whole.
// Punctuation is no word: it is stepped over, and taken along when words on both sides are.
const WORD = /[\p{L}\p{M}\p{N}_]+|[\p{S}\p{M}\u200d]+/gu;

export interface Words {
  readonly begins: readonly number[];
  readonly ends: readonly number[];
}

export function wordsOf(text: string): Words {
  const begins: number[] = [];
  const ends: number[] = [];
  for (const match of text.matchAll(WORD)) {
    begins.push(match.index);
    ends.push(match.index + match[0].length);
  }
  return { begins, ends };
}

/** The first word that ends after an offset, or the number of words. */
export function wordFrom(words: Words, offset: number): number {
  let low = 0;
  let high = words.ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words.ends[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last word that begins before an offset, or -1. */
export function wordBefore(words: Words, offset: number): number {
  let low = 0;
  let high = words.begins.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words.begins[middle]! < offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A range as the whole words that it touches; one that touches none stays as it is. */
export function snapped(words: Words, [begin, end]: Edges): Edges {
  const first = wordFrom(words, begin);
  const last = wordBefore(words, end);
  if (first > last) return [begin, end];
  return [words.begins[first]!, words.ends[last]!];
}

/** Where the character after an offset ends, its marks with it. */
export function characterAfter(text: string, offset: number): number {
  const match = /^(?:\r\n|[^]\p{M}*)/u.exec(text.slice(offset, offset + 64));
  return Math.min(text.length, offset + (match?.[0].length ?? 0));
}

/** Where the character before an offset begins. */
export function characterBefore(text: string, offset: number): number {
  const match = /(?:\r\n|[^]\p{M}*)$/u.exec(text.slice(Math.max(0, offset - 64), offset));
  return offset - (match?.[0].length ?? 0);
}
