/** Annotations as they are made. */

import type { Annotation, Given, Hit, NewAnnotation, Origin } from "../api/types";
import type { Edges } from "../text/offsets";
import { newId } from "./ids";

export interface CodeRef {
  readonly system: string;
  readonly code: string;
}
export type Made = Required<NewAnnotation>;

export const codeOf = ({ system, code }: CodeRef): CodeRef => ({ system, code });

export function make(
  chart: number,
  note: number | null,
  spans: readonly Edges[],
  code: CodeRef,
  origin: Origin,
): Made {
  return { id: newId(), chart, note, spans: [...spans], ...codeOf(code), comment: "", origin };
}

/** The annotation that accepts a suggestion. */
export function accept(given: Given): Made {
  return make(given.chart, given.note, given.spans, given, { by: "given", given: given.id });
}

export function fromHit(chart: number, hit: Hit, code: CodeRef): Made {
  return make(chart, hit.note, [hit.span], code, { by: "search" });
}

/** An annotation with what a client may say of it, and no more. */
export function plain(one: Annotation): Made {
  const { id, chart, note, spans, system, code, comment, origin } = one;
  return { id, chart, note, spans, system, code, comment, origin };
}

/** Whether two annotations say the same code of the same words. */
export function isSame(a: NewAnnotation, b: NewAnnotation): boolean {
  return (
    a.note === b.note &&
    a.system === b.system &&
    a.code === b.code &&
    JSON.stringify(a.spans) === JSON.stringify(b.spans)
  );
}

/** Ranges in order, those that touch or overlap as one. */
export function merged(ranges: readonly Edges[]): Edges[] {
  const found: [number, number][] = [];
  for (const [begin, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = found.at(-1);
    if (last !== undefined && begin <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([begin, end]);
  }
  return found;
}
