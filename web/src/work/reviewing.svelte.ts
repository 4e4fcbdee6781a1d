/** Reviewing: the queue of disagreements, the open note, and the decisions. */

import { get, post, sentence } from "../api/client";
import type { Note, Project, ReviewItem, ReviewQueue, Statement } from "../api/types";
import type { ReviewCommand } from "../keys/keymap";
import { groundOf } from "../text/ground";
import { offsetsOf } from "../text/offsets";
import type { Item } from "../text/segments";
import { covered, firstSelection, selectionOf, type Selection } from "../text/selection";
import type { Boxed } from "./boxed";
import type { Row } from "./choices";
import { newId } from "./ids";
import { itemOver, itemsOfSides } from "./items";

export type Filter = "open" | "contested" | "settled" | "";
const PAGE = 200;

export class Reviewing implements Boxed {
  readonly project: Project;
  queue = $state.raw<ReviewQueue | null>(null);
  filter = $state<Filter>("open");
  at = $state(0);
  noteId = $state(0);
  why = $state("");
  message = $state("");
  selection = $state.raw<Selection>({ anchor: [0, 0], focus: [0, 0] });
  /** The correction being edited. */
  draft = $state.raw<readonly Statement[] | null>(null);
  isChoosing = $state(false);
  isHelping = $state(false);
  notes = $state.raw<ReadonlyMap<number, Note>>(new Map());
  focusWhy: () => void = () => undefined;
  focusText: () => void = () => undefined;

  readonly item = $derived<ReviewItem | null>(this.queue?.items[this.at] ?? null);
  readonly note = $derived(this.notes.get(this.noteId) ?? null);
  readonly text = $derived(this.note?.text ?? "");
  readonly offsets = $derived(offsetsOf(this.text));
  readonly ground = $derived(groundOf(this.text));
  /** Notes that anybody points at, the first first. */
  readonly places = $derived(
    [
      ...new Set((this.item?.sides ?? []).flatMap((side) => (side ?? []).map((one) => one.note))),
    ].filter((note) => note !== null),
  );
  readonly items = $derived<Item[]>([
    ...itemsOfSides(this.item?.sides ?? [], this.noteId, this.offsets),
    ...itemsOfSides([this.draft], this.noteId, this.offsets).map((one) => ({
      ...one,
      key: `draft${one.key}`,
      tag: one.tag.replace(/^A/, "✎"),
      color: 5,
    })),
  ]);
  readonly range = $derived(covered(this.selection));
  readonly spans = $derived([this.offsets.toPoints(this.range)]);
  readonly words = $derived(this.text.slice(...this.range));
  readonly codes = $derived(
    (this.item?.sides ?? []).flatMap((side) =>
      (side ?? []).map((one) => ({ ...one, billed: false, evidence: 0 })),
    ),
  );
  readonly recent = $derived(this.codes);
  readonly recoded = "";

  constructor(project: Project) {
    this.project = project;
  }

  async load(): Promise<void> {
    const state = this.filter === "" ? "" : `&state=${this.filter}`;
    this.queue = await get<ReviewQueue>(
      `/projects/${this.project.id}/review?limit=${PAGE}${state}`,
    );
    await this.open(0);
  }

  async open(at: number): Promise<void> {
    const item = this.queue?.items[at];
    if (item === undefined) {
      if (at > 0) this.message = "No more disagreements.";
      return;
    }
    [this.at, this.draft, this.why, this.message] = [at, null, "", ""];
    const [first, ...others] = this.places;
    if (first !== undefined) await this.openNote(first);
    else this.noteId = 0;
    for (const note of others) await this.#read(note);
  }

  async openNote(id: number): Promise<void> {
    await this.#read(id);
    this.noteId = id;
    const first = this.items.toSorted((a, b) => a.ranges[0]![0] - b.ranges[0]![0])[0];
    this.selection = first ? selectionOf(first.ranges[0]!) : firstSelection(this.ground);
  }

  run(command: ReviewCommand): void {
    const { item } = this;
    if (command === "next" || command === "previous") {
      void this.open(this.at + (command === "next" ? 1 : -1));
    } else if (command === "help") this.isHelping = true;
    else if (item === null) return;
    else if (command === "why") this.focusWhy();
    else if (command === "edit") {
      this.draft = item.outcome ?? item.sides.find((side) => (side?.length ?? 0) > 0) ?? [];
      this.message = "Correction: Enter assigns a code, Delete removes one, Ctrl Enter saves.";
    } else if (command === "both" || command === "neither") void this.decide(command);
    else if (command.charCodeAt(0) - 65 < item.annotators.length)
      void this.decide(`accept-${command}`);
  }

  async decide(choice: string): Promise<void> {
    const { item } = this;
    if (item === null) return;
    const edit = choice === "edit" ? (this.draft ?? []).map(plain) : [];
    const { item_id, chart } = item;
    const body = { client_id: newId(), item_id, chart, choice, why: this.why, edit };
    try {
      const settled = await post<ReviewItem>(`/projects/${this.project.id}/review/decisions`, body);
      this.#replace(settled);
      this.message = `Decided: ${choice}. ${settled.state}.`;
      const says = this.message;
      await this.open(this.#nextOpen());
      this.message = says;
    } catch (error) {
      this.message = `Not saved. ${sentence(error)}`;
    }
  }

  pick(rows: readonly Row[]): void {
    const added = rows.map(({ choice: { system, code, name, known } }) => ({
      note: this.noteId,
      spans: [...this.spans],
      system,
      code,
      name,
      known,
    }));
    this.draft = [...(this.draft ?? []), ...added];
  }

  removeDraft(at: number): void {
    this.draft = (this.draft ?? []).filter((_, other) => other !== at);
  }

  /** Remove the statement of the draft that the cursor is on. */
  removeHere(): void {
    const drafted = this.items.filter(({ key }) => key.startsWith("draft"));
    const here = itemOver(drafted, this.range);
    if (here !== null) this.removeDraft(Number(here.key.slice("draftA".length)));
  }

  /** The words that somebody points at, in whichever note. */
  quote({ note, spans }: Statement): string {
    if (note === null) return "whole chart";
    const text = this.notes.get(note)?.text ?? "";
    const offsets = offsetsOf(text);
    return spans.map((span) => text.slice(...offsets.toUnits(span))).join(" … ");
  }

  async #read(id: number): Promise<void> {
    if (this.notes.has(id)) return;
    const note = await get<Note>(`/projects/${this.project.id}/notes/${id}`);
    this.notes = new Map(this.notes).set(id, note);
  }

  #replace(settled: ReviewItem): void {
    if (this.queue === null) return;
    const { items, states } = this.queue;
    const old = items.find((one) => one.item_id === settled.item_id);
    const counts = { ...states };
    if (old !== undefined) {
      counts[old.state] -= 1;
      counts[settled.state] += 1;
    }
    const now = items.map((one) => (one.item_id === settled.item_id ? settled : one));
    this.queue = { ...this.queue, states: counts, items: now };
  }

  #nextOpen(): number {
    const items = this.queue?.items ?? [];
    const next = items.findIndex((one, at) => at > this.at && one.state !== "settled");
    return next >= 0 ? next : this.at;
  }
}

function plain({ note, spans, system, code }: Statement): Omit<Statement, "name" | "known"> {
  return { note, spans, system, code };
}
