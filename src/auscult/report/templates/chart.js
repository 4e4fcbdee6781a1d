// Selecting a code highlights its evidence and scrolls to the first span; selecting it again goes to the next.
const chart = document.getElementById("chart");
const places = (key) => [...chart.querySelectorAll("[data-on]")].filter((el) => el.dataset.on.split(" ").includes(key));
let chosen = null;
let at = 0;
for (const button of chart.querySelectorAll("button[data-key]")) {
  button.addEventListener("click", () => {
    const found = places(button.dataset.key);
    const marks = found.filter((el) => el.tagName === "MARK");
    if (chosen === button && at + 1 < marks.length) {
      at += 1;
    } else if (chosen === button) {
      for (const el of found) el.classList.remove("lit");
      button.setAttribute("aria-pressed", "false");
      chart.classList.remove("off");
      chosen = null;
      return;
    } else {
      for (const el of chart.querySelectorAll(".lit")) el.classList.remove("lit");
      if (chosen) chosen.setAttribute("aria-pressed", "false");
      for (const el of found) el.classList.add("lit");
      button.setAttribute("aria-pressed", "true");
      chart.classList.add("off");
      chosen = button;
      at = 0;
    }
    if (marks[at]) marks[at].scrollIntoView({ block: "center" });
  });
}
