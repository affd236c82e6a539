/* Selecting words without a mouse: in a text that has the focus, arrows choose a word, with Shift more words, with
   Alt and Shift single characters. What is chosen is the browser's own selection, which annotate_spans.js marks. */
import { all } from "./annotate.js";
import { backToStep, choose, focusBar, forgetSelection, hasPending } from "./annotate_spans.js";
import { characters, wordsOf } from "./marked_texts.js";

const cursors = new WeakMap(); // text → the word where it began, the word where it is, and characters more or less
function span(text, { anchor, head, more }) {
  const words = wordsOf(text);
  const [first, last] = [words[Math.min(anchor, head)], words[Math.max(anchor, head)]];
  const least = first.start + 1;
  return { start: first.start, end: Math.min(Math.max(last.end + more, least), characters(text).length) };
}

function moved(text, event) {
  const last = wordsOf(text).length - 1;
  const before = cursors.get(text);
  const by = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[event.key];
  if (!before) return { anchor: 0, head: 0, more: 0 };
  if (event.altKey && event.shiftKey) return { ...before, more: before.more + Math.sign(by) };
  const head = Math.min(Math.max(before.head + by, 0), last);
  return { anchor: event.shiftKey ? before.anchor : head, head, more: 0 };
}

document.addEventListener("keydown", (event) => {
  const text = event.target;
  if (!text.matches?.("[data-marked]") || event.ctrlKey || event.metaKey) return;
  if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) {
    if (!wordsOf(text).length) return;
    cursors.set(text, moved(text, event));
    choose(text, span(text, cursors.get(text)));
  } else if (event.key === "Enter" && hasPending()) {
    focusBar();
  } else if (event.key === "Escape") {
    if (hasPending()) forgetSelection();
    else backToStep(text);
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}, true);

/* Within the bar, arrows go from label to label and Escape goes back to the text. */
document.addEventListener("keydown", (event) => {
  const bar = event.target.closest?.(".span-bar");
  if (!bar) return;
  const buttons = all("button", bar);
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Escape") buttons[buttons.length - 1].click();
  else if (by) buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length].focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}, true);
