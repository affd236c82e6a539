/* The form of the question page: what was said in each step, which steps are asked, and what is drawn from that.
   The form's own fields are the state; everything else is drawn from them by `refresh`. The other scripts of the
   page stand on what it exports. It also runs where a form is only looked at (a scheme's preview). */
import { saysNone, saysNothing } from "./annotate_citations.js";
import { holds as isMet } from "./conditions.js";

export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const form = () => document.getElementById("form");
export const steps = () => (form() ? all(".step", form()) : []);
/* The answer that takes the place of all steps, with its reason. */
const cannotJudge = () => all("#cannot-judge input, #cannot-judge textarea", form());
export const isShown = (step) => !step.classList.contains("is-not-asked") && !cannotJudge().some((field) => field.checked);
export const shownSteps = () => steps().filter(isShown);
export const changed = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));
export const pageData = () => JSON.parse(document.getElementById("annotate-texts").textContent);
export const text = (name, number) => (
  pageData()[name].replace("%s", () => number.toLocaleString(document.documentElement.lang))
);

/* ---- What was said in a step ---- */
export const PREFIX = "aspect-";
const NONE = "none";
export const noneBox = (step) => step.querySelector("[data-none]");
const forcedBox = (step) => step.querySelector('.box input:not([data-none])');
export const entry = (step) => step.querySelector("textarea, input[type=text], input[type=number]");
export const choices = (step) => all(".options input", step);

/* As the server's drafts have it: a list as people type it, the explicit "none" as the word. */
function typedIn(step) {
  const chosen = choices(step).filter((each) => each.checked).map((each) => each.value).join(", ");
  const typed = chosen || (entry(step) ? entry(step).value : "");
  return !typed.trim() && noneBox(step) && noneBox(step).checked ? NONE : typed;
}

/* As conditions see it (said_in in core/schemes/judgment.py); of marks their labels. */
function said(step) {
  const typed = typedIn(step).trim();
  if (step.dataset.kind === "spans") return labelsIn(typed);
  if (step.dataset.kind === "range" && entry(step) && typed) return String(Number(typed)); // 0.50 is 0.5
  if (step.dataset.kind === "sentences") return citedAs(typed, pageData().citations);
  if (step.dataset.kind !== "several") return typed || null;
  const list = typed.split(",").map((each) => each.trim()).filter(Boolean);
  if (!list.length) return null;
  return list.length === 1 && list[0].toLowerCase() === NONE ? [] : list;
}
function citedAs(typed, citations) {
  if (saysNothing(typed, citations)) return null;
  return saysNone(typed, citations) ? [] : [typed];
}
function labelsIn(typed) {
  if (!typed) return null;
  if (typed.toLowerCase() === NONE) return [];
  try {
    const read = JSON.parse(typed);
    return Array.isArray(read) ? read.map((each) => each.label) : [typed];
  } catch { return [typed]; }
}
const isAnswered = (step) => said(step) !== null;

export function typed() {
  const values = {};
  for (const step of steps()) {
    const value = typedIn(step);
    if (value) values[step.dataset.slot] = value;
    if (forcedBox(step) && forcedBox(step).checked) values[`${step.dataset.slot}.forced`] = "1";
  }
  for (const field of cannotJudge()) {
    const value = field.type === "checkbox" ? (field.checked ? "1" : "") : field.value;
    if (value) values[field.name.slice(PREFIX.length)] = value;
  }
  return values;
}

export function fill(values) {
  for (const step of steps()) {
    const value = values[step.dataset.slot] || "";
    const list = step.dataset.kind === "several" ? value.split(",").map((key) => key.trim()) : [value];
    const isNone = noneBox(step) !== null && value.trim() === NONE;
    for (const choice of choices(step)) choice.checked = list.includes(choice.value);
    if (entry(step)) entry(step).value = isNone ? "" : value;
    if (noneBox(step)) noneBox(step).checked = isNone;
    if (forcedBox(step)) forcedBox(step).checked = `${step.dataset.slot}.forced` in values;
  }
  for (const field of cannotJudge()) {
    const value = values[field.name.slice(PREFIX.length)] || "";
    if (field.type === "checkbox") field.checked = value !== "";
    else field.value = value;
  }
  changed(form());
}

