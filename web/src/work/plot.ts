/** Where things lie on a plot of two metrics. */

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

/** A scale from 0 to 1 cut to where the values are, in tenths, at least two of them. */
export function scaleOf(values: readonly number[]): Scale {
  const tenth = (value: number, round: (one: number) => number): number =>
    Math.min(10, Math.max(0, round(value * 10 + (round === Math.floor ? 1e-9 : -1e-9))));
  let low = tenth(Math.min(1, ...values), Math.floor);
  let high = tenth(Math.max(0, ...values), Math.ceil);
  if (values.length === 0 || low > high) [low, high] = [0, 10];
  while (high - low < 2) {
    if (high < 10) high += 1;
    if (high - low < 2 && low > 0) low -= 1;
  }
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => (low + at) / 10);
  return { low: low / 10, high: high / 10, ticks };
}

/** How far along a scale a value is, from 0 to 1. */
export const along = ({ low, high }: Scale, value: number): number => (value - low) / (high - low);

interface Labeled {
  readonly x: number;
  readonly y: number;
}

/** Heights for labels beside points, so that no two lie on each other; in the points' order. */
export function labelHeights(points: readonly Labeled[], height: number): number[] {
  const order = points.map((_, at) => at).sort((a, b) => points[a]!.y - points[b]!.y);
  const found: number[] = points.map(({ y }) => y);
  let last = -Infinity;
  for (const at of order) {
    found[at] = Math.max(points[at]!.y, last + height);
    last = found[at]!;
  }
  return found;
}
