/* The documents: a column, a pane that folds beside candidates, or on a phone a sheet over the form; and searching
   them. What is cited of them is in annotate_citing.js. */
import { all, form, text } from "./annotate.js";
import { rangeIn } from "./marked_texts.js";

const phone = window.matchMedia("(max-width: 50em) and (scripting: enabled)");
const pane = () => document.getElementById("document");
const opener = () => document.querySelector('[data-sheet="toggle"]');
const column = () => document.querySelector(".work-column");
const task = () => pane().closest(".task");

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

/* The document is brought where one can see it, if something in it is to be looked at. */
export const show = () => { if (pane() && (isSheet() || isFolding())) showSheet(true); };

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

/* Texts are compared without case and width: ２０２３ is 2023. Where each piece of one comes from, in code units. */
const segmenter = Intl.Segmenter && new Intl.Segmenter(); // Firefox before 125 has none
function piecesOf(string) {
  if (segmenter) return segmenter.segment(string);
  const pieces = [...string.matchAll(/.[\p{M}\uff9e\uff9f]*/gsu)]; // a character and the marks behind it
  return pieces.map(({ 0: segment, index }) => ({ segment, index }));
}
function folded(string) {
  const found = { words: "", starts: [], ends: [] };
  for (const { segment, index } of piecesOf(string)) {
    const plain = segment.normalize("NFKC").toLowerCase();
    found.words += plain;
    for (let unit = 0; unit < plain.length; unit += 1) {
      found.starts.push(index);
      found.ends.push(index + segment.length);
    }
  }
  return found;
}
const known = new WeakMap();
function foldedText(sentence) {
  if (!known.has(sentence)) known.set(sentence, folded(sentence.textContent));
  return known.get(sentence);
}

function search(query) {
  const { words } = folded(query.trim());
  const references = all(".reference", pane());
  wereOpen ||= new Set(references.filter((each) => each.open));
  marks?.clear();
  let found = 0;
  for (const each of all(".numbered li", pane())) {
    const sentence = each.querySelector("[data-text]");
    const whole = foldedText(sentence);
    const at = words ? whole.words.indexOf(words) : -1;
    each.hidden = words !== "" && at < 0;
    if (at < 0) continue;
    found += 1;
    if (!marks) continue;
    marks.add(rangeIn(sentence, whole.starts[at], whole.ends[at + words.length - 1]));
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
  show();
  field.focus();
  field.select();
}

/* ---- Events ---- */
document.addEventListener("click", (event) => {
  const handle = event.target.closest("[data-sheet]");
  if (handle) showSheet(handle.dataset.sheet === "toggle" && !sheetIsOpen());
});
document.addEventListener("input", (event) => { if (event.target.id === "document-search") search(event.target.value); });
document.addEventListener("focusin", (event) => {
  const left = event.relatedTarget;
  if (left && event.target.closest("#document") && !left.closest("#document")) before = left;
});
document.addEventListener("DOMContentLoaded", () => {
  const anchor = pane() && pane().querySelector("[data-anchor]");
  if (anchor && !phone.matches) pane().scrollTop = anchor.offsetTop - pane().clientHeight / 3;
});
