/* The list of a step's marks: each with its label, the words, a note where one may be written, and a way to be rid
   of it. */
import { all, onRefresh, steps, text as say } from "./annotate.js";
import { showSheet } from "./annotate_documents.js";
import { bringIntoView, rangeOf, unfold } from "./marked_texts.js";
import { announce, identity, isOf, isWithin, labelOf, labelsOf, marksOf, order, quoted, store, textOf, wordsOf } from "./span_marks.js";

const button = (words, act) => {
  const made = document.createElement("button");
  made.type = "button";
  made.append(words);
  made.addEventListener("click", act);
  return made;
};
function selectOf(step, mark, quote) {
  const field = document.createElement("select");
  field.setAttribute("aria-label", say("label_of", quote));
  for (const label of labelsOf(step)) {
    field.append(new Option(`${label.dataset.sign} ${wordsOf(label)}`, label.dataset.label, false, label.dataset.label === mark.label));
  }
  return field;
}
function listed(step, mark, index) {
  const [item, text, label] = [document.createElement("li"), textOf(step, mark), labelOf(step, mark.label)];
  const quote = text && isWithin(text, mark) ? quoted(text, mark) : `${mark.text} ${mark.start}–${mark.end}`;
  item.dataset.index = index;
  const sign = label.querySelector(".mark-sign").cloneNode(true);
  const show = button(`“${quote}”`, () => showMark(step, mark));
  show.className = "plain span-words";
  show.setAttribute("aria-label", say("show_mark", quote));
  if (step.dataset.marks.includes(" ") && text) {
    const where = document.createElement("span");
    where.className = "small muted";
    where.textContent = text.dataset.heading;
    show.append(" ", where);
  }
  const gone = button("×", () => take(step, index, quote));
  gone.className = "plain span-gone";
  gone.setAttribute("aria-label", say("delete_mark", quote));
  item.append(sign, show, selectOf(step, mark, quote), gone);
  if ("notes" in step.dataset) {
    const note = document.createElement("input");
    note.type = "text";
    note.maxLength = 1000;
    note.value = mark.note || "";
    note.placeholder = say("note");
    note.setAttribute("aria-label", say("note_on", quote));
    item.append(note);
  }
  return item;
}
function showMark(step, mark) {
  const text = textOf(step, mark);
  if (!text) return;
  if (!text.checkVisibility({ visibilityProperty: true })) showSheet(true);
  text.closest("details")?.setAttribute("open", "");
  unfold(text, mark);
  bringIntoView(text, rangeOf(text, mark));
  for (const each of all(`[data-span="${CSS.escape(identity(step, mark))}"]`, text)) {
    each.classList.add("is-shown");
    window.setTimeout(() => each.classList.remove("is-shown"), 1500);
  }
}
function take(step, index, quote) {
  const marks = marksOf(step);
  marks.splice(index, 1);
  store(step, marks);
  announce(say("unmarked", `“${quote}”`));
  const rest = all("[data-spans-list] .span-gone", step);
  (rest[Math.min(index, rest.length - 1)] || step).focus();
}
document.addEventListener("change", (event) => {
  const item = event.target.closest("[data-spans-list] li");
  if (!item || event.target.tagName !== "SELECT") return;
  const step = item.closest(".step");
  const marks = marksOf(step);
  const relabelled = { ...marks[item.dataset.index], label: event.target.value };
  if (marks.some((each) => order(each, relabelled) === 0)) {
    event.target.value = marks[item.dataset.index].label;
    announce(say("marked_already"));
    return;
  }
  marks[item.dataset.index] = relabelled;
  store(step, marks);
  const at = marksOf(step).findIndex((each) => order(each, relabelled) === 0);
  all("[data-spans-list] select", step)[at]?.focus();
});
document.addEventListener("input", (event) => {
  const item = event.target.closest("[data-spans-list] li");
  if (!item || event.target.tagName !== "INPUT") return;
  const step = item.closest(".step");
  const marks = marksOf(step);
  const mark = marks[item.dataset.index];
  if (event.target.value) mark.note = event.target.value;
  else delete mark.note;
  store(step, marks);
});

const drawn = new WeakMap();
function drawList(step) {
  const marks = marksOf(step).map((mark, index) => [mark, index]).filter(([mark]) => labelOf(step, mark.label));
  const list = step.querySelector("[data-spans-list]");
  const sign = JSON.stringify(marks.map(([mark]) => ({ ...mark, note: "" })));
  if (drawn.get(list) !== sign) {
    list.replaceChildren(...marks.map(([mark, index]) => listed(step, mark, index)));
    drawn.set(list, sign);
  }
  all("input", list).forEach((note, place) => {
    if (note !== document.activeElement) note.value = marks[place][0].note || "";
  });
}
onRefresh(() => steps().filter(isOf).forEach(drawList));
