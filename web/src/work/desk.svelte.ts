/** The open chart: loaded, kept up to date, changed. */

import { get, Problem } from "../api/client";
import type { Chart, Done, Note, Operation, Sheet, SheetVersion } from "../api/types";
import {
  applyDone,
  applyStep,
  codeKey,
  versionOf,
  withNote,
  withSheets,
  type Author,
  type CodeName,
  type Desk,
} from "./desk";
import { change, listen, saving } from "./saving.svelte";

export interface OpenChart {
  readonly desk: Desk;
  /** Ids of annotations that the server has yet to acknowledge. */
  readonly unsaved: ReadonlySet<string>;
  openNote(id: number): Promise<Note>;
  change(changes: Operation[]): void;
  /** Remember what a code is called, for when it is used. */
  learn(code: { system: string; code: string }, name: CodeName): void;
  reload(): Promise<void>;
  /** Called when a step was undone or redone, whichever chart it was in; null if there was none. */
  onBack: (kind: "undo" | "redo", done: Done | null) => void;
  close(): void;
}

export async function openChart(project: number, id: number, author: Author): Promise<OpenChart> {
  const names = new Map<string, CodeName>();
  const path = `/projects/${project}/charts/${id}`;
  const found = await get<Chart>(path);
  let base = $state.raw<Desk>({ chart: found, notes: new Map() });
  for (const code of found.codes) names.set(codeKey(code), code);

  const waiting = $derived(
    saving.letters.flatMap((letter) =>
      letter.kind === "step" && letter.project === project ? [letter.body] : [],
    ),
  );
  const desk = $derived(waiting.reduce((now, step) => applyStep(now, step, author, names), base));
  const unsaved = $derived(
    new Set(
      waiting.flatMap((step) =>
        step.changes.flatMap((one) => ("annotation" in one ? [one.annotation.id] : [])),
      ),
    ),
  );

  const deaf = listen({
    onDone(letter, done) {
      if (letter.project !== project) return;
      if (done === null) {
        if (letter.kind !== "step") opened.onBack(letter.kind, null);
        return;
      }
      const before = base;
      if (letter.kind === "step") base = applyStep(base, letter.body, author, names);
      base = applyDone(base, done);
      if (letter.kind !== "step") {
        opened.onBack(letter.kind, done);
        if (done.sheets.some((sheet) => isClosed(before, sheet))) void reload();
      }
      void catchUp();
    },
    onConflict(sheets: readonly Sheet[]) {
      base = withSheets(base, sheets);
    },
  });

  const isClosed = (now: Desk, sheet: SheetVersion): boolean =>
    sheet.chart === id && sheet.note !== null && !now.notes.has(sheet.note);

  async function reload(): Promise<void> {
    const chart = await get<Chart>(path);
    const notes = new Map(base.notes);
    for (const note of chart.notes) {
      const known = notes.get(note.id);
      if (
        known !== undefined &&
        (known.sheet.version !== note.version || known.sheet.given.length !== note.given)
      ) {
        notes.set(note.id, await get<Note>(`/projects/${project}/notes/${note.id}`));
      }
    }
    base = { chart, notes };
  }

  /** Sheets that were changed elsewhere; looked at once nothing of one's own is on its way. */
  let heard: SheetVersion[] = [];
  let hasSuggestions = false;
  async function catchUp(): Promise<void> {
    if (saving.letters.length > 0) return;
    const news = heard.filter(
      (sheet) => sheet.chart === id && sheet.version > versionOf(base, sheet.note),
    );
    const isNew = news.length > 0 || hasSuggestions;
    heard = [];
    hasSuggestions = false;
    if (isNew) await reload();
  }

  const stop = live(project, (sheets, charts) => {
    heard.push(...sheets);
    hasSuggestions ||= charts.includes(id);
    return catchUp();
  });

  const opened: OpenChart = {
    onBack: () => undefined,
    get desk() {
      return desk;
    },
    get unsaved() {
      return unsaved;
    },
    async openNote(note) {
      const known = base.notes.get(note);
      if (known !== undefined) return known;
      const read = await get<Note>(`/projects/${project}/notes/${note}`);
      base = withNote(base, read);
      return read;
    },
    change: (changes) => change(project, desk, changes),
    learn: (code, name) => void names.set(codeKey(code), name),
    reload,
    close() {
      deaf();
      stop();
    },
  };
  return opened;
}

/** Hear of changes made elsewhere, in another tab or place, and of suggestions that came in. */
function live(
  project: number,
  onNews: (sheets: readonly SheetVersion[], charts: readonly number[]) => Promise<void>,
): () => void {
  const source = new EventSource(`/api/projects/${project}/live`);
  const hear = (event: MessageEvent<string>): void => {
    const { sheets, charts } = JSON.parse(event.data) as {
      sheets: SheetVersion[];
      charts: number[];
    };
    // A moment, for the answer to one's own change to arrive first.
    setTimeout(() => {
      onNews(sheets, charts).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
    }, 300);
  };
  for (const kind of ["edit", "undo", "redo", "give"]) source.addEventListener(kind, hear);
  return () => source.close();
}
