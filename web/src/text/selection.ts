/** The cursor: always on something, usually a word; all in UTF-16 units. */

import { lineAt, type Line } from "./lines";
import type { Edges } from "./offsets";
import {
  characterAfter,
  characterBefore,
  snapped,
  wordBefore,
  wordFrom,
  type Words,
} from "./words";

/** What was taken first, and what was moved to; the selection is all between them. */
export interface Selection {
  readonly anchor: Edges;
  readonly focus: Edges;
}

export interface Ground {
  readonly text: string;
  readonly lines: readonly Line[];
  readonly words: Words;
  readonly sections: readonly number[];
}

export type Unit = "word" | "character" | "line" | "section" | "edge" | "all";

export function covered({ anchor, focus }: Selection): Edges {
  return [Math.min(anchor[0], focus[0]), Math.max(anchor[1], focus[1])];
}

export function selectionOf(range: Edges): Selection {
  return { anchor: range, focus: range };
}

/** The selection at the beginning of a text: its first word. */
export function firstSelection(ground: Ground): Selection {
  return selectionOf(wordAt(ground.words, 0));
}

/** The selection after a move. With `extends`, the anchor stays where it is. */
export function moved(
  ground: Ground,
  selection: Selection,
  unit: Unit,
  direction: 1 | -1,
  extends_: boolean,
): Selection {
  if (unit === "character") return byCharacter(ground, selection, direction, extends_);
  const focus = target(ground, selection, unit, direction);
  return extends_ ? { anchor: selection.anchor, focus } : selectionOf(focus);
}

/** What a mouse took, as whole words, or as it is. */
export function taken(ground: Ground, range: Edges, byCharacters: boolean): Selection {
  const [begin, end] = range;
  if (begin === end) return selectionOf(wordAt(ground.words, begin));
  return selectionOf(byCharacters ? range : snapped(ground.words, range));
}

/** The word at an offset or the next one; the last where there is no next. */
function wordAt(words: Words, offset: number): Edges {
  if (words.begins.length === 0) return [0, 0];
  const word = Math.min(wordFrom(words, offset), words.begins.length - 1);
  return [words.begins[word]!, words.ends[word]!];
}

function target(ground: Ground, selection: Selection, unit: Unit, direction: 1 | -1): Edges {
  const { words, lines } = ground;
  const [begin, end] = selection.focus;
  const at = lineAt(lines, begin);
  if (unit === "word") {
    if (direction === 1) return wordAt(words, end);
    const word = wordBefore(words, begin);
    return word < 0 ? selection.focus : [words.begins[word]!, words.ends[word]!];
  }
  if (unit === "line") return onLine(ground, at, begin - lines[at]!.begin, direction);
  if (unit === "edge") {
    const line = lines[at]!;
    if (direction === -1) return wordAt(words, line.begin);
    const word = wordBefore(words, line.end);
    return word < 0 ? selection.focus : [words.begins[word]!, words.ends[word]!];
  }
  if (unit === "all") return wordAt(words, direction === -1 ? 0 : ground.text.length);
  const next =
    direction === 1
      ? ground.sections.find((line) => line > at)
      : ground.sections.findLast((line) => line < at);
  if (next === undefined) return wordAt(words, direction === 1 ? ground.text.length : 0);
  return wordAt(words, lines[next]!.begin);
}

/** The word nearest to a column of the next line that has words. */
function onLine(ground: Ground, from: number, column: number, direction: 1 | -1): Edges {
  const { words, lines } = ground;
  for (let at = from + direction; at >= 0 && at < lines.length; at += direction) {
    const line = lines[at]!;
    const first = wordFrom(words, line.begin);
    const last = wordBefore(words, line.end);
    if (first > last) continue;
    const word = Math.min(wordFrom(words, line.begin + column), last);
    return [words.begins[word]!, words.ends[word]!];
  }
  return wordAt(words, lines[from]!.begin + column);
}

function byCharacter(
  { text }: Ground,
  selection: Selection,
  direction: 1 | -1,
  extends_: boolean,
): Selection {
  const [begin, end] = covered(selection);
  if (!extends_) {
    const edges: Edges =
      direction === 1 ? [end, characterAfter(text, end)] : [characterBefore(text, begin), begin];
    return edges[0] === edges[1] ? selection : selectionOf(edges);
  }
  // The right edge moves: with Shift and Alt a selection is trimmed to part of a word.
  const moved = direction === 1 ? characterAfter(text, end) : characterBefore(text, end);
  return moved <= begin ? selection : selectionOf([begin, moved]);
}
