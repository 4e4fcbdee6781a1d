/** A chart as it is on the desk: what the server said, with changes applied that it has yet to hear of. */

import type {
  Annotation,
  Chart,
  CodeCount,
  Done,
  NewAnnotation,
  Note,
  Operation,
  Sheet,
  SheetVersion,
  Step,
  Verdict,
} from "../api/types";

export interface Desk {
  readonly chart: Chart;
  /** Notes that were opened, by id; the others are known by the chart's list only. */
  readonly notes: ReadonlyMap<number, Note>;
}

/** What is known of a code before the server says it. */
export interface CodeName {
  readonly name: string | null;
  readonly known: boolean | null;
}
export type Names = ReadonlyMap<string, CodeName>;

export interface Author {
  readonly id: number;
  readonly name: string;
}

export const codeKey = (code: { system: string; code: string }): string =>
  `${code.system} ${code.code}`;

/** A desk after a step. Steps on other charts leave it as it is. */
export function applyStep(desk: Desk, step: Step, author: Author, names: Names): Desk {
  let next = desk;
  for (const change of step.changes) next = applyChange(next, change, author, names);
  for (const seen of step.seen) next = withVersion(next, { ...seen, version: seen.version + 1 });
  return next;
}

/** A desk after the server has done a step that `applyStep` may or may not have shown already. */
export function applyDone(desk: Desk, done: Done): Desk {
  let next = desk;
  for (const id of done.removed) next = removed(next, id);
  for (const annotation of done.annotations) next = placed(next, annotation);
  for (const { given, verdict } of done.verdicts) next = judged(next, given, verdict);
  for (const { chart, finished } of done.finished) {
    if (chart === next.chart.chart.id) next = withFinished(next, finished);
  }
  for (const sheet of done.sheets) next = withVersion(next, sheet);
  return next;
}

/** A desk with sheets as the server has them now. */
export function withSheets(desk: Desk, sheets: readonly Sheet[]): Desk {
  let next = desk;
  for (const sheet of sheets) {
    for (const one of sheetOf(next, sheet)?.annotations ?? []) next = removed(next, one.id);
    for (const one of sheet.annotations) next = placed(next, one);
    next = mapSheet(next, sheet, (old) => ({ ...old, given: sheet.given }));
    next = withVersion(next, sheet);
  }
  return next;
}

export function withNote(desk: Desk, note: Note): Desk {
  return { ...desk, notes: new Map(desk.notes).set(note.id, note) };
}

/** The sheet of a place, if it is on the desk. */
export function sheetOf(desk: Desk, place: { chart: number; note: number | null }): Sheet | null {
  if (place.chart !== desk.chart.chart.id) return null;
  return place.note === null ? desk.chart.whole : (desk.notes.get(place.note)?.sheet ?? null);
}

/** Which version of a sheet the desk shows; also of notes that were never opened. */
export function versionOf(desk: Desk, note: number | null): number {
  if (note === null) return desk.chart.whole.version;
  const listed = desk.chart.notes.find((one) => one.id === note)?.version ?? 0;
  return desk.notes.get(note)?.sheet.version ?? listed;
}

/** Every annotation of the person that is on the desk. */
export function annotationsOf(desk: Desk): Annotation[] {
  const onNotes = [...desk.notes.values()].flatMap((note) => note.sheet.annotations);
  return [...desk.chart.whole.annotations, ...onNotes];
}

/** The sheets that some changes touch, in the versions that the desk shows. */
export function seenBy(desk: Desk, changes: readonly Operation[]): SheetVersion[] {
  const notes = new Set<number | null>();
  for (const change of changes) {
    if ("annotation" in change) notes.add(change.annotation.note);
    else if (change.op === "finish") notes.add(null);
    else if (change.op === "judge") notes.add(noteOfGiven(desk, change.given));
    else {
      const one = annotationsOf(desk).find(({ id }) => id === change.id);
      if (one !== undefined) notes.add(one.note);
    }
  }
  const chart = desk.chart.chart.id;
  return [...notes].map((note) => ({ chart, note, version: versionOf(desk, note) }));
}

function noteOfGiven(desk: Desk, given: number): number | null {
  for (const [id, note] of desk.notes) {
    if (note.sheet.given.some((one) => one.id === given)) return id;
  }
  return null;
}

function applyChange(desk: Desk, change: Operation, author: Author, names: Names): Desk {
  if (change.op === "remove") return removed(desk, change.id);
  if (change.op === "judge") return judged(desk, change.given, change.verdict);
  if (change.op === "finish") {
    return change.chart === desk.chart.chart.id ? withFinished(desk, change.finished) : desk;
  }
  return placed(desk, filled(change.annotation, author, names));
}

