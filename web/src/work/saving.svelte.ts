/** The outbox of the person who is here, as pages see it. */

import { get, post, type Problem } from "../api/client";
import type { Done, History, Me, Operation, Sheet } from "../api/types";
import { seenBy, type Desk } from "./desk";
import { newId } from "./ids";
import { openOutbox, type Letter, type Outbox, type State } from "./outbox";

export interface Listener {
  onDone(letter: Letter, done: Done | null): void;
  onConflict(sheets: readonly Sheet[]): void;
}

let outbox: Outbox | null = null;
let owner = "";
let latest = 0;
let takenBack: Letter[] = [];
let letters = $state.raw<readonly Letter[]>([]);
let state = $state.raw<State>("saved");
let problem = $state.raw<Problem | null>(null);
const listeners = new Set<Listener>();

/** What is on its way, for pages to show. */
export const saving = {
  get letters(): readonly Letter[] {
    return letters;
  },
  get state(): State {
    return state;
  },
  get problem(): Problem | null {
    return problem;
  },
};

/** Open the outbox of somebody; what they left unsent is sent. */
export function openFor(me: Me): void {
  const whose = `${me.workbench}.${me.id}`;
  if (owner !== whose || outbox === null) {
    close();
    owner = whose;
    outbox = openOutbox({
      owner,
      shelf: localStorage,
      post: {
        send: (letter) =>
          post<Done>(
            `/projects/${letter.project}/${letter.kind === "step" ? "steps" : letter.kind}`,
            letter.body,
          ),
        history: (project) => get<History>(`/projects/${project}/history`),
      },
      onDone: (letter, done) => listeners.forEach((one) => one.onDone(letter, done)),
      onConflict: (sheets) => listeners.forEach((one) => one.onConflict(sheets)),
      onChange: show,
      pause,
    });
    show();
  }
  void outbox.run();
}

/** Send nothing more, when somebody has logged out. What waits is kept for their return. */
export function close(): void {
  outbox?.close();
  outbox = null;
  takenBack = [];
  show();
}

export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Make changes to a chart: one step, which is undone as one. */
export function change(project: number, desk: Desk, changes: Operation[]): void {
  if (changes.length === 0) return;
  takenBack = [];
  const body = { client_id: newId(), seen: seenBy(desk, changes), changes };
  outbox?.add({ kind: "step", project, made: moment(), isTried: false, body });
}

export function undo(project: number): void {
  // What never left the browser is simply taken back.
  const back = outbox?.takeBack(project);
  if (back) takenBack.push(back);
  else stepBack("undo", project);
}

export function redo(project: number): void {
  const letter = takenBack.pop();
  if (letter !== undefined) outbox?.add({ ...letter, made: moment() });
  else stepBack("redo", project);
}

export const dropRefused = (): void => outbox?.drop();
export const sendAgain = (): void => outbox?.again(newId);
export const sendNow = (): void => {
  wake();
  void outbox?.run();
};

function stepBack(kind: "undo" | "redo", project: number): void {
  const body = { client_id: newId(), seq: null };
  outbox?.add({ kind, project, made: moment(), isTried: false, body });
}

/** The time, but never the same twice: letters are sent in this order. */
function moment(): number {
  latest = Math.max(latest + 1, Date.now());
  return latest;
}

function show(): void {
  letters = outbox?.letters ?? [];
  state = outbox?.state ?? "saved";
  problem = outbox?.problem ?? null;
}

let wake = (): void => undefined;

/** Wait, but no longer than until the network is back. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    wake = () => {
      clearTimeout(timer);
      window.removeEventListener("online", wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    window.addEventListener("online", wake);
  });
}
