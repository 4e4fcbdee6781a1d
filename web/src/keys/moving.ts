/** Moves of the cursor, as the keys name them. */

import { moved, type Ground, type Selection, type Unit } from "../text/selection";
import { MOVES, type MoveCommand } from "./keymap";

const names: ReadonlySet<string> = new Set(MOVES.map(({ command }) => command));

export function isMove(command: string): command is MoveCommand {
  return names.has(command);
}

/** The selection after a move. */
export function move(ground: Ground, selection: Selection, command: MoveCommand): Selection {
  if (command === "widen") return moved(ground, selection, "character", 1, true);
  if (command === "narrow") return moved(ground, selection, "character", -1, true);
  const extends_ = command.startsWith("extend ");
  const rest = extends_ ? command.slice("extend ".length) : command;
  const isBack = rest.endsWith(" back");
  const unit = (isBack ? rest.slice(0, -" back".length) : rest) as Unit;
  return moved(ground, selection, unit, isBack ? -1 : 1, extends_);
}
