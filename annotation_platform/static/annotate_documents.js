/* The documents: a column, a pane that folds beside candidates, or on a phone a sheet over the form; citing their
   sentences, and searching them. */
import { all, changed, entry, form, onRefresh, pageData, shownSteps, text } from "./annotate.js";
import { asNumber, asReference, asTyped, citedIn, documentOf } from "./annotate_citations.js";
import { rangeIn } from "./marked_texts.js";

const phone = window.matchMedia("(max-width: 50em) and (scripting: enabled)");
const pane = () => document.getElementById("document");
const opener = () => document.querySelector('[data-sheet="toggle"]');
const column = () => document.querySelector(".work-column");
const task = () => pane().closest(".task");

/* ---- Citing: the typed list and the pressed sentences are one thing ---- */
let touched = null; // the step of sentences that was used last
const citing = () => {
  const able = shownSteps().filter((step) => step.dataset.kind === "sentences");
  return able.find((step) => step === touched) || able[0];
};
const cited = (step) => citedIn(entry(step).value, pageData().citations);

function toggleCited(sentence) {
  const step = citing();
  if (!step) return;
  const numbers = cited(step);
  const number = asNumber(sentence.dataset.sentence);
  if (!numbers.delete(number)) numbers.add(number);
  entry(step).value = asTyped(numbers);
  touched = step;
  changed(entry(step));
}

let drawn = new Set(); // only what changed is touched: a document can have hundreds of sentences
function drawCited() {
  const step = citing();
  const numbers = step ? cited(step) : new Set();
  for (const number of new Set([...drawn, ...numbers])) {
    const sentence = document.querySelector(`[data-sentence="${asReference(number)}"]`);
    if (sentence) sentence.setAttribute("aria-pressed", String(numbers.has(number)));
  }
  drawn = numbers;
  drawCount(document.getElementById("cited-count"), numbers.size);
  for (const badge of all("[data-cited-in]")) {
    const of = Number(badge.dataset.citedIn.slice(1));
    drawCount(badge, [...numbers].filter((number) => documentOf(number) === of).length);
  }
}
function drawCount(badge, count) {
  if (!badge) return;
  badge.hidden = count === 0;
  badge.textContent = text("cited", count);
}

/* ---- Opening and closing ---- */
const isSheet = () => phone.matches;
const isFolding = () => task().classList.contains("has-candidates");
export const sheetIsOpen = () => pane() && pane().classList.contains("is-open");

export function showSheet(open) {
  if (!pane() || sheetIsOpen() === open) return;
  pane().classList.add("is-moving");
  pane().classList.toggle("is-open", open);
  task().classList.toggle("shows-document", open);
  opener()?.setAttribute("aria-expanded", String(open));
  if (!isSheet()) {
    if (open) pane().focus({ preventScroll: true });
    else if (pane().contains(document.activeElement)) opener()?.focus({ preventScroll: true });
    return;
  }
  column().inert = open;
  if (open) {
    window.history.pushState({ sheet: true }, "");
    pane().setAttribute("role", "dialog");
    pane().setAttribute("aria-modal", "true");
    const anchor = pane().querySelector('[aria-pressed="true"], [data-anchor]');
    if (anchor) anchor.scrollIntoView({ block: "center" });
    pane().focus({ preventScroll: true });
  } else {
    pane().removeAttribute("role");
    pane().removeAttribute("aria-modal");
    opener()?.focus({ preventScroll: true });
    if (window.history.state?.sheet) window.history.back();
  }
}
/* Going back closes the sheet, as on a phone it closes whatever lies over a page. */
window.addEventListener("popstate", () => { if (isSheet() && !window.history.state?.sheet) showSheet(false); });

