/* Marking words: what is selected in a text gets a label, by the bar beside it, by a label's button or by its
   number. */
import { shownSteps, text as say } from "./annotate.js";
import { showSheet } from "./annotate_documents.js";
import { rangeOf, select, selected, texts } from "./marked_texts.js";
import { announce, canMark, isOf, labelsOf, marksOf, order, quoted, store, wordsOf } from "./span_marks.js";

const AFTER = 150; // ms that a selection rests before the bar comes
const phone = window.matchMedia("(max-width: 50em)");

/* ---- Marking what is selected ---- */
let pending = null; // {text, start, end}
let used = null; // the step that was used last
const able = (text) => shownSteps().filter((step) => isOf(step) && canMark(step, text));
const preferred = (text) => able(text).find((step) => step === used) || able(text)[0];

function markAs(step, label) {
  if (!pending || !canMark(step, pending.text)) { announce(say("select_first")); return; }
  const { text, start, end } = pending;
  const mark = { text: text.dataset.marked, start, end, label: label.dataset.label };
  const marks = marksOf(step);
  const isThere = marks.some((each) => order(each, mark) === 0);
  used = step;
  forgetSelection();
  if (!isThere) store(step, [...marks, mark]);
  announce(isThere ? say("marked_already") : say("marked", `${wordsOf(label)}, “${quoted(text, mark)}”`));
}

/* By a label's number; false where the key is not for this. */
export function markByKey(key) {
  const focused = document.activeElement?.closest(".step");
  if (!pending) {
    const isThere = document.activeElement?.matches("[data-marked]");
    const isAsked = isThere || focused && isOf(focused) && labelsOf(focused).some((label) => label.dataset.sign === key);
    if (isAsked) announce(say("select_first"));
    return Boolean(isAsked);
  }
  const step = preferred(pending.text);
  const label = step && labelsOf(step).find((each) => each.dataset.sign === key);
  if (label) markAs(step, label);
  return Boolean(label);
}

/* To the text that the step in use marks. */
export function goToText(step = null) {
  const focused = document.activeElement?.closest(".step");
  const own = [step, focused, used, ...shownSteps()].filter((each) => each && isOf(each));
  const text = texts().find((each) => own[0] && canMark(own[0], each));
  if (!text) return;
  [used] = own;
  if (text.closest("#document") && !text.checkVisibility({ visibilityProperty: true })) showSheet(true);
  text.closest("details")?.setAttribute("open", "");
  text.focus();
  text.scrollIntoView({ block: "nearest" });
}
export const backToStep = (text) => preferred(text)?.focus();
export const hasPending = () => pending !== null;
export const focusBar = () => bar.querySelector("button")?.focus();

export function forgetSelection() {
  pending = null;
  window.getSelection().removeAllRanges();
  showBar();
}

/* ---- The bar beside what is selected; on a phone at the lower edge, out of the way of the browser's own ---- */
const bar = document.createElement("div");
bar.className = "span-bar";
bar.setAttribute("role", "toolbar");
bar.hidden = true;
let isHeld = false; // a finger on the bar takes the selection away before it has chosen

function barButton(words_, act, sign = null) {
  const button = document.createElement("button");
  button.type = "button";
  if (sign) button.append(sign, " ");
  button.append(words_);
  button.addEventListener("click", () => { isHeld = false; act(); });
  return button;
}
function showBar() {
  const asked = pending ? able(pending.text) : [];
  bar.hidden = !asked.length;
  if (bar.hidden) return;
  const { text } = pending; // a button may be pressed when the selection is gone already
  const quote = document.createElement("p");
  quote.className = "span-bar-words";
  quote.textContent = `“${quoted(text, pending)}”`;
  bar.replaceChildren(quote);
  for (const step of asked) {
    const row = document.createElement("div");
    row.className = "span-bar-labels";
    if (asked.length > 1) row.append(step.querySelector("legend > span:last-of-type").firstChild.textContent.trim());
    for (const label of labelsOf(step)) {
      row.append(barButton(wordsOf(label), () => markAs(step, label), label.querySelector(".mark-sign").cloneNode(true)));
    }
    bar.append(row);
  }
  const away = barButton(say("cancel"), () => { forgetSelection(); text.focus({ preventScroll: true }); });
  away.className = "link";
  bar.append(away);
  bar.setAttribute("aria-label", say("mark_as"));
  text.closest("#document, main").append(bar);
  placeBar();
}
function placeBar() {
  if (bar.hidden || !pending) return;
  bar.classList.toggle("is-low", phone.matches);
  if (phone.matches) { bar.style.removeProperty("top"); bar.style.removeProperty("left"); return; }
  const box = rangeOf(pending.text, pending).getBoundingClientRect();
  const below = box.bottom + 8 + bar.offsetHeight < window.innerHeight;
  bar.style.top = `${Math.max(below ? box.bottom + 8 : box.top - bar.offsetHeight - 8, 8)}px`;
  bar.style.left = `${Math.max(Math.min(box.left, window.innerWidth - bar.offsetWidth - 12), 12)}px`;
}

let timer = null;
let isDragging = false;
function look() {
  if (isDragging || isHeld || bar.contains(document.activeElement)) return;
  const now = selected();
  const isSame = now && pending && now.text === pending.text && now.start === pending.start && now.end === pending.end;
  if (isSame || (!now && !pending)) return;
  pending = now;
  showBar();
}
document.addEventListener("selectionchange", () => {
  window.clearTimeout(timer);
  timer = window.setTimeout(look, AFTER);
});
/* What the keyboard selects is there at once, so that the next key can mark it. */
export function choose(text, span) {
  select(text, span);
  pending = selected();
  showBar();
  if (pending) announce(say("selected", quoted(text, pending)));
}
/* What was selected before a finger came down, which takes it away. */
let before = null;
export const selectedBefore = () => before;
document.addEventListener("pointerdown", (event) => {
  before = pending;
  isHeld = bar.contains(event.target);
  isDragging = !isHeld && event.pointerType === "mouse" && event.button === 0 && Boolean(event.target.closest("[data-marked]"));
});
document.addEventListener("mousedown", (event) => { // a button that is pressed leaves the selection as it is
  if (event.target.closest(".span-bar, [data-label]")) event.preventDefault();
});
for (const name of ["pointerup", "pointercancel"]) {
  document.addEventListener(name, () => {
    if (isDragging) { isDragging = false; look(); }
    window.setTimeout(() => { isHeld = false; }, 500); // after the click
  });
}
for (const name of ["scroll", "resize"]) window.addEventListener(name, placeBar, { capture: true, passive: true });

document.addEventListener("click", (event) => {
  const label = event.target.closest(".step [data-label]");
  const to = event.target.closest("[data-to-text]");
  if (label) markAs(label.closest(".step"), label);
  else if (to) goToText(to.closest(".step"));
});
document.addEventListener("focusin", (event) => {
  const step = event.target.closest(".step");
  if (step && isOf(step)) used = step;
});
document.addEventListener("htmx:beforeSwap", () => { pending = null; bar.hidden = true; });
