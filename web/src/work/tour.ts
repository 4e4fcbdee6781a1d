/** The two-minute tour of the sample project. */

export interface TourStep {
  readonly title: string;
  readonly says: string;
}

export const STEPS: readonly TourStep[] = [
  {
    title: "A synthetic chart",
    says: "Notes are on the left, codes on the right. The patients are synthetic, so try anything. Every change is saved at once; “Saved” at the top appears only when the server has it.",
  },
  {
    title: "Move by word",
    says: "The keyboard controls the note text. → and ← move by word, ↑ and ↓ by line, Page Down to the next section. Hold Shift to extend the selection, or use the mouse.",
  },
  {
    title: "Assign a code",
    says: "Go to a diagnosis and press Enter. The code box suggests codes with a reason for each; press a digit to choose one, or type to search all codes. The list includes billed codes that still need evidence.",
  },
  {
    title: "Repeat, and apply everywhere",
    says: "r assigns the last code again. e finds every occurrence of the same words in the chart, shows a preview, and applies the code to all of them in one step.",
  },
  {
    title: "Suggestions",
    says: "Dashed underlines are model predictions, shown in every second chart. j goes to the next one; a accepts it, x rejects it, v changes its code.",
  },
  {
    title: "Undo and finish",
    says: "u undoes and Shift u redoes, any number of steps. f finishes the chart. ? shows all keyboard shortcuts. The other sample project has disagreements between two coders to review.",
  },
];
