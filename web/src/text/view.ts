/** A note's text on screen. Marks are elements; cursor, hits and the active mark are highlights. */

import { fillLine } from "./draw";
import { lineAt, type Line } from "./lines";
import type { Edges } from "./offsets";
import { byLine, looksSame, stripsOf, type Item, type Strip } from "./segments";

const LINES_PER_BLOCK = 40;
/** More than a screen holds, both ways. */
const LINES_AROUND = 80;
const PRIORITY = { hit: 0, active: 1, pinned: 2, selected: 3 };
export type Highlighting = "selected" | "active" | "hit" | "pinned";

export interface TextView {
  /** Mark items; only lines that look different afterwards are drawn again. */
  mark(items: readonly Item[]): void;
  /** Highlight ranges, in UTF-16 units. */
  highlight(what: Highlighting, ranges: readonly Edges[]): void;
  reveal(unit: number): void;
  /** The unit at a position of the document, or null when it is not in the words. */
  unitAt(node: Node, offset: number): number | null;
  /** Where a range is on screen. */
  boxOf(range: Edges): DOMRect;
  close(): void;
}

/**
 * Show a text. Its lines are there at once. Marks are drawn at once where the reader is, and in the
 * rest of a long text while the browser has nothing else to do.
 */
export function showText(host: HTMLElement, text: string, lines: readonly Line[]): TextView {
  let strips = new Map<number, Strip[]>();
  /** What is drawn on each line. */
  const drawn: (readonly Strip[] | undefined)[] = [];
  let at = 0;
  let waiting = 0;
  const elements = build();

  function build(): HTMLElement[] {
    const blocks: HTMLElement[] = [];
    const made = lines.map((line, number) => {
      const element = document.createElement("div");
      element.className = "line";
      element.dataset["line"] = String(number);
      fillLine(element, text, line, []);
      if (number % LINES_PER_BLOCK === 0) {
        const block = document.createElement("div");
        block.className = "block";
        blocks.push(block);
      }
      blocks.at(-1)!.append(element);
      return element;
    });
    host.replaceChildren(...blocks);
    return made;
  }

  function mark(items: readonly Item[]): void {
    strips = byLine(stripsOf(items), lines);
    drawAround(at);
    drawLater();
  }

  /** Draw what has changed on some lines; says how many were drawn. */
  function drawLines(from: number, to: number): number {
    let count = 0;
    for (let number = Math.max(0, from); number < Math.min(to, lines.length); number++) {
      const now = strips.get(number);
      if (looksSame(now, drawn[number])) continue;
      fillLine(elements[number]!, text, lines[number]!, now ?? []);
      drawn[number] = now;
      count += 1;
    }
    return count;
  }

  function drawAround(line: number): void {
    // Elements that are drawn again have new text nodes: highlights on them have to follow.
    if (drawLines(line - LINES_AROUND, line + LINES_AROUND) > 0) drawHighlights();
  }

  /** The rest, a slice at a time, beginning where the last one ended. */
  function drawLater(from = 0): void {
    cancelIdle(waiting);
    if (from >= lines.length) return drawHighlights();
    waiting = whenIdle((hasTime) => {
      let next = from;
      do {
        drawLines(next, next + LINES_PER_BLOCK);
        next += LINES_PER_BLOCK;
      } while (next < lines.length && hasTime());
      drawLater(next);
    });
  }

  const shown = new Map<Highlighting, readonly Edges[]>();

  function draw(what: Highlighting, ranges: readonly Edges[]): void {
    const highlights = (CSS as { highlights?: HighlightRegistry }).highlights;
    if (highlights === undefined) return;
    const highlight = new Highlight(...ranges.flatMap(([begin, end]) => rangesOf(begin, end)));
    highlight.priority = PRIORITY[what];
    highlights.set(what, highlight);
  }

  function drawHighlights(): void {
    for (const [what, ranges] of shown) draw(what, ranges);
  }

  function position(line: number, unit: number): [Node, number] {
    const words = elements[line]!.firstElementChild!;
    let left = unit - lines[line]!.begin;
    const walker = document.createTreeWalker(words, NodeFilter.SHOW_TEXT);
    let last: Node | null = null;
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const length = (node as Text).length;
      if (left <= length) return [node, left];
      left -= length;
      last = node;
    }
    return last === null ? [words, 0] : [last, (last as Text).length];
  }

  /** One range per line, so that the margin between two lines is not part of it. */
  function rangesOf(begin: number, end: number): Range[] {
    const found: Range[] = [];
    const last = lineAt(lines, Math.max(begin, end - 1));
    for (let at = lineAt(lines, begin); at <= last; at++) {
      const line = lines[at]!;
      const range = new Range();
      range.setStart(...position(at, Math.max(begin, line.begin)));
      range.setEnd(...position(at, Math.min(end, line.end)));
      found.push(range);
    }
    return found;
  }

  return {
    mark,
    highlight(what, ranges) {
      shown.set(what, ranges);
      draw(what, ranges);
    },
    reveal(unit) {
      at = lineAt(lines, unit);
      drawAround(at);
      elements[at]?.scrollIntoView({ block: "nearest" });
    },
    unitAt(node, offset) {
      const element = node instanceof Element ? node : node.parentElement;
      const words = element?.closest(".words");
      const line = words?.parentElement;
      if (!words || !line || !host.contains(line)) return null;
      const before = new Range();
      before.setStart(words, 0);
      before.setEnd(node, offset);
      return lines[Number(line.dataset["line"])]!.begin + before.toString().length;
    },
    boxOf([begin, end]) {
      return rangesOf(begin, end)[0]!.getBoundingClientRect();
    },
    close() {
      cancelIdle(waiting);
      const highlights = (CSS as { highlights?: HighlightRegistry }).highlights;
      for (const what of shown.keys()) highlights?.delete(what);
      host.replaceChildren();
    },
  };
}

/** Safari has no requestIdleCallback: a short pause does. */
function whenIdle(work: (hasTime: () => boolean) => void): number {
  if (!("requestIdleCallback" in globalThis))
    return Number(setTimeout(() => work(() => false), 16));
  return requestIdleCallback((deadline) => work(() => deadline.timeRemaining() > 2), {
    timeout: 200,
  });
}

function cancelIdle(handle: number): void {
  if ("cancelIdleCallback" in globalThis) cancelIdleCallback(handle);
  else clearTimeout(handle);
}
