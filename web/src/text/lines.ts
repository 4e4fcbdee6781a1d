/** Lines of a text, in UTF-16 units; the line ends belong to no line. */

export interface Line {
  readonly begin: number;
  readonly end: number;
}

/** Split at \n, \r\n and \r. A text has at least one line. */
export function linesOf(text: string): Line[] {
  const found: Line[] = [];
  let begin = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    found.push({ begin, end: match.index });
    begin = match.index + match[0].length;
  }
  found.push({ begin, end: text.length });
  return found;
}

/** The number of the line that an offset is in; one in a line end is in the line before it. */
export function lineAt(lines: readonly Line[], offset: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle]!.begin <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Lines that open a section: "HISTORY OF PRESENT ILLNESS:", "Brief Hospital Course:" and the like.
 * Never empty: the beginning of a text opens one.
 */
export function sectionsOf(text: string, lines: readonly Line[]): number[] {
  const found = lines.flatMap((line, number) =>
    /^\s*(?:\p{Lu}[\p{L}\d /&,()'-]{2,50}:|\p{Lu}[\p{Lu}\d /&,()'-]{3,60})\s*$|^\s*\p{Lu}[\p{Lu} /&]{3,50}:/u.test(
      text.slice(line.begin, line.end),
    )
      ? [number]
      : [],
  );
  return found[0] === 0 ? found : [0, ...found];
}
