/** De-identification review: the queue of findings, the open note, decisions. */

import { get, post, Problem, sentence } from "../api/client";
import {
  PHI_KINDS,
  type Finding,
  type Findings,
  type Note,
  type PhiChoice,
  type PhiKind,
  type Project,
} from "../api/types";
import type { HidingCommand } from "../keys/keymap";
import { groundOf } from "../text/ground";
import { offsetsOf, type Offsets } from "../text/offsets";
import type { Item } from "../text/segments";
import { covered, selectionOf, type Selection } from "../text/selection";
import { newId } from "./ids";

export type HidingFilter = "open" | "decided" | "";
const PAGE = 200;

export class Hiding {
  readonly project: Project;
  queue = $state.raw<Findings | null>(null);
  filter = $state<HidingFilter>("open");
  /** Show certain findings too, which are replaced unless somebody keeps them. */
  showsCertain = $state(false);
  at = $state(0);
  replacement = $state("");
  why = $state("");
  message = $state("");
  isHelping = $state(false);
  isMarking = $state(false);
  selection = $state.raw<Selection>({ anchor: [0, 0], focus: [0, 0] });
  notes = $state.raw<ReadonlyMap<number, Note>>(new Map());
  focusText: () => void = () => undefined;
  focusField: (field: "replacement" | "why") => void = () => undefined;

  readonly item = $derived<Finding | null>(this.queue?.items[this.at] ?? null);
  readonly note = $derived(this.item === null ? null : (this.notes.get(this.item.note) ?? null));
  readonly text = $derived(this.note?.text ?? "");
  readonly offsets = $derived(offsetsOf(this.text));
  readonly ground = $derived(groundOf(this.text));
  readonly items = $derived(
    itemsOfFindings(
      (this.queue?.items ?? []).filter((one) => one.note === this.item?.note),
      this.offsets,
    ),
  );
  readonly range = $derived(covered(this.selection));
  readonly words = $derived(this.text.slice(...this.range));

  constructor(project: Project) {
    this.project = project;
  }

  async load(at = 0): Promise<void> {
    const state = this.filter === "" ? "" : `&state=${this.filter}`;
    const asked = `limit=${PAGE}&doubtful=${!this.showsCertain}${state}`;
    this.queue = await get<Findings>(`/projects/${this.project.id}/deid?${asked}`);
    this.at = 0;
    await this.open(at);
  }

  async open(at: number): Promise<void> {
    const item = this.queue?.items[at];
    if (item === undefined) {
      if (at > 0) this.message = "No more findings.";
      return;
    }
    if (!this.notes.has(item.note)) {
      const note = await get<Note>(`/projects/${this.project.id}/notes/${item.note}`);
      this.notes = new Map(this.notes).set(item.note, note);
    }
    [this.at, this.why, this.message] = [at, "", ""];
    this.replacement = item.decision?.replacement ?? "";
    this.selection = selectionOf(this.offsets.toUnits(item.span));
  }

  run(command: HidingCommand): void {
    if (command === "help") this.isHelping = true;
    else if (command === "next" || command === "previous") {
      void this.open(this.at + (command === "next" ? 1 : -1));
    } else if (this.item === null) return;
    else if (command === "write") this.focusField("replacement");
    else if (command === "why") this.focusField("why");
    else if (command === "missed") this.isMarking = true;
    else void this.decide(command);
  }

  async decide(choice: PhiChoice): Promise<void> {
    const { item } = this;
    if (item === null) return;
    const body = {
      client_id: newId(),
      item_id: item.item_id,
      seen: item.decision?.id ?? null,
      choice,
      replacement: choice === "replace" && this.replacement !== "" ? this.replacement : null,
      why: this.why,
    };
    try {
      this.#replace(await post<Finding>(`/projects/${this.project.id}/deid/decisions`, body));
      const next = this.#nextOpen();
      if (next === null && this.filter === "open") await this.load();
      else if (next !== null) await this.open(next);
      this.message = `Decided: ${choice}.`;
    } catch (error) {
      // What somebody else decided meanwhile is shown, to be decided on again.
      if (error instanceof Problem && error.status === 409 && error.details["item"] !== undefined)
        this.#replace(error.details["item"] as Finding);
      this.message = `Not saved. ${sentence(error)}`;
    }
  }

  /** The words under the cursor were missed: they are added, and replaced. */
  async add(kind: PhiKind): Promise<void> {
    const { item } = this;
    this.isMarking = false;
    if (item === null) return;
    const [begin, end] = this.offsets.toPoints(this.range);
    const body = { client_id: newId(), note: item.note, begin, end, kind, why: this.why };
    try {
      const made = await post<Finding>(`/projects/${this.project.id}/deid/findings`, body);
      const items = [...(this.queue?.items ?? [])];
      items.splice(this.at + 1, 0, made);
      if (this.queue !== null) {
        const states = { ...this.queue.states, decided: this.queue.states.decided + 1 };
        this.queue = { ...this.queue, states, items };
      }
      this.message = `Added as ${kind}, to be replaced.`;
    } catch (error) {
      this.message = `Not saved. ${sentence(error)}`;
    }
  }

  #replace(now: Finding): void {
    if (this.queue === null) return;
    const old = this.queue.items.find((one) => one.item_id === now.item_id);
    const states = { ...this.queue.states };
    if (old?.decision === null && now.decision !== null) {
      states.open -= 1;
      states.decided += 1;
    }
    const items = this.queue.items.map((one) => (one.item_id === now.item_id ? now : one));
    this.queue = { ...this.queue, states, items };
  }

  #nextOpen(): number | null {
    const found = (this.queue?.items ?? []).findIndex(
      (one, at) => at > this.at && one.decision === null,
    );
    return found >= 0 ? found : null;
  }
}

/** Places as marks: those decided on solid, the others dashed, with their kind in the margin. */
export function itemsOfFindings(findings: readonly Finding[], offsets: Offsets): Item[] {
  return findings.map((one) => ({
    key: one.item_id,
    kind: one.decision === null ? "given" : "mine",
    ranges: [offsets.toUnits(one.span)],
    tag: one.decision === null ? `${one.kind}?` : `${one.kind} ${one.decision.choice}`,
    color: (PHI_KINDS.indexOf(one.kind) % 6) + 1,
    isFlagged: false,
  }));
}
