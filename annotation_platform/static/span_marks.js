/* The marks of a step: they stand as JSON in its own field (core/schemes/spans.py says how), and are drawn over the
   texts from there. */
import { all, changed, entry, onRefresh, shownSteps, steps } from "./annotate.js";
import { draw, texts, words } from "./marked_texts.js";

const MOST_QUOTED = 60;
export const isOf = (step) => step.dataset.kind === "spans";

export const order = (a, b) => {
  const [one, other] = [a.text, b.text];
  if (one !== other) return one < other ? -1 : 1;
  return a.start - b.start || a.end - b.end || (a.label < b.label ? -1 : Number(a.label > b.label));
};
export function marksOf(step) {
  try {
    const read = JSON.parse(entry(step).value);
    return Array.isArray(read) ? read.filter((each) => each && typeof each === "object") : [];
  } catch { return []; } // nothing, or not written by this page: it stays as it is, and the server says what is wrong
}
export function store(step, marks) {
  entry(step).value = marks.length ? JSON.stringify(marks.sort(order)) : "";
  changed(entry(step));
}
export const labelsOf = (step) => all("[data-label]", step);
export const labelOf = (step, key) => labelsOf(step).find((each) => each.dataset.label === key);
export const wordsOf = (label) => label.querySelector("[data-label-text]").textContent;

export const canMark = (step, text) => (
  step.dataset.marks.split(" ").includes(text.dataset.part) && step.dataset.candidate === text.dataset.candidate
);
export const textOf = (step, mark) => texts().find((text) => text.dataset.marked === mark.text && canMark(step, text));
export const isWithin = (text, mark) => (
  Number.isInteger(mark.start) && Number.isInteger(mark.end) && mark.start < mark.end && words(text, mark).length > 0
);
export const quoted = (text, mark) => {
  const said = words(text, mark).replace(/\s+/g, " ");
  return said.length > MOST_QUOTED ? `${said.slice(0, MOST_QUOTED - 1)}…` : said;
};

export const announce = (told) => { document.getElementById("marking-said").textContent = told; };

/* ---- Drawing ---- */
export const identity = (step, mark) => `${step.dataset.slot}/${mark.text}/${mark.start}/${mark.end}/${mark.label}`;
onRefresh(() => {
  const own = steps().filter(isOf);
  const shown = shownSteps().filter(isOf);
  for (const text of own.length ? texts() : []) {
    draw(text, shown.filter((step) => canMark(step, text)).flatMap((step) => (
      marksOf(step).filter((mark) => mark.text === text.dataset.marked && labelOf(step, mark.label) && isWithin(text, mark)).map((mark) => {
        const { colour, sign } = labelOf(step, mark.label).dataset;
        return { start: mark.start, end: mark.end, colour, sign, id: identity(step, mark) };
      })
    )));
  }
});
