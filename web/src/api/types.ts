/**
 * What goes over the wire. The shapes are made from the server's description of itself (`npm run
 * types`), so that the two cannot drift apart. Offsets count code points.
 */

import type { Edges } from "../text/offsets";
import type * as Wire from "./schema";

/** A shape with its pairs of numbers, which are ranges and intervals, as what the text calls so. */
type Ranged<T> = T extends [number, number]
  ? Edges
  : T extends (infer One)[]
    ? Ranged<One>[]
    : T extends object
      ? { [Key in keyof T]: Ranged<T[Key]> }
      : T;

export type {
  AuditRow,
  ChallengeInList,
  ChallengeOut as Challenge,
  ChartInList,
  ChartList,
  CodeCount,
  CodeOut as CodeChoice,
  CodesOut as Codes,
  FunnelRowOut as FunnelRow,
  GivenSource,
  History,
  Me,
  MemberOut as Member,
  NoteInList,
  Origin,
  Pair,
  PersonOut as Person,
  PreAnnotationOut as PreAnnotation,
  ProgressOut as Progress,
  ProjectInList,
  ProjectOut as Project,
  ReceiptOut as Receipt,
  Role,
  SheetVersion,
  StepName,
  SubmissionOut as Submission,
} from "./schema";
export type Agreement = Ranged<Wire.AgreementOut>;
export type AgreementGroup = Ranged<Wire.AgreementGroup>;
export type Annotation = Ranged<Wire.AnnotationOut>;
export type Chart = Ranged<Wire.ChartOut>;
export type Done = Ranged<Wire.Done>;
export type Finding = Ranged<Wire.FindingOut>;
export type Findings = Ranged<Wire.FindingsOut>;
export type Given = Ranged<Wire.GivenOut>;
export type Hit = Ranged<Wire.Hit>;
export type Hits = Ranged<Wire.Hits>;
export type MetricOut = Ranged<Wire.MetricOut>;
export type Note = Ranged<Wire.NoteOut>;
export type Ranked = Ranged<Wire.RankedOut>;
export type Ranking = Ranged<Wire.RankingOut>;
export type ReviewItem = Ranged<Wire.ItemOut>;
export type ReviewQueue = Ranged<Wire.ItemsOut>;
export type Sheet = Ranged<Wire.SheetOut>;
export type Statement = Ranged<Wire.StatementOut>;

export type By = Wire.Origin["by"];
export type ItemState = ReviewItem["state"];
export type Place = Pick<Wire.SheetVersion, "chart" | "note">;
export type Verdict = Given["verdict"];

/** An annotation as the client makes it: it always says of which note, and where. */
export type NewAnnotation = Ranged<Wire.NewAnnotation> & Pick<Annotation, "note" | "spans">;
export type Operation =
  { op: "add" | "change"; annotation: NewAnnotation } | Wire.Remove | Wire.Judge | Wire.Finish;
export interface Step extends Pick<Wire.Step, "client_id"> {
  seen: Wire.SheetVersion[];
  changes: Operation[];
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
] as const satisfies readonly Wire.PhiKind[];
export type PhiKind = Wire.PhiKind;
export type PhiChoice = NonNullable<Finding["decision"]>["choice"];
