/** Lines of text as elements. Everything here is text nodes: nothing of a note is ever HTML. */

import type { Line } from "./lines";
import { segmentsOf, type Segment, type Strip } from "./segments";

const LANE = 3;
const MOST_TAGS = 8;
const underlines = new Map<string, string>();

/** Draw a line in its element: its words with marks, and the codes that begin on it in the margin. */
export function fillLine(
  element: HTMLElement,
  text: string,
  line: Line,
  strips: readonly Strip[],
): void {
  const words = document.createElement("span");
  words.className = "words";
  if (strips.length === 0) {
    // A line break keeps an empty line as tall as the others.
    words.append(text.slice(line.begin, line.end) || document.createElement("br"));
    element.replaceChildren(words);
    element.style.lineHeight = "";
    return;
  }
  let depth = 0;
  for (const segment of segmentsOf(line, strips)) {
    words.append(drawSegment(text, segment));
    for (const strip of segment.strips) depth = Math.max(depth, strip.lane + 1);
  }
  element.style.lineHeight = depth > 2 ? `calc(1.85em + ${(depth - 2) * LANE}px)` : "";
  element.replaceChildren(words, drawMargin(line, strips));
}

function drawSegment(text: string, { begin, end, strips }: Segment): Node {
  const part = document.createTextNode(text.slice(begin, end));
  if (strips.length === 0) return part;
  const mark = document.createElement("mark");
  mark.append(part);
  mark.dataset["keys"] = strips.map((strip) => strip.item.key).join(" ");
  const depth = Math.max(...strips.map((strip) => strip.lane)) + 1;
  if (strips.some((strip) => strip.item.kind === "mine")) mark.className = "mine";
  mark.style.paddingBottom = `${depth * LANE}px`;
  mark.style.backgroundImage = strips.map((strip) => lineOf(strip)).join(",");
  const places = strips.map((strip) => `0 calc(100% - ${(depth - 1 - strip.lane) * LANE}px)`);
  mark.style.backgroundPosition = places.join(",");
  return mark;
}

/** Solid for one's own, dashed for what is offered, dotted for others': not by color alone. */
function lineOf({ item }: Strip): string {
  const name = `${item.kind}${item.color}`;
  let found = underlines.get(name);
  if (found === undefined) {
    const color = `var(--s${item.color})`;
    const gaps = {
      mine: "",
      given: " 0 5px, transparent 5px 9px",
      other: " 0 2px, transparent 2px 4px",
    };
    found =
      item.kind === "mine"
        ? `linear-gradient(${color}, ${color})`
        : `repeating-linear-gradient(90deg, ${color}${gaps[item.kind]})`;
    underlines.set(name, found);
  }
  return found;
}

function drawMargin(line: Line, strips: readonly Strip[]): HTMLElement {
  const margin = document.createElement("span");
  margin.className = "margin";
  const beginning = strips.filter(
    ({ begin, item }) => begin >= line.begin && begin === item.ranges[0]?.[0],
  );
  for (const { item } of beginning.slice(0, MOST_TAGS)) {
    const tag = document.createElement("span");
    tag.className = `tag s${item.color} ${item.kind}`;
    tag.dataset["keys"] = item.key;
    tag.textContent = (item.isFlagged ? "⚑ " : "") + item.tag;
    margin.append(tag, " ");
  }
  if (beginning.length > MOST_TAGS) margin.append(`+${beginning.length - MOST_TAGS}`);
  return margin;
}
