import type { CodeCount, Project } from "../api/types";
import type { Edges } from "../text/offsets";
import type { Row } from "./choices";

/** What the code box has to know of the page that it is on. */
export interface Boxed {
  readonly project: Project;
  /** The chart's codes, with those still without evidence. */
  readonly codes: readonly CodeCount[];
  readonly recent: readonly CodeCount[];
  readonly noteId: number;
  /** The marked words, as code points and as text. */
  readonly spans: readonly Edges[];
  readonly words: string;
  /** The code that is to be replaced, when one is. */
  readonly recoded: string;
  pick(rows: readonly Row[], isRecoding: boolean): void;
}
