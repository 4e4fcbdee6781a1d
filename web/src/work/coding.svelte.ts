/** Coding a chart: where the cursor is, what is active, and what each command does. */

import type {
  Annotation,
  CodeChoice,
  CodeCount,
  Done,
  Given,
  Hit,
  Note,
  Operation,
  Project,
} from "../api/types";
import type { ChartCommand } from "../keys/keymap";
import { isMove, move } from "../keys/moving";
import { groundOf } from "../text/ground";
import { offsetsOf, type Edges } from "../text/offsets";
import type { Item } from "../text/segments";
import { covered, firstSelection, selectionOf, type Selection } from "../text/selection";
import type { Boxed } from "./boxed";
import * as changes from "./changes";
import type { Row } from "./choices";
import { codeKey } from "./desk";
import type { OpenChart } from "./desk.svelte";
import { givenKey, itemOver, itemsOf, mineKey, neighbor } from "./items";
import { redo, undo } from "./saving.svelte";

export type Dialog = "code" | "recode" | "everywhere" | "comment" | "help" | null;

export class Coding implements Boxed {
  readonly project: Project;
  readonly opened: OpenChart;
  noteId = $state<number>(0);
  selection = $state.raw<Selection>({ anchor: [0, 0], focus: [0, 0] });
  pins = $state.raw<readonly Edges[]>([]);
  activeKey = $state<string | null>(null);
  dialog = $state<Dialog>(null);
  message = $state("");
  hits = $state.raw<readonly Hit[]>([]);
  hitAt = $state(-1);
  showsOthers = $state(false);
  lastCode = $state.raw<changes.CodeRef | null>(null);
  /** Codes used in this sitting, the latest first. */
  recent = $state.raw<readonly CodeCount[]>([]);
  lastTouched: string | null = null;
  /** Puts the keyboard into the search field; the page sets it. */
  focusSearch: () => void = () => undefined;
  focusText: () => void = () => undefined;
  onNote: (id: number) => void = () => undefined;

  readonly desk = $derived.by(() => this.opened.desk);
  readonly note = $derived.by<Note | null>(() => this.desk.notes.get(this.noteId) ?? null);
  readonly text = $derived(this.note?.text ?? "");
  readonly offsets = $derived(offsetsOf(this.text));
  readonly ground = $derived(groundOf(this.text));
  readonly items = $derived(
    this.note === null ? [] : itemsOf(this.note, this.offsets, this.showsOthers),
  );
  readonly range = $derived(covered(this.selection));
  readonly current = $derived<Item | null>(
    this.items.find((one) => one.key === this.activeKey) ?? itemOver(this.items, this.range),
  );
  readonly mine = $derived<Annotation | null>(
    this.note?.sheet.annotations.find((one) => mineKey(one) === this.current?.key) ?? null,
  );
  readonly offered = $derived<Given | null>(
    this.note?.sheet.given.find((one) => givenKey(one) === this.current?.key) ?? null,
  );
  /** The words that a code would be given to, as code points. */
  readonly spans = $derived(
    changes.merged([...this.pins, this.range]).map((range) => this.offsets.toPoints(range)),
  );
  readonly words = $derived(this.text.slice(...this.range));
  readonly codes = $derived(this.desk.chart.codes);
  readonly recoded = $derived((this.mine ?? this.offered)?.code ?? "");

  constructor(project: Project, opened: OpenChart) {
    this.project = project;
    this.opened = opened;
    opened.onBack = (kind, done) => this.#back(kind, done);
  }

  async openNote(id: number, select?: Edges): Promise<void> {
    const note = await this.opened.openNote(id);
    const isOther = this.noteId !== id;
    this.noteId = id;
    if (isOther) this.pins = [];
    const units = select && offsetsOf(note.text ?? "").toUnits(select);
    if (units !== undefined) this.select(selectionOf(units));
    else if (isOther) this.select(firstSelection(this.ground));
    this.onNote(id);
  }

  select(selection: Selection, activeKey: string | null = null): void {
    this.selection = selection;
    this.activeKey = activeKey;
    this.message = "";
    if (activeKey?.startsWith("m")) this.lastTouched = activeKey.slice(1);
  }

  /** Go to a mark. */
  visit(item: Item): void {
    this.select(selectionOf(item.ranges[0]!), item.key);
  }

