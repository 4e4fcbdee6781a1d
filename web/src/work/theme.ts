/** Light or dark: as the system has it, unless somebody chose. */

export type Theme = "system" | "light" | "dark";

const KEY = "auscult.theme";

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  applyTheme();
}

/** The style sheet has its dark colors in a media rule: the rule is made to hold, or not to. */
export function applyTheme(): void {
  const condition = {
    system: "(prefers-color-scheme: dark)",
    light: "not all",
    dark: "all",
  }[chosenTheme()];
  for (const rule of darkRules()) rule.media.mediaText = condition;
  document.documentElement.style.colorScheme = {
    system: "light dark",
    light: "light",
    dark: "dark",
  }[chosenTheme()];
}

let found: CSSMediaRule[] | null = null;

function darkRules(): CSSMediaRule[] {
  found ??= [...document.styleSheets].flatMap((sheet) =>
    [...sheet.cssRules].filter(
      (rule): rule is CSSMediaRule =>
        rule instanceof CSSMediaRule && rule.media.mediaText.includes("prefers-color-scheme: dark"),
    ),
  );
  return found;
}
