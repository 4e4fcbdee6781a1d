/** Which marks lie over which part of a line; in UTF-16 units. */

import { lineAt, type Line } from "./lines";
import type { Edges } from "./offsets";

/** mine: an annotation of the person; given: offered; other: somebody else's, such as A's or B's. */
export type Kind = "mine" | "given" | "other";

/** Something to mark in a text. */
export interface Item {
  readonly key: string;
  readonly kind: Kind;
  readonly ranges: readonly Edges[];
  /** What stands in the margin. */
  readonly tag: string;
  /** One of six colors; the tag says the same in words. */
  readonly color: number;
  readonly isFlagged: boolean;
}

/** One range of an item, on the underline it is drawn as: 0 is nearest to the words. */
export interface Strip {
  readonly item: Item;
  readonly begin: number;
  readonly end: number;
  readonly lane: number;
}

export interface Segment {
  readonly begin: number;
  readonly end: number;
  readonly strips: readonly Strip[];
}

/** Every range on the lowest lane that is free there, the longer of two below the shorter. */
export function stripsOf(items: readonly Item[]): Strip[] {
  const ranges = items.flatMap((item) => item.ranges.map(([begin, end]) => ({ item, begin, end })));
  ranges.sort((a, b) => a.begin - b.begin || b.end - a.end || (a.item.key < b.item.key ? -1 : 1));
  const free: number[] = [];
  return ranges.map((range) => {
    let lane = free.findIndex((end) => end <= range.begin);
    if (lane < 0) lane = free.length;
    free[lane] = range.end;
    return { ...range, lane };
  });
}

/** The strips of each line; a line without any has none in the map. */
export function byLine(strips: readonly Strip[], lines: readonly Line[]): Map<number, Strip[]> {
  const found = new Map<number, Strip[]>();
  for (const strip of strips) {
    const last = lineAt(lines, Math.max(strip.begin, strip.end - 1));
    for (let at = lineAt(lines, strip.begin); at <= last; at++) {
      const known = found.get(at);
      if (known === undefined) found.set(at, [strip]);
      else known.push(strip);
    }
  }
  return found;
}

/** A line cut wherever a strip begins or ends. The segments together are the line. */
export function segmentsOf(line: Line, strips: readonly Strip[]): Segment[] {
  const cuts = new Set([line.begin, line.end]);
  for (const { begin, end } of strips) {
    if (begin > line.begin && begin < line.end) cuts.add(begin);
    if (end > line.begin && end < line.end) cuts.add(end);
  }
  const edges = [...cuts].sort((a, b) => a - b);
  return edges.slice(1).map((end, at) => {
    const begin = edges[at]!;
    const over = strips.filter((strip) => strip.begin < end && strip.end > begin);
    return { begin, end, strips: over };
  });
}

/** Whether a line looks the same under some strips as under others. */
export function looksSame(a: readonly Strip[] = [], b: readonly Strip[] = []): boolean {
  if (a === b) return true;
  return (
    a.length === b.length &&
    a.every((one, at) => {
      const other = b[at]!;
      return (
        one.begin === other.begin &&
        one.end === other.end &&
        one.lane === other.lane &&
        one.item.key === other.item.key &&
        one.item.kind === other.item.kind &&
        one.item.tag === other.item.tag &&
        one.item.color === other.item.color &&
        one.item.isFlagged === other.item.isFlagged
      );
    })
  );
}

/** One of six colors, the same for a code wherever it is. */
export function colorOf(code: string): number {
  let sum = 0;
  for (const character of code) sum = (sum * 31 + character.codePointAt(0)!) % 1_000_003;
  return (sum % 6) + 1;
}
