/** How times, dates, counts and metrics are formatted. */

import type { MetricOut } from "../api/types";

type Shown = Pick<MetricOut, "value" | "interval" | "undefined">;

/** When something happened, by the reader's own clock: `2026-03-04 17:05`. */
export function momentOf(time: string, isExact = false): string {
  // Swedes write dates as ISO does.
  return new Date(time).toLocaleString("sv", {
    dateStyle: "short",
    timeStyle: isExact ? "medium" : "short",
  });
}

/** The day of a note or a term, as it was written. */
export const dayOf = (time: string | null | undefined): string => time?.slice(0, 10) ?? "";

/** A metric with its interval, or why it has no value. */
export function measured({ value, interval, undefined: why }: Shown): string {
  if (value === null) return `undefined: ${why ?? ""}`;
  return (
    value.toFixed(3) + (interval ? ` (${interval.map((one) => one.toFixed(3)).join(" to ")})` : "")
  );
}

/** “1 chart”, “1,200 charts”. */
export const counted = (count: number, one: string, several = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
