/* Keys of the question page (annotations/forms/keys.py lists them for the reader), and its dialogs. Single keys act
   never while typing, with a modifier or over a dialog, and they can be switched off. */
import { activeStep, all, changed, entry, fill, form, isOpen, shownSteps } from "./annotate.js";
import * as candidates from "./annotate_candidates.js";
import * as citing from "./annotate_citing.js";
import * as documents from "./annotate_documents.js";
import * as spans from "./annotate_spans.js";

/* ---- Going from step to step ---- */
function goTo(step) {
  if (!step) return;
  candidates.show(step);
  const field = step.querySelector("textarea, input[type=number]")
    || step.querySelector("input:checked") || step.querySelector(".options input");
  const isList = ["sentences", "spans"].includes(step.dataset.kind); // cited into or typed; marked elsewhere
  const target = field && !isList ? field : step;
  target.focus({ preventScroll: true });
  step.scrollIntoView({ block: "nearest" });
}
function moveStep(by) {
  const steps = shownSteps();
  const active = activeStep();
  const isIn = active && active.contains(document.activeElement);
  const at = steps.indexOf(active);
  goTo(at < 0 ? steps[by > 0 ? 0 : steps.length - 1] : isIn ? steps[at + by] : active);
}
/* Along the task's questions, those that are submitted too. */
function moveQuestion(by) {
  const questions = all(".task-progress a");
  questions[questions.findIndex((each) => each.hasAttribute("aria-current")) + by]?.click();
}
const nextOpen = (step) => {
  const steps = shownSteps();
  return steps.slice(steps.indexOf(step) + 1).find(isOpen);
};

/* ---- Choosing by key: the step of several choices stays, any other gives way to the next open one ---- */
let sign = ""; // a minus that waits for its digit
function choose(key) {
  const step = activeStep();
  const field = step && step.querySelector(`[data-keys~="${CSS.escape(sign + key)}"]`);
  sign = key === "-" && step && step.querySelector('[data-keys^="-"]') ? key : "";
  if (sign) return true;
  if (!field) return typeInto(step, key);
  field.checked = field.type === "checkbox" ? !field.checked : true;
  field.focus();
  changed(field);
  if (field.type === "radio" || "none" in field.dataset && field.checked) goTo(nextOpen(step));
  return true;
}
/* A number in a step that takes numbers begins to be typed. */
function typeInto(step, key) {
  if (!step || !/^[-\d]$/.test(key) || !["sentences", "range"].includes(step.dataset.kind)) return false;
  entry(step)?.focus();
  return false; // the browser types it
}

/* ---- Dialogs ---- */
function openDialog(name) {
  const dialog = document.getElementById(name);
  if (!dialog || dialog.open) return;
  dialog.returnValue = "";
  dialog.showModal();
  const later = dialog.querySelector("[hx-get]");
  if (later) window.htmx.trigger(later, "shown");
}
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (!opener || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  openDialog(opener.dataset.dialog);
});

function emptyQuestion() {
  fill({});
  all("[data-before]", form()).forEach((field) => { delete field.dataset.before; });
  goTo(shownSteps()[0]);
}
const reset = document.getElementById("reset");
if (reset) reset.addEventListener("close", () => { if (reset.returnValue === "reset") emptyQuestion(); });

const singleKeys = document.getElementById("single-keys");
try { singleKeys.checked = localStorage.getItem("single-keys") !== "off"; } catch { /* forbidden: they stay on */ }
singleKeys.addEventListener("change", () => {
  try { localStorage.setItem("single-keys", singleKeys.checked ? "on" : "off"); } catch { /* for this page only */ }
});

/* ---- Keys ---- */
const isTyping = (field) => field.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])");
const commands = {
  n: () => moveStep(1),
  p: () => moveStep(-1),
  ",": () => moveQuestion(-1),
  ".": () => moveQuestion(1),
  "shift+n": () => candidates.move(1),
  "shift+p": () => candidates.move(-1),
  c: citing.citeHere,
  j: () => citing.move(1),
  k: () => citing.move(-1),
  d: documents.toggle,
  "/": documents.startSearch,
  m: () => spans.goToText(),
  i: () => openDialog("instructions"),
  "?": () => openDialog("keys"),
};
function single(event) {
  const key = event.key.toLowerCase();
  if (/^[1-9]$/.test(key) && spans.markByKey(key)) return true;
  if (/^[-a-z0-9]$/.test(key) && !event.shiftKey && choose(key)) return true;
  const command = commands[event.shiftKey && /^[a-z]$/.test(key) ? `shift+${key}` : event.key.length === 1 ? key : ""];
  if (command) command();
  return Boolean(command);
}

document.addEventListener("keydown", (event) => {
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    const submit = document.getElementById("submit");
    if (submit && !event.target.closest(".thread")) {
      event.preventDefault();
      form().requestSubmit(submit);
    }
  } else if (event.key === "Escape") {
    if (isTyping(event.target)) leave(event.target);
    else if (documents.sheetIsOpen()) documents.showSheet(false);
  } else if (!event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target) && singleKeys.checked) {
    if (single(event)) event.preventDefault();
  }
});
/* Out of the field, but not out of its step: the next key belongs there. */
function leave(field) {
  const step = field.closest(".step");
  if (field.id === "document-search" && field.value) {
    field.value = "";
    changed(field);
  } else if (step) {
    step.focus({ preventScroll: true });
  } else {
    field.blur();
  }
}

/* A mistake's link leads to its field, also on a card that is not shown. */
document.addEventListener("click", (event) => {
  const link = event.target.closest("#errors a");
  const field = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (field) candidates.show(field.closest(".step"));
});
