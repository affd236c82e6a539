/* Citing sentences, of documents and of the conversation: the typed list and the pressed sentences are one thing. */
import { all, changed, entry, onRefresh, pageData, shownSteps, text } from "./annotate.js";
import { TURNS, asNumber, asReference, asTyped, citedIn, documentOf } from "./annotate_citations.js";
import { show } from "./annotate_documents.js";

const cited = (step) => citedIn(entry(step).value, pageData().citations);

/* ---- Places: the documents, the conversation, and each candidate's own turns ---- */
const DOCUMENTS = { kind: "documents", card: null };
const CONVERSATION = { kind: "conversation", card: null };
const placeOf = (sentence) => {
  if (!sentence.closest(".turn")) return DOCUMENTS;
  return { kind: "conversation", card: sentence.closest("[data-card]") };
};
const isIn = (place, sentence) => sentence.closest("[data-card]") === place.card;

let touched = null; // the step of sentences that was used last
function citing({ kind, card }) {
  const able = shownSteps().filter((step) => step.dataset.kind === "sentences"
    && step.dataset.cites.split(" ").includes(kind) && (!card || card.contains(step)));
  return able.find((step) => step === touched) || able[0];
}

function toggleCited(sentence) {
  const step = citing(placeOf(sentence));
  if (!step) return;
  const numbers = cited(step);
  const number = asNumber(sentence.dataset.sentence);
  if (!numbers.delete(number)) numbers.add(number);
  entry(step).value = asTyped(numbers);
  touched = step;
  changed(entry(step));
}

/* ---- Drawing: only what changed is touched, since a document can have hundreds of sentences ---- */
const drawn = new Map();
function draw(name, place) {
  const step = citing(place);
  const isTurn = place.kind === "conversation";
  const numbers = new Set([...(step ? cited(step) : [])].filter((number) => (documentOf(number) > TURNS) === isTurn));
  for (const number of new Set([...(drawn.get(name) || []), ...numbers])) {
    const sentence = all(`[data-sentence="${asReference(number)}"]`).find((each) => isIn(place, each));
    if (sentence) sentence.setAttribute("aria-pressed", String(numbers.has(number)));
  }
  drawn.set(name, numbers);
  return numbers;
}

function drawCited() {
  const numbers = draw("documents", DOCUMENTS);
  drawCount(document.getElementById("cited-count"), numbers.size);
  for (const badge of all("[data-cited-in]")) {
    const of = Number(badge.dataset.citedIn.slice(1));
    drawCount(badge, [...numbers].filter((number) => documentOf(number) === of).length);
  }
  draw("conversation", CONVERSATION);
  for (const card of all("[data-card]")) {
    if (card.querySelector(".turn [data-sentence]")) draw(card.dataset.card, { kind: "conversation", card });
  }
}
function drawCount(badge, count) {
  if (!badge) return;
  badge.hidden = count === 0;
  badge.textContent = text("cited", count);
}

/* ---- By keys ---- */
export function move(by) {
  const sentences = all("[data-sentence]").filter((each) => each.checkVisibility());
  if (!sentences.length) return;
  const at = sentences.indexOf(document.activeElement);
  const start = Math.max(sentences.findIndex((each) => "anchor" in each.dataset), 0);
  const next = sentences[at < 0 ? start : Math.min(Math.max(at + by, 0), sentences.length - 1)];
  if (next.closest("#document")) show();
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

export function citeHere() {
  const at = document.activeElement.closest("[data-sentence]") || document.querySelector("[data-sentence]:hover");
  if (at) toggleCited(at);
}

/* ---- Events ---- */
document.addEventListener("click", (event) => {
  const sentence = event.target.closest("[data-sentence]");
  if (sentence && !window.getSelection().toString()) toggleCited(sentence);
});
document.addEventListener("focusin", (event) => {
  const step = event.target.closest(".step");
  if (!step) return;
  touched = step;
  if (step.dataset.kind === "sentences") drawCited();
});
onRefresh(drawCited);
