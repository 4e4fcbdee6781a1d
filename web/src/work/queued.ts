/** Work that waits in a queue: what of it is shown, and which item is open. */
export interface Queued<T> {
  readonly queue: {
    readonly total: number;
    readonly states: Readonly<Record<string, number>>;
    readonly items: readonly T[];
  } | null;
  filter: string;
  message: string;
  readonly at: number;
  load(): Promise<void>;
  open(at: number): Promise<void>;
}
