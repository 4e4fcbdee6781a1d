/**
 * Unicode code points, which the server counts in, and UTF-16 units, which the browser counts in.
 * Nothing else converts between them.
 */

/** A half-open range; whether of code points or of units, the name of the variable says. */
export type Edges = readonly [number, number];

export interface Offsets {
  /** Length of the text in code points. */
  readonly length: number;
  /** The unit at which a code point begins. */
  toUnit(point: number): number;
  /** The code point that a unit belongs to. */
  toPoint(unit: number): number;
  /** A range of units as code points, widened to whole ones. */
  toPoints(units: Edges): Edges;
  toUnits(points: Edges): Edges;
}

/** Convert offsets of one text. Texts with no character beyond U+FFFF cost nothing. */
export function offsetsOf(text: string): Offsets {
  const pairs = surrogatePairs(text);

  function toPoint(unit: number): number {
    return unit - countBelow(pairs, unit);
  }

  function toUnit(point: number): number {
    // Pair number i begins at unit pairs[i], which is code point pairs[i] - i.
    let low = 0;
    let high = pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[middle]! - middle < point) low = middle + 1;
      else high = middle;
    }
    return point + low;
  }

  function ceiling(unit: number): number {
    const isInside = unit > 0 && pairs[countBelow(pairs, unit) - 1] === unit - 1;
    return toPoint(isInside ? unit + 1 : unit);
  }

  return {
    length: text.length - pairs.length,
    toUnit,
    toPoint: (unit) => toPoint(floorToPair(pairs, unit)),
    toPoints: ([begin, end]) => [toPoint(floorToPair(pairs, begin)), ceiling(end)],
    toUnits: ([begin, end]) => [toUnit(begin), toUnit(end)],
  };
}

/** Units at which a pair of surrogates begins. Half a pair alone is one code point. */
function surrogatePairs(text: string): number[] {
  const found: number[] = [];
  for (const match of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) found.push(match.index);
  return found;
}

/** How many of some rising numbers are below a number. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

function floorToPair(pairs: readonly number[], unit: number): number {
  return pairs[countBelow(pairs, unit) - 1] === unit - 1 ? unit - 1 : unit;
}
