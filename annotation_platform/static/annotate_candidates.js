/* Candidates judged together: how much of each is done, and on a phone one card at a time, by tabs or by swiping. */
import { all, isOpen, isShown, onRefresh, text } from "./annotate.js";

const phone = window.matchMedia("(max-width: 50em)");
const group = () => document.getElementById("candidates");
const cards = () => (group() ? all("[data-card]", group()) : []);
const cardOf = (element) => element.closest("[data-card]");
const current = () => cards().find((card) => "current" in card.dataset) || cards()[0];

function showCard(card) {
  if (!card || card === current() && "current" in card.dataset) return;
  for (const each of cards()) {
    if (each === card) each.dataset.current = "";
    else delete each.dataset.current;
  }
  for (const tab of all("[data-card-tab]", group())) {
    tab.setAttribute("aria-pressed", String(tab.dataset.cardTab === card.dataset.card));
  }
}

/* The card beside the one in use, and the focus with it. */
export function move(by) {
  const focused = cardOf(document.activeElement);
  const next = cards()[focused || phone.matches ? cards().indexOf(focused || current()) + by : 0];
  if (!next) return;
  showCard(next);
  const heading = next.querySelector("h3");
  heading.focus({ preventScroll: true });
  if (phone.matches) group().scrollIntoView({ block: "start" });
  else heading.scrollIntoView({ block: "nearest" });
}

function drawStates() {
  for (const card of cards()) {
    const asked = all(".step", card).filter(isShown);
    const open = asked.filter(isOpen).length;
    card.classList.toggle("is-complete", open === 0);
    for (const state of all(`[data-card-state="${card.dataset.card}"]`, group())) {
      state.dataset.complete = String(open === 0);
      const words = open ? text("open", open) : text("complete");
      if (asked.length && state.textContent !== words) state.textContent = words;
    }
  }
}

document.addEventListener("click", (event) => {
  const tab = event.target.closest("[data-card-tab]");
  if (tab) showCard(cards().find((card) => card.dataset.card === tab.dataset.cardTab));
  else if (event.target.closest("[data-card-next]")) move(1);
});
document.addEventListener("focusin", (event) => { if (cardOf(event.target)) showCard(cardOf(event.target)); });

let began = null;
document.addEventListener("touchstart", (event) => {
  const isOurs = phone.matches && event.target.closest(".candidate") && !event.target.closest("textarea, input[type=range]");
  began = isOurs && event.touches.length === 1 ? { x: event.touches[0].clientX, y: event.touches[0].clientY } : null;
}, { passive: true });
document.addEventListener("touchend", (event) => {
  if (!began) return;
  const [dx, dy] = [event.changedTouches[0].clientX - began.x, event.changedTouches[0].clientY - began.y];
  const isSelecting = window.getSelection().toString() !== ""; // words to be marked
  if (!isSelecting && Math.abs(dx) > 60 && Math.abs(dx) > 2 * Math.abs(dy)) move(dx < 0 ? 1 : -1);
  began = null;
}, { passive: true });

onRefresh(() => {
  if (!group()) return;
  if (!cards().some((card) => "current" in card.dataset)) showCard(cards()[0]);
  drawStates();
});
export const show = (step) => showCard(cardOf(step)); // before a step is gone to