  run(command: ChartCommand): void {
    if (isMove(command)) return this.select(move(this.ground, this.selection, command));
    switch (command) {
      case "mark":
      case "mark back":
        return this.#toMark(command === "mark" ? 1 : -1);
      case "note":
      case "note back":
        return this.#toNote(command === "note" ? 1 : -1);
      case "hit":
      case "hit back":
        return this.toHit(this.hitAt + (command === "hit" ? 1 : -1));
      case "search":
        return this.focusSearch();
      case "undo":
        return undo(this.project.id);
      case "redo":
        return redo(this.project.id);
      case "finish":
        return this.finish();
      case "help":
        this.dialog = "help";
        return;
      case "clear":
        this.pins = [];
        this.activeKey = null;
        return;
      default:
        this.message = this.#closed;
        if (this.message === "") this.#edit(command);
    }
  }

  /** Why nothing can be changed here; empty when it can. */
  get #closed(): string {
    const { assigned, finished } = this.desk.chart.chart;
    if (!assigned && this.project.role !== "supervisor")
      return "This chart is not assigned to you, so it is read-only.";
    return finished ? "This chart is finished. Press f to reopen it." : "";
  }

  /** Say what was undone, and show where: it may have been in another note. */
  #back(kind: "undo" | "redo", done: Done | null): void {
    if (done === null) {
      this.message = `Nothing to ${kind}.`;
      return;
    }
    const what = kind === "undo" ? "Undone" : "Redone";
    const here = done.sheets.filter((sheet) => sheet.chart === this.desk.chart.chart.id);
    const note = here.find((sheet) => sheet.note !== null)?.note ?? null;
    const name = this.desk.chart.notes.find((one) => one.id === note)?.category ?? "the chart";
    const says = here.length === 0 ? `${what} in another chart.` : `${what} in ${name}.`;
    const isShown = note === null || here.some((sheet) => sheet.note === this.noteId);
    if (isShown) this.message = says;
    else void this.openNote(note).then(() => (this.message = says));
  }

  #edit(command: ChartCommand): void {
    const { mine, offered } = this;
    if (command === "code") this.#open("code");
    else if (command === "recode") {
      if (mine === null && offered === null) this.message = "No annotation here.";
      else this.dialog = "recode";
    } else if (command === "repeat") this.repeat();
    else if (command === "everywhere") this.#everywhere();
    else if (command === "pin") {
      this.pins = changes.merged([...this.pins, this.range]);
      this.message = "Pinned. Select the next words, then press Enter.";
    } else if (command === "join") this.#join();
    else if (command === "accept") {
      if (offered === null) this.message = "No suggestion here.";
      else this.#made(changes.accept(offered));
    } else if (command === "reject") {
      if (offered === null) this.message = "No suggestion here.";
      else {
        this.#send([{ op: "judge", given: offered.id, verdict: "rejected" }]);
        this.message = `Rejected ${offered.code}.`;
      }
    } else if (command === "remove") {
      if (mine === null) this.message = "You have no annotation here.";
      else {
        this.#send([{ op: "remove", id: mine.id }]);
        this.message = `Removed ${mine.code}.`;
      }
    } else if (command === "comment") {
      if (mine === null) this.message = "You have no annotation here.";
      else this.dialog = "comment";
    }
  }

  /** Give codes to the words, or a new code to the annotation that is open for it. */
  pick(rows: readonly Row[], isRecoding: boolean): void {
    for (const { choice } of rows) this.#learn(choice);
    const [first] = rows;
    if (first === undefined) return;
    this.lastCode = first.choice;
    if (isRecoding && this.mine !== null) {
      const { system, code } = first.choice;
      const annotation = { ...changes.plain(this.mine), system, code };
      return this.#send([{ op: "change", annotation }]);
    }
    if (isRecoding && this.offered !== null) {
      return this.#made({ ...changes.accept(this.offered), ...changes.codeOf(first.choice) });
    }
    const made = rows.map((row) => this.#new(row.choice, row.origin)).filter((one) => one !== null);
    this.#add(made);
  }

  repeat(): void {
    if (this.lastCode === null) this.message = "No code has been used yet.";
    else this.#add([this.#new(this.lastCode, { by: "repeat" })].filter((one) => one !== null));
  }

  /** Give a code to places that a search has found: one step. */
  apply(code: changes.CodeRef, hits: readonly Hit[]): void {
    const chart = this.desk.chart.chart.id;
    this.lastCode = code;
    this.#send(hits.map((hit) => ({ op: "add", annotation: changes.fromHit(chart, hit, code) })));
    this.message = `${code.code} in ${hits.length} ${hits.length === 1 ? "place" : "places"}.`;
  }

  comment(comment: string): void {
    if (this.mine === null) return;
    this.#send([{ op: "change", annotation: { ...changes.plain(this.mine), comment } }]);
  }

  takeBackRejection(given: number): void {
    this.#send([{ op: "judge", given, verdict: null }]);
  }

  finish(): void {
    const { id, finished } = this.desk.chart.chart;
    this.#send([{ op: "finish", chart: id, finished: !finished }]);
    this.message = finished ? "Reopened." : "Finished.";
  }

  toHit(at: number): void {
    const hit = this.hits[at];
    if (hit === undefined) {
      this.message = this.hits.length === 0 ? "Search first: press /." : "No more results.";
      return;
    }
    this.hitAt = at;
    void this.openNote(hit.note, hit.span);
  }

  #learn(choice: CodeChoice): void {
    this.opened.learn(choice, choice);
    const others = this.recent.filter((one) => codeKey(one) !== codeKey(choice));
    this.recent = [{ ...choice, evidence: 0 }, ...others].slice(0, 20);
  }

  #open(dialog: Dialog): void {
    const [begin, end] = this.range;
    if (begin === end) this.message = "Nothing is selected.";
    else this.dialog = dialog;
  }

  #new(code: changes.CodeRef, origin: changes.Made["origin"]): changes.Made | null {
    if (this.note === null) return null;
    const made = changes.make(this.desk.chart.chart.id, this.note.id, this.spans, code, origin);
    const same = this.note.sheet.annotations.find((one) => changes.isSame(one, made));
    if (same === undefined) return made;
    this.message = `${code.code} is on these words already.`;
    return null;
  }

  #made(one: changes.Made): void {
    this.#add([one]);
    this.message = `Accepted ${one.code}.`;
  }

  #add(made: readonly changes.Made[]): void {
    if (made.length === 0) return;
    this.#send(made.map((annotation) => ({ op: "add", annotation })));
    this.lastTouched = made.at(-1)!.id;
    this.activeKey = `m${this.lastTouched}`;
    this.pins = [];
    this.message = `Added ${made.map((one) => one.code).join(" and ")}.`;
  }

  #join(): void {
    const one = this.note?.sheet.annotations.find(({ id }) => id === this.lastTouched);
    if (one === undefined) {
      this.message = "Create or select an annotation in this note first.";
      return;
    }
    const units = one.spans.map((span) => this.offsets.toUnits(span));
    const spans = changes
      .merged([...units, this.range])
      .map((range) => this.offsets.toPoints(range));
    this.#send([{ op: "change", annotation: { ...changes.plain(one), spans } }]);
    this.message = `Added to ${one.code}.`;
  }

  #everywhere(): void {
    if (this.mine === null && this.lastCode === null) {
      this.message = "Assign a code first; then apply it to the other occurrences.";
    } else this.dialog = "everywhere";
  }

  #toMark(direction: 1 | -1): void {
    const next = neighbor(this.items, this.current, this.range[0], direction);
    if (next === null) this.message = "No more annotations in this note.";
    else this.visit(next);
  }

  #toNote(direction: 1 | -1): void {
    const notes = this.desk.chart.notes.filter((note) => note.has_text);
    const next = notes[notes.findIndex((note) => note.id === this.noteId) + direction];
    if (next === undefined) this.message = "No more notes.";
    else void this.openNote(next.id);
  }

  #send(operations: Operation[]): void {
    this.opened.change(operations);
  }

  /** The code that "everywhere" applies: the annotation's, else the last one used. */
  get everywhereCode(): changes.CodeRef | null {
    return this.mine ?? this.lastCode;
  }

  /** The words that "everywhere" looks for. */
  get everywhereWords(): string {
    const span = this.mine?.spans.length === 1 ? this.mine.spans[0] : undefined;
    return span === undefined ? this.words : this.text.slice(...this.offsets.toUnits(span));
  }

  /** Whether a place has the code already. */
  hasCode(hit: Hit, code: changes.CodeRef): boolean {
    const annotations = this.desk.notes.get(hit.note)?.sheet.annotations ?? [];
    return annotations.some(
      (one) =>
        codeKey(one) === codeKey(code) &&
        one.spans.some(([begin, end]) => begin === hit.span[0] && end === hit.span[1]),
    );
  }
}
