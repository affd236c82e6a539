/* Selecting words by finger, beside the browser's own way of holding one: a tap takes a word, and a tap on another
   all from the first to that one. */
import { choose, selectedBefore } from "./annotate_spans.js";
import { wordAt } from "./marked_texts.js";

document.addEventListener("click", (event) => {
  const text = event.pointerType === "touch" && event.target.closest("[data-marked]");
  const word = text && !event.target.closest("button, a, summary") && wordAt(text, event.clientX, event.clientY);
  if (!word) return;
  const before = selectedBefore();
  const start = before && before.text === text ? Math.min(before.start, word.start) : word.start;
  const end = before && before.text === text ? Math.max(before.end, word.end) : word.end;
  choose(text, { start, end });
});
