/** What moves and selections go by in a text: its lines, words and sections. */

import { linesOf, sectionsOf } from "./lines";
import type { Ground } from "./selection";
import { wordsOf } from "./words";

export function groundOf(text: string): Ground {
  const lines = linesOf(text);
  return { text, lines, words: wordsOf(text), sections: sectionsOf(text, lines) };
}