function filled(one: NewAnnotation, author: Author, names: Names): Annotation {
  return {
    comment: "",
    origin: { by: "hand" },
    ...one,
    person: author.id,
    annotator: author.name,
    version: 0,
    seq: 0,
    ...(names.get(codeKey(one)) ?? { name: null, known: null }),
  };
}

/** A desk with an annotation on it, in place of the one with its id. */
function placed(desk: Desk, one: Annotation): Desk {
  if (one.chart !== desk.chart.chart.id) return desk;
  const before = sheetOf(desk, one)?.annotations.some(({ id }) => id === one.id);
  let next = before ? removed(desk, one.id) : desk;
  next = mapSheet(next, one, (sheet) => ({
    ...sheet,
    annotations: inserted(sheet.annotations, one),
  }));
  if (one.origin.given != null) next = judged(next, one.origin.given, "accepted");
  return counted(next, one, 1);
}

function removed(desk: Desk, id: string): Desk {
  const one = annotationsOf(desk).find((other) => other.id === id);
  if (one === undefined) return desk;
  let next = mapSheet(desk, one, (sheet) => ({
    ...sheet,
    annotations: sheet.annotations.filter((other) => other.id !== id),
  }));
  if (one.origin.given != null) next = judged(next, one.origin.given, null);
  return counted(next, one, -1);
}

function judged(desk: Desk, given: number, verdict: Verdict): Desk {
  const change = (sheet: Sheet): Sheet =>
    sheet.given.some((one) => one.id === given)
      ? {
          ...sheet,
          given: sheet.given.map((one) => (one.id === given ? { ...one, verdict } : one)),
        }
      : sheet;
  const chart = desk.chart.chart.id;
  let next = mapSheet(desk, { chart, note: null }, change);
  for (const note of desk.notes.keys()) next = mapSheet(next, { chart, note }, change);
  return next;
}

function counted(desk: Desk, one: Annotation, by: 1 | -1): Desk {
  const { chart, notes, codes } = desk.chart;
  return {
    ...desk,
    chart: {
      ...desk.chart,
      chart: { ...chart, annotations: chart.annotations + by },
      notes: notes.map((note) =>
        note.id === one.note ? { ...note, annotations: note.annotations + by } : note,
      ),
      codes: codesAfter(codes, one, by),
    },
  };
}

function codesAfter(codes: CodeCount[], one: Annotation, by: 1 | -1): CodeCount[] {
  const gains = one.spans.length > 0 ? by : 0;
  const key = codeKey(one);
  if (codes.some((code) => codeKey(code) === key)) {
    return codes.map((code) =>
      codeKey(code) === key ? { ...code, evidence: code.evidence + gains } : code,
    );
  }
  const { system, code, name, known } = one;
  return [...codes, { system, code, name, known, billed: false, evidence: Math.max(0, gains) }];
}

function withFinished(desk: Desk, finished: boolean): Desk {
  return { ...desk, chart: { ...desk.chart, chart: { ...desk.chart.chart, finished } } };
}

function withVersion(desk: Desk, sheet: SheetVersion): Desk {
  if (sheet.chart !== desk.chart.chart.id) return desk;
  const next = mapSheet(desk, sheet, (old) => ({ ...old, version: sheet.version }));
  const notes = next.chart.notes.map((note) =>
    note.id === sheet.note ? { ...note, version: sheet.version } : note,
  );
  return { ...next, chart: { ...next.chart, notes } };
}

function mapSheet(
  desk: Desk,
  place: { chart: number; note: number | null },
  change: (sheet: Sheet) => Sheet,
): Desk {
  if (place.chart !== desk.chart.chart.id) return desk;
  if (place.note === null) {
    return { ...desk, chart: { ...desk.chart, whole: change(desk.chart.whole) } };
  }
  const note = desk.notes.get(place.note);
  if (note === undefined) return desk;
  const sheet = change(note.sheet);
  return sheet === note.sheet ? desk : withNote(desk, { ...note, sheet });
}

/** Annotations in order with one more, where it belongs; thousands are placed one by one. */
function inserted(annotations: readonly Annotation[], one: Annotation): Annotation[] {
  let low = 0;
  let high = annotations.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byPlace(annotations[middle]!, one) < 0) low = middle + 1;
    else high = middle;
  }
  return annotations.toSpliced(low, 0, one);
}

function byPlace(a: Annotation, b: Annotation): number {
  const [first, second] = [a.spans[0] ?? [0, 0], b.spans[0] ?? [0, 0]];
  return first[0] - second[0] || first[1] - second[1] || (codeKey(a) < codeKey(b) ? -1 : 1);
}
