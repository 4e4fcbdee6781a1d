/** The two-minute tour of the sample project. */

export interface TourStep {
  readonly title: string;
  readonly says: string;
}

export const STEPS: readonly TourStep[] = [
  {
    title: "A chart that never was",
    says: "Notes are on the left, codes on the right; nobody in them is real, so try what you like. Everything you do is saved at once, and “Saved” above is shown only when it is.",
  },
  {
    title: "Move by words",
    says: "The text has the keyboard. → and ← go from word to word, ↑ and ↓ by lines, Page Down to the next section. Shift takes more words; the mouse works as well.",
  },
  {
    title: "Give a code",
    says: "Go to a diagnosis and press Enter. The box suggests codes for the words and says why; a digit takes one. Letters search all codes. Billed codes that have no evidence yet are in the list.",
  },
  {
    title: "Once more, and everywhere",
    says: "r gives the last code again. e finds every place with the same words in the whole chart, shows them, and applies the code to all in one step.",
  },
  {
    title: "Suggestions",
    says: "Dashed underlines are offered by a model, in every second chart. j goes to the next mark; a accepts, x rejects, v takes another code.",
  },
  {
    title: "Nothing is final",
    says: "u undoes, Shift u redoes, as far back as you like. f finishes the chart. ? shows all keys. The other sample project has disagreements of two coders to review.",
  },
];
