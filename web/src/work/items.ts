/** Annotations and suggestions as marks in the text. */

import type { Annotation, Given, Note, Statement } from "../api/types";
import type { Edges, Offsets } from "../text/offsets";
import { colorOf, type Item, type Kind } from "../text/segments";

interface Coded {
  readonly system: string;
  readonly code: string;
  readonly spans: readonly Edges[];
  readonly known: boolean | null;
}

export const mineKey = (one: Annotation): string => `m${one.id}`;
export const givenKey = (one: Given): string => `g${one.id}`;

/** Everything to mark in a note: one's own, what is offered and undecided, and that of others. */
export function itemsOf(note: Note, offsets: Offsets, showsOthers: boolean): Item[] {
  const mine = note.sheet.annotations.map((one) => item(mineKey(one), "mine", one, offsets));
  const given = note.sheet.given
    .filter((one) => one.verdict === null)
    .map((one) => item(givenKey(one), "given", one, offsets, `${one.code}?`));
  const others = (showsOthers ? (note.others ?? []) : []).map((one) =>
    item(`o${one.id}`, "other", one, offsets, `${one.code} ${one.annotator}`),
  );
  return [...mine, ...given, ...others].filter(({ ranges }) => ranges.length > 0);
}

/** Annotators' annotations as marks: A's solid, B's dashed, with their letter in the margin. */
export function itemsOfSides(
  sides: readonly (readonly Statement[] | null)[],
  note: number,
  offsets: Offsets,
): Item[] {
  return sides.flatMap((side, annotator) =>
    (side ?? []).flatMap((one, at) => {
      if (one.note !== note || one.spans.length === 0) return [];
      const letter = String.fromCharCode(65 + annotator);
      const kind: Kind = (["mine", "given", "other"] as const)[annotator % 3]!;
      const made = item(`${letter}${at}`, kind, one, offsets, `${letter} ${one.code}`);
      return [{ ...made, color: (annotator % 6) + 1 }];
    }),
  );
}

function item(key: string, kind: Kind, one: Coded, offsets: Offsets, tag = one.code): Item {
  return {
    key,
    kind,
    tag,
    ranges: one.spans.map((span) => offsets.toUnits(span)),
    color: colorOf(`${one.system} ${one.code}`),
    isFlagged: one.known === false,
  };
}

/** The innermost mark over a range: the shortest that touches it. */
export function itemOver(items: readonly Item[], [begin, end]: Edges): Item | null {
  let best: Item | null = null;
  let shortest = Infinity;
  for (const one of items) {
    for (const [from, to] of one.ranges) {
      if (from < end && to > begin && to - from < shortest) {
        best = one;
        shortest = to - from;
      }
    }
  }
  return best;
}

/** The mark after or before one in the order of the text; the first or last when there is none. */
export function neighbor(
  items: readonly Item[],
  current: Item | null,
  unit: number,
  direction: 1 | -1,
): Item | null {
  const ordered = items.toSorted(
    (a, b) =>
      a.ranges[0]![0] - b.ranges[0]![0] ||
      a.ranges[0]![1] - b.ranges[0]![1] ||
      (a.key < b.key ? -1 : 1),
  );
  const at = ordered.findIndex((one) => one.key === current?.key);
  if (at >= 0) return ordered[at + direction] ?? null;
  if (direction === 1) return ordered.find((one) => one.ranges[0]![0] >= unit) ?? null;
  return ordered.findLast((one) => one.ranges[0]![0] < unit) ?? null;
}