/* ---- Conditions: a hidden step hides those that ask for it, and is neither required nor stored ---- */
function applyConditions() {
  const visible = new Map();
  const numbers = new Map();
  for (const step of steps().sort((a, b) => a.dataset.place - b.dataset.place)) { // as the scheme has them
    const seen = Object.fromEntries([...(visible.get("0") || []), ...(visible.get(step.dataset.candidate) || [])]);
    const holds = (name, otherwise) => (
      step.hasAttribute(`data-${name}`) ? isMet(JSON.parse(step.getAttribute(`data-${name}`)), seen) : otherwise
    );
    const shown = holds("shown_when", true);
    step.classList.toggle("is-not-asked", !shown);
    if (!shown) continue;
    step.toggleAttribute("data-required", holds("required_when", step.hasAttribute("data-required")));
    step.querySelector(".optional").hidden = step.hasAttribute("data-required");
    const needsSentence = holds("at_least_one_when", false);
    step.classList.toggle("needs-sentence", needsSentence);
    if (needsSentence && noneBox(step)) noneBox(step).checked = false; // it is hidden meanwhile
    const { candidate, aspect } = step.dataset;
    if (!visible.has(candidate)) visible.set(candidate, []);
    visible.get(candidate).push([aspect, said(step)]);
  }
  for (const step of steps().filter((each) => !each.classList.contains("is-not-asked"))) { // as they stand
    const { aspect } = step.dataset;
    if (!numbers.has(aspect)) numbers.set(aspect, numbers.size + 1);
    step.querySelector(".step-number").textContent = numbers.get(aspect);
  }
}

/* "None" and anything else exclude each other; unticking brings a typed list back. */
function keepExclusive(field) {
  const step = field.closest(".step");
  const box = step && noneBox(step);
  if (!box) return;
  const list = entry(step);
  if (field !== box) {
    if (field.type === "checkbox" ? field.checked : field.value.trim()) box.checked = false;
  } else if (!list) {
    if (box.checked) choices(step).forEach((choice) => { choice.checked = false; });
  } else if (box.checked) {
    list.dataset.before = list.value;
    list.value = "";
  } else {
    list.value = list.dataset.before || "";
  }
}

/* What was wrong with a step is not said of what stands there now. */
function forgetError(field) {
  const part = field.closest(".has-error");
  if (!part) return;
  part.classList.remove("has-error");
  all(".field-error", part).forEach((each) => each.remove());
  all("[aria-invalid]", part).forEach((each) => each.removeAttribute("aria-invalid"));
  const summary = document.getElementById("errors");
  if (!summary) return;
  for (const link of all("a", summary)) {
    if (part.contains(document.getElementById(link.hash.slice(1)))) link.closest("li").remove();
  }
  if (!summary.querySelector("li")) summary.remove();
}

/* ---- A long range: the slider and the number are one thing ---- */
function keepTogether(field) {
  const row = field.closest(".slider-row");
  if (row && field.type === "range") row.querySelector("[type=number]").value = field.value;
}
function drawSlider(slider) {
  const number = slider.parentElement.querySelector("[type=number]");
  slider.classList.toggle("is-unset", number.value === "");
  if (number.value !== "") slider.value = number.value;
}

/* ---- Limits of texts, told when they come near ---- */
function drawCounter(area) {
  const { length } = [...area.value.trim()]; // characters as the server counts them: an emoji is not two
  const [least, most] = [Number(area.dataset.min), Number(area.dataset.max)];
  let words = "";
  if (length > most) words = text("too_long", length - most);
  else if (length > most * 0.9) words = text("left", most - length);
  else if (length > 0 && length < least) words = text("to_go", least - length);
  const counter = document.getElementById(`${area.name}-counter`);
  if (counter.textContent !== words) counter.textContent = words;
  counter.classList.toggle("is-over", length > most);
}

/* ---- The step that keys go to: the one in focus, else the first that is still open; where all was submitted and
   nothing is in focus yet, the first ---- */
export const isOpen = (step) => step.hasAttribute("data-required") && !isAnswered(step);
export function activeStep() {
  const focused = document.activeElement && document.activeElement.closest(".step");
  const isFresh = form() && "judged" in form().dataset && document.activeElement === document.body;
  return focused || shownSteps().find(isOpen) || (isFresh && shownSteps()[0]) || null;
}
function drawActive() {
  const active = activeStep();
  for (const step of steps()) step.classList.toggle("is-active", step === active);
}

const listeners = []; // what other scripts draw from the form
export const onRefresh = (draw) => listeners.push(draw);
function refresh() {
  if (!form()) return;
  applyConditions();
  all("textarea[data-max]", form()).forEach(drawCounter);
  all(".slider", form()).forEach(drawSlider);
  drawActive();
  listeners.forEach((draw) => draw());
}

document.addEventListener("input", (event) => {
  if (!event.target.closest("#form")) return;
  keepTogether(event.target);
  keepExclusive(event.target);
  forgetError(event.target);
  refresh();
});
document.addEventListener("focusin", drawActive);
document.addEventListener("focusout", () => window.setTimeout(drawActive));
document.addEventListener("htmx:afterSettle", refresh);
/* Enter in a field of one line must not submit half a judgment. */
document.addEventListener("keypress", (event) => {
  if (event.key === "Enter" && event.target.matches(".step input")) event.preventDefault();
});
document.addEventListener("DOMContentLoaded", refresh); // once the scripts beside this one are there
