/** What goes over the wire, as the server describes it. Offsets count code points. */

import type { Edges } from "../text/offsets";

export type Role = "coder" | "reviewer" | "supervisor";
export type By = "hand" | "suggestion" | "given" | "search" | "repeat";

export interface Me {
  id: number;
  name: string;
  is_admin: boolean;
  is_local: boolean;
  csrf: string;
  /** Which workbench it is: others may be served at the same address. */
  workbench?: string;
}

export interface ProjectInList {
  id: number;
  name: string;
  about: string;
  role: Role | null;
  charts: number;
  assigned: number;
  finished: number;
  is_sample: boolean;
  is_archived: boolean;
}

export interface Project {
  id: number;
  name: string;
  about: string;
  role: Role;
  systems: string[];
  evidence: "sufficient" | "complete";
  coders_per_chart: number;
  guidelines: string;
  guidelines_html: string;
  logs_suggestions: boolean;
  has_vocabulary: boolean;
  corpus: Record<string, unknown>;
  charts: number;
  is_sample: boolean;
  is_archived: boolean;
  seq: number;
}

export interface ChartInList {
  id: number;
  chart_id: string;
  position: number;
  notes: number;
  characters: number;
  annotations: number;
  assigned: boolean;
  finished: boolean;
  batch: string | null;
  coders: string[] | null;
}

export interface ChartList {
  total: number;
  charts: ChartInList[];
}

export interface NoteInList {
  id: number;
  note_id: string;
  category: string | null;
  time: string | null;
  characters: number;
  has_text: boolean;
  annotations: number;
  given: number;
  version: number;
}

export interface Origin {
  by: By;
  shown?: number | null;
  rank?: number | null;
  given?: number | null;
}

/** An annotation as the client makes it. */
export interface NewAnnotation {
  id: string;
  chart: number;
  note: number | null;
  spans: Edges[];
  system: string;
  code: string;
  comment?: string;
  origin?: Origin;
}

export interface Annotation extends Required<NewAnnotation> {
  person: number;
  annotator: string;
  version: number;
  seq: number;
  known: boolean | null;
  name: string | null;
}

export type Verdict = "accepted" | "rejected" | null;

export interface Given {
  id: number;
  source: string;
  chart: number;
  note: number | null;
  spans: Edges[];
  system: string;
  code: string;
  score: number | null;
  known: boolean | null;
  name: string | null;
  verdict: Verdict;
}

export interface Place {
  chart: number;
  note: number | null;
}

export interface SheetVersion extends Place {
  version: number;
}

export interface Sheet extends SheetVersion {
  annotations: Annotation[];
  given: Given[];
}

export interface CodeCount {
  system: string;
  code: string;
  name: string | null;
  known: boolean | null;
  billed: boolean;
  evidence: number;
}

export interface Chart {
  chart: ChartInList;
  notes: NoteInList[];
  whole: Sheet;
  codes: CodeCount[];
}

export interface Note {
  id: number;
  chart: number;
  note_id: string;
  category: string | null;
  time: string | null;
  text: string | null;
  sheet: Sheet;
  others: Annotation[] | null;
}

export interface Hit {
  note: number;
  span: Edges;
  before: string;
  text: string;
  after: string;
}

export interface Hits {
  total: number;
  hits: Hit[];
}

export type Operation =
  | { op: "add" | "change"; annotation: NewAnnotation }
  | { op: "remove"; id: string }
  | { op: "judge"; given: number; verdict: "rejected" | null }
  | { op: "finish"; chart: number; finished: boolean };

export interface Step {
  client_id: string;
  seen: SheetVersion[];
  changes: Operation[];
}

export interface StepName {
  seq: number;
  kind: string;
  changes: number;
  chart: number;
  note: number | null;
  code: string | null;
}

export interface History {
  undo: StepName | null;
  redo: StepName | null;
}

export interface Done {
  seq: number;
  repeated: boolean;
  sheets: SheetVersion[];
  annotations: Annotation[];
  removed: string[];
  verdicts: { given: number; verdict: Verdict }[];
  finished: { chart: number; finished: boolean }[];
  history: History;
}

export interface Pair {
  system: string;
  code: string | null;
  name: string | null;
  step: string;
  alternatives: string[];
}

