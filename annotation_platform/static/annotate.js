/* What must be instant on the question page: steps, citing, keys, the document as a sheet, dialogs.
   The form's own fields are the state; everything else on the page is drawn from them by `refresh`. */
(() => {
  "use strict";
  const texts = JSON.parse(document.getElementById("annotate-texts").textContent);
  const phone = window.matchMedia("(max-width: 50em) and (scripting: enabled)");
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const form = () => document.getElementById("form");
  const steps = () => (form() ? all(".step", form()) : []);
  const shownSteps = () => steps().filter((step) => !step.hidden);
  const firstField = () => form().querySelector("input:not([type=hidden]), textarea");
  const changed = (field) => field.dispatchEvent(new Event("input", { bubbles: true }));
  let touched = null; // the step that was used last: where number keys and citing go

  /* ---- Conditions: a step whose condition does not hold is hidden, and hides those that ask for it ---- */
  function applyConditions() {
    for (const step of steps()) {
      if (!step.dataset.when) continue;
      const asked = form().querySelector(`.step[data-field="${step.dataset.when}"]`);
      const choice = asked.hidden ? null : asked.querySelector("input:checked");
      step.hidden = !choice || !step.dataset.is.split(" ").includes(choice.value);
    }
    shownSteps().forEach((step, index) => { step.querySelector(".step-number").textContent = index + 1; });
  }

  /* ---- Sentences: the typed list and the pressed sentences are one thing ---- */
  const citing = () => {
    const able = shownSteps().filter((step) => step.dataset.kind === "sentences");
    return able.find((step) => step === touched) || able[0];
  };
  const typedList = (step) => step.querySelector("input[type=text]");
  const noneBox = (step) => step.querySelector("input[type=checkbox]");

  function citedNumbers(step) {
    const numbers = new Set();
    const count = Number(form().dataset.sentences) || 10000;
    const plain = typedList(step).value.normalize("NFKC").replace(/\s*[-–—~〜]\s*/g, "-");
    for (const piece of plain.split(/[\s,;、，]+/)) {
      const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(piece);
      if (!match) continue;
      for (let n = Number(match[1]); n <= Math.min(Number(match[2] || match[1]), count); n += 1) numbers.add(n);
    }
    return numbers;
  }

  function asTyped(numbers) {
    const runs = [];
    for (const n of [...numbers].sort((a, b) => a - b)) {
      const last = runs[runs.length - 1];
      if (last && n === last[1] + 1) last[1] = n;
      else runs.push([n, n]);
    }
    return runs.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a}-${b}`)).join(", ");
  }

  function toggleCited(number) {
    const step = citing();
    if (!step) return;
    const numbers = citedNumbers(step);
    if (!numbers.delete(number)) numbers.add(number);
    typedList(step).value = asTyped(numbers);
    touched = step;
    changed(typedList(step));
  }

  /* "None" and numbers exclude each other; unticking brings the numbers back. */
  function keepExclusive(field) {
    const step = field.closest('.step[data-kind="sentences"]');
    if (!step) return;
    if (field.type === "checkbox" && field.checked) {
      typedList(step).dataset.before = typedList(step).value;
      typedList(step).value = "";
    } else if (field.type === "checkbox") {
      typedList(step).value = typedList(step).dataset.before || "";
    } else if (field.value.trim()) {
      noneBox(step).checked = false;
    }
  }

  function drawCited() {
    const step = citing();
    const numbers = step ? citedNumbers(step) : new Set();
    for (const sentence of all("[data-sentence]")) {
      sentence.setAttribute("aria-pressed", String(numbers.has(Number(sentence.dataset.sentence))));
    }
    const badge = document.getElementById("cited-count");
    if (badge) {
      badge.hidden = numbers.size === 0;
      badge.textContent = texts.cited.replace("%s", numbers.size);
    }
  }

  /* ---- Limits of texts, told when they come near ---- */
  function drawCounter(area) {
    const length = area.value.trim().length;
    const [least, most] = [Number(area.dataset.min), Number(area.dataset.max)];
    let text = "";
    if (length > most) text = texts.too_long.replace("%s", length - most);
    else if (length > most * 0.9) text = texts.left.replace("%s", most - length);
    else if (length > 0 && length < least) text = texts.to_go.replace("%s", least - length);
    const counter = document.getElementById(`${area.name}-counter`);
    counter.textContent = text;
    counter.classList.toggle("is-over", length > most);
  }

  /* ---- An explanation that only repeats the label: asked for more, never stopped ---- */
  function saysLittle(text, labels) {
    let rest = text.toLowerCase();
    for (const label of labels) rest = rest.replaceAll(label.toLowerCase(), " ");
    const words = rest.match(/[\p{L}\p{N}]+/gu) || [];
    const letters = words.join("").length;
    const isUnspaced = /[\u3040-\u30ff\u4e00-\u9fff]/.test(rest);
    return isUnspaced ? letters < 6 : words.length < 3;
  }

  function drawHint(area, mayAppear) {
    const hint = document.getElementById(`${area.name}-hint`);
    if (!hint || "dismissed" in hint.dataset) return;
    const isLittle = area.value.trim() !== "" && saysLittle(area.value, hint.dataset.labels.split("|"));
    if (!isLittle) hint.replaceChildren();
    else if (mayAppear && !hint.firstChild) hint.append(document.getElementById(`${hint.id}-text`).content.cloneNode(true));
  }

  /* ---- The step that number keys go to: the one in focus, else the first choice still open ---- */
  const hasChoice = (step) => step.dataset.kind === "choice";
  function activeStep() {
    const focused = document.activeElement && document.activeElement.closest(".step");
    if (focused) return focused;
    return shownSteps().find((step) => hasChoice(step) && !step.querySelector("input:checked")) || null;
  }
  function drawActive() {
    const active = activeStep();
    for (const step of steps()) step.classList.toggle("is-active", step === active);
  }

  function refresh() {
    if (!form()) return;
    applyConditions();
    drawCited();
    all("textarea[data-max]", form()).forEach(drawCounter);
    drawActive();
  }

  function choose(number) {
    const step = activeStep();
    const radio = step && hasChoice(step) && all("input[type=radio]", step)[number - 1];
    if (!radio) return;
    radio.checked = true;
    radio.focus();
    changed(radio);
  }

  /* ---- The document: a column, or on a phone a sheet over the form ---- */
  const sheet = () => document.getElementById("document");
  const opener = () => document.querySelector('[data-sheet="open"]');
  const sheetIsOpen = () => sheet() && sheet().classList.contains("is-open");

  function showSheet(open) {
    if (!sheet() || sheetIsOpen() === open) return;
    sheet().classList.add("is-moving");
    sheet().classList.toggle("is-open", open);
    opener().setAttribute("aria-expanded", String(open));
    document.getElementById("work-column").inert = open;
    if (open) {
      sheet().setAttribute("role", "dialog");
      sheet().setAttribute("aria-modal", "true");
      const anchor = sheet().querySelector('[aria-pressed="true"], [data-anchor]');
      if (anchor) anchor.scrollIntoView({ block: "center" });
      sheet().focus({ preventScroll: true });
    } else {
      sheet().removeAttribute("role");
      sheet().removeAttribute("aria-modal");
      opener().focus({ preventScroll: true });
    }
  }

  let beforeDocument = null; // where the focus was before it went into the document
  function toggleDocument() {
    if (!sheet()) return;
    if (phone.matches) showSheet(!sheetIsOpen());
    else if (sheet().contains(document.activeElement)) (beforeDocument || firstField()).focus();
    else (sheet().querySelector("[data-anchor]") || sheet().querySelector("[data-sentence]") || sheet()).focus();
  }

  function moveSentence(by) {
    const sentences = all("[data-sentence]");
    if (!sentences.length) return;
    if (phone.matches) showSheet(true);
    const at = sentences.indexOf(document.activeElement);
    const start = Math.max(sentences.findIndex((sentence) => "anchor" in sentence.dataset), 0);
    const next = at < 0 ? start : Math.min(Math.max(at + by, 0), sentences.length - 1);
    sentences[next].focus();
    sentences[next].scrollIntoView({ block: "nearest" });
  }

  let swipe = null;
  document.addEventListener("touchstart", (event) => {
    const inSheet = sheetIsOpen() && event.target.closest("#document");
    const fromTop = inSheet && (event.target.closest(".document-head") || sheet().scrollTop <= 0);
    swipe = fromTop ? event.touches[0].clientY : null;
  }, { passive: true });
  document.addEventListener("touchend", (event) => {
    if (swipe !== null && event.changedTouches[0].clientY - swipe > 70) showSheet(false);
    swipe = null;
  }, { passive: true });
  phone.addEventListener("change", () => showSheet(false));

  /* ---- Dialogs ---- */
  function openDialog(name) {
    const dialog = document.getElementById(name);
    if (!dialog || dialog.open) return;
    dialog.returnValue = "";
    dialog.showModal();
    const later = dialog.querySelector("[hx-get]");
    if (later) window.htmx.trigger(later, "shown");
  }

  function emptyQuestion() {
    for (const field of all("input, textarea", form())) {
      if (field.type === "radio" || field.type === "checkbox") field.checked = false;
      else if (field.type !== "hidden") field.value = "";
      delete field.dataset.before;
    }
    touched = null;
    changed(form());
    firstField().focus();
  }

  const reset = document.getElementById("reset");
  if (reset) reset.addEventListener("close", () => { if (reset.returnValue === "reset") emptyQuestion(); });

  /* ---- Keys: single ones never while typing, with a modifier or over a dialog, and they can be switched off ---- */
  const singleKeys = document.getElementById("single-keys");
  if (singleKeys) {
    try { singleKeys.checked = localStorage.getItem("single-keys") !== "off"; } catch { /* forbidden: they stay on */ }
    singleKeys.addEventListener("change", () => {
      try { localStorage.setItem("single-keys", singleKeys.checked ? "on" : "off"); } catch { /* for this page only */ }
    });
  }
  const isTyping = (field) => field.matches("textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])");
  const citeAt = () => {
    const at = document.activeElement.closest("[data-sentence]") || document.querySelector("[data-sentence]:hover");
    if (at) toggleCited(Number(at.dataset.sentence));
  };
  const keys = {
    c: citeAt,
    j: () => moveSentence(1),
    k: () => moveSentence(-1),
    d: toggleDocument,
    i: () => openDialog("instructions"),
    "?": () => openDialog("keys"),
  };

  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const submit = document.getElementById("submit");
      if (submit && !event.target.closest(".thread")) {
        event.preventDefault();
        form().requestSubmit(submit);
      }
    } else if (event.key === "Escape") {
      if (sheetIsOpen()) showSheet(false);
      else if (isTyping(event.target)) event.target.blur();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target) && singleKeys && singleKeys.checked) {
      if (/^[1-9]$/.test(event.key)) choose(Number(event.key));
      else if (keys[event.key]) {
        event.preventDefault();
        keys[event.key]();
      }
    }
  });

  /* Enter in the list of sentences must not submit half a judgment. */
  document.addEventListener("keypress", (event) => {
    if (event.key === "Enter" && event.target.matches('.step input')) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const sentence = event.target.closest("[data-sentence]");
    const dialog = event.target.closest("[data-dialog]");
    const handle = event.target.closest("[data-sheet]");
    const dismiss = event.target.closest("[data-dismiss]");
    if (sentence && !window.getSelection().toString()) toggleCited(Number(sentence.dataset.sentence));
    else if (dialog && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      openDialog(dialog.dataset.dialog);
    } else if (dismiss) {
      const hint = document.getElementById(dismiss.dataset.dismiss);
      hint.dataset.dismissed = "";
      hint.replaceChildren();
    } else if (handle) showSheet(handle.dataset.sheet === "open");
  });
  document.addEventListener("input", (event) => {
    if (!event.target.closest("#form")) return;
    keepExclusive(event.target);
    if (event.target.matches("textarea")) drawHint(event.target, false);
    refresh();
  });
  document.addEventListener("change", (event) => {
    const area = event.target;
    // Later, so that it does not move the submit button from under a click that just left the field.
    if (area.matches("#form textarea")) window.setTimeout(() => drawHint(area, true), 400);
  });
  document.addEventListener("focusin", (event) => {
    touched = event.target.closest(".step") || touched;
    const left = event.relatedTarget;
    if (left && event.target.closest("#document") && !left.closest("#document")) beforeDocument = left;
    drawActive();
    drawCited();
  });
  document.addEventListener("focusout", () => window.setTimeout(drawActive));
  document.addEventListener("htmx:afterSettle", refresh);

  refresh();
  const anchor = document.querySelector("#document [data-anchor]");
  if (anchor && !phone.matches) {
    const box = sheet();
    box.scrollTop = anchor.offsetTop - box.clientHeight / 3;
  }
})();
