/** Made-up charts for the tests beside this file. */

import type { Annotation, Chart, NewAnnotation, Note, Sheet } from "../api/types";
import type { Desk } from "./desk";

export const AUTHOR = { id: 7, name: "ann" };

export function annotation(id: string, more: Partial<Annotation> = {}): Annotation {
  return {
    id,
    chart: 1,
    note: 11,
    spans: [[0, 5]],
    system: "ICD-10-CM",
    code: "I10",
    comment: "",
    origin: { by: "hand" },
    person: 7,
    annotator: "ann",
    version: 1,
    seq: 1,
    known: true,
    name: "Hypertension",
    ...more,
  };
}

export function newAnnotation(id: string, more: Partial<NewAnnotation> = {}): NewAnnotation {
  return { id, chart: 1, note: 11, spans: [[0, 5]], system: "ICD-10-CM", code: "I10", ...more };
}

/** A chart of two notes, the first of them open, billed with I10 and E11.9. */
export function desk(annotations: Annotation[] = []): Desk {
  const sheet: Sheet = {
    chart: 1,
    note: 11,
    version: 3,
    annotations,
    given: [
      {
        id: 5,
        source: "model",
        chart: 1,
        note: 11,
        spans: [[6, 9]],
        system: "ICD-10-CM",
        code: "E11.9",
        score: 0.5,
        why: null,
        known: true,
        name: null,
        verdict: null,
      },
    ],
  };
  const note: Note = {
    id: 11,
    chart: 1,
    note_id: "n1",
    category: "Nursing",
    time: null,
    text: "Fever and cough",
    sheet,
    others: null,
  };
  const listed = {
    note_id: "n",
    category: null,
    time: null,
    characters: 15,
    has_text: true,
    given: 0,
  };
  const code = { system: "ICD-10-CM", name: null, known: true, billed: true };
  const chart: Chart = {
    chart: {
      id: 1,
      chart_id: "c1",
      position: 0,
      notes: 2,
      characters: 30,
      annotations: annotations.length,
      assigned: true,
      finished: false,
      batch: null,
      coders: null,
    },
    notes: [
      { ...listed, id: 11, annotations: annotations.length, version: 3 },
      { ...listed, id: 12, annotations: 0, version: 8 },
    ],
    whole: { chart: 1, note: null, version: 1, annotations: [], given: [] },
    codes: [
      { ...code, code: "E11.9", evidence: 0 },
      { ...code, code: "I10", evidence: annotations.length },
    ],
  };
  return { chart, notes: new Map([[11, note]]) };
}