export interface CodeChoice {
  rank: number;
  system: string;
  code: string;
  name: string | null;
  score: number | null;
  why: string;
  known: boolean | null;
  billable: boolean | null;
  billed: boolean;
  pair: Pair | null;
}

export interface Codes {
  shown: number | null;
  words: string;
  codes: CodeChoice[];
}

export interface Member {
  person: number;
  name: string;
  role: Role;
}

export interface Progress extends Member {
  assigned: number;
  started: number;
  finished: number;
  annotations: number;
  last: string | null;
  batches: Record<string, [number, number]>;
}

export interface GivenSource {
  source: string;
  annotations: number;
  of_charts: number;
  accepted: number;
  rejected: number;
}

export interface Person {
  id: number;
  name: string;
  is_admin: boolean;
  is_active: boolean;
  has_password: boolean;
}

export interface AuditRow {
  id: number;
  time: string;
  person: string;
  action: string;
  project: number | null;
  chart_id: string | null;
  note_id: string | null;
  detail: string;
  address: string;
}

export interface Statement {
  note: number | null;
  spans: Edges[];
  system: string;
  code: string;
  name: string | null;
  known: boolean | null;
}

export type ItemState = "open" | "contested" | "settled";

export interface ReviewItem {
  item_id: string;
  chart: number;
  chart_id: string;
  cause: string;
  coders: string[];
  sides: (Statement[] | null)[];
  state: ItemState;
  outcome: Statement[] | null;
  decisions: {
    person: string;
    choice: string;
    why: string;
    round: number;
    is_supervisor: boolean;
    time: string;
    edit: Statement[];
  }[];
}

export interface ReviewQueue {
  total: number;
  states: Record<ItemState, number>;
  causes: Record<string, number>;
  waiting: number;
  items: ReviewItem[];
}

export interface MeasureOut {
  value: number | null;
  interval: [number, number] | null;
  undefined: string | null;
  n?: number | null;
}

export interface AgreementGroup {
  coders: string[];
  charts: number;
  items: number;
  states: Record<ItemState, number>;
  causes: Record<string, number>;
  before: Record<string, MeasureOut>;
  after: Record<string, MeasureOut>;
  upheld: Record<string, number>;
}

export interface Agreement {
  groups: AgreementGroup[];
  definitions: Record<string, string>;
}

export const PHI_KINDS = [
  "NAME",
  "DATE",
  "AGE",
  "PHONE",
  "ID",
  "EMAIL",
  "URL",
  "LOCATION",
  "HOSPITAL",
] as const;
export type PhiKind = (typeof PHI_KINDS)[number];
export type PhiChoice = "keep" | "replace" | "generalise" | "delete";

export interface Finding {
  item_id: string;
  chart: number;
  chart_id: string;
  note: number;
  note_id: string;
  span: Edges;
  kind: PhiKind;
  before: string;
  words: string;
  after: string;
  doubt: string;
  hides: boolean;
  found_by: string | null;
  decision: {
    id: number;
    person: string;
    choice: PhiChoice;
    replacement: string | null;
    why: string;
    time: string;
  } | null;
  decisions: number;
}

export interface Findings {
  total: number;
  states: { open: number; decided: number };
  kinds: Record<string, number>;
  items: Finding[];
}

export interface ChallengeInList {
  name: string;
  title: string;
  is_published: boolean;
}

export interface Submission {
  number: number;
  time: string;
  team: string;
  status: "accepted" | "invalid" | "refused";
  attempt: number | null;
  file: string;
  documents: number;
  codes: number;
  problems: number;
}

export interface Challenge {
  name: string;
  title: string;
  systems: string[];
  codes: number;
  train: number;
  test: number;
  attempts: number;
  left: number;
  feedback: "counts" | "scores";
  counting: "last" | "best";
  team: string;
  may_organise: boolean;
  is_published: boolean;
  shows_ranking: boolean;
  submissions: Submission[];
}

export interface Receipt {
  submission: Submission;
  left: number;
  problems: { kind: string; says: string; row: number | null; is_error: boolean }[];
  scores: Record<string, number | null> | null;
}

export interface Ranked {
  name: string;
  rank: number | null;
  ranks: [number, number] | null;
  is_person: boolean;
  is_own: boolean;
  attempts: number;
  measures: Record<string, MeasureOut>;
}

export interface Ranking {
  documents: number;
  codes: number;
  rows: Ranked[];
  definitions: Record<string, string>;
}