let before = null; // where the focus was before it went into the documents
export function toggle() {
  if (!pane()) return;
  if (isSheet() || isFolding()) showSheet(!sheetIsOpen());
  else if (pane().contains(document.activeElement)) (before || form().querySelector("input:not([type=hidden]), textarea")).focus();
  else (pane().querySelector("[data-anchor]") || pane().querySelector("[data-sentence], summary") || pane()).focus();
}

export function move(by) {
  const sentences = all("[data-sentence]").filter((each) => each.checkVisibility());
  if (!sentences.length) return;
  if (isSheet() || isFolding()) showSheet(true);
  const at = sentences.indexOf(document.activeElement);
  const start = Math.max(sentences.findIndex((each) => "anchor" in each.dataset), 0);
  const next = sentences[at < 0 ? start : Math.min(Math.max(at + by, 0), sentences.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

export function citeHere() {
  const at = document.activeElement.closest("[data-sentence]") || document.querySelector("[data-sentence]:hover");
  if (at) toggleCited(at);
}

let swipe = null;
document.addEventListener("touchstart", (event) => {
  const inSheet = isSheet() && sheetIsOpen() && event.target.closest("#document");
  const fromTop = inSheet && (event.target.closest(".document-head") || pane().scrollTop <= 0);
  swipe = fromTop ? event.touches[0].clientY : null;
}, { passive: true });
document.addEventListener("touchend", (event) => {
  if (swipe !== null && event.changedTouches[0].clientY - swipe > 70) showSheet(false);
  swipe = null;
}, { passive: true });
phone.addEventListener("change", () => showSheet(false));

/* ---- Search: only sentences that have the words stay, in documents that are open; clearing brings all back ---- */
const marks = window.Highlight ? new window.Highlight() : null;
if (marks) CSS.highlights.set("found", marks);
let wereOpen = null; // the documents that were open before the search

function search(query) {
  const words = query.normalize("NFKC").toLowerCase().trim();
  const references = all(".reference", pane());
  wereOpen ||= new Set(references.filter((each) => each.open));
  marks?.clear();
  let found = 0;
  for (const each of all(".numbered li", pane())) {
    const sentence = each.querySelector("[data-text]");
    const at = words ? sentence.textContent.toLowerCase().indexOf(words) : -1;
    each.hidden = words !== "" && at < 0;
    if (at < 0) continue;
    found += 1;
    if (!marks) continue;
    marks.add(rangeIn(sentence, at, Math.min(at + words.length, sentence.textContent.length)));
  }
  for (const each of references) {
    const has = !words || each.querySelector(".numbered li:not([hidden])") !== null;
    each.hidden = !has;
    each.open = words ? has : wereOpen.has(each);
  }
  if (!words) wereOpen = null;
  const told = words ? (found ? text("found", found) : text("found_nothing")) : "";
  document.getElementById("document-found").textContent = told;
}

export function startSearch() {
  const field = document.getElementById("document-search");
  if (!field) return;
  if (isSheet() || isFolding()) showSheet(true);
  field.focus();
  field.select();
}

/* ---- Events ---- */
document.addEventListener("click", (event) => {
  const sentence = event.target.closest("[data-sentence]");
  const handle = event.target.closest("[data-sheet]");
  if (sentence && !window.getSelection().toString()) toggleCited(sentence);
  else if (handle) showSheet(handle.dataset.sheet === "toggle" && !sheetIsOpen());
});
document.addEventListener("input", (event) => { if (event.target.id === "document-search") search(event.target.value); });
document.addEventListener("focusin", (event) => {
  const step = event.target.closest(".step");
  if (step) touched = step;
  const left = event.relatedTarget;
  if (left && event.target.closest("#document") && !left.closest("#document")) before = left;
  if (step && step.dataset.kind === "sentences") drawCited();
});
onRefresh(drawCited);
document.addEventListener("DOMContentLoaded", () => {
  const anchor = pane() && pane().querySelector("[data-anchor]");
  if (anchor && !phone.matches) pane().scrollTop = anchor.offsetTop - pane().clientHeight / 3;
});
