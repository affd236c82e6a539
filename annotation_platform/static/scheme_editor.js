/* The scheme editor: line numbers, ways from a mistake to its line, the preview's frame, and a copy of what was typed
   in this browser. Checking is the server's business (htmx). */
const field = document.getElementById("scheme");
const numbers = document.getElementById("line-numbers");
const frame = document.getElementById("frame");
const form = field.form;
const kept = `scheme:${location.pathname}`;

/* ---- Line numbers, mistakes marked ---- */
const mistakeLines = () => new Set([...document.querySelectorAll("#checked [data-line]")].map((each) => Number(each.dataset.line)));
function number() {
  const wrong = mistakeLines();
  numbers.replaceChildren(...field.value.split("\n").map((_, index) => {
    const line = document.createElement("span");
    line.textContent = index + 1;
    line.classList.toggle("has-mistake", wrong.has(index + 1));
    return line;
  }));
  follow();
}
const follow = () => { numbers.scrollTop = field.scrollTop; };
field.addEventListener("input", number);
field.addEventListener("scroll", follow);

function goTo(line) {
  const lines = field.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  field.focus({ preventScroll: true });
  field.setSelectionRange(start, start + (lines[line - 1] || "").length);
  field.scrollTop = (line - 1) * parseFloat(getComputedStyle(field).lineHeight) - field.clientHeight / 3;
  field.scrollLeft = 0;
  field.scrollIntoView({ block: "nearest" });
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-line]");
  if (button) goTo(Number(button.dataset.line));
});

/* ---- Enter keeps the indentation; execCommand keeps what can be undone ---- */
field.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  const line = field.value.slice(0, field.selectionStart).split("\n").pop();
  const more = /:\s*$/.test(line) ? "  " : "";
  event.preventDefault();
  document.execCommand("insertText", false, `\n${line.match(/^ */)[0]}${more}`);
});

/* ---- A file goes into the field ---- */
const file = document.getElementById("file");
file.addEventListener("change", async (event) => {
  event.stopPropagation();
  if (!file.files[0]) return;
  keep();
  field.value = await file.files[0].text();
  file.value = "";
  changed();
});
function changed() {
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/* ---- The frame: width, colours, what was filled in ---- */
function fit() {
  const isPhone = form.elements.width.value === "phone";
  frame.classList.toggle("is-phone", isPhone);
  frame.classList.toggle("is-scaled", !isPhone);
  frame.style.setProperty("--frame-scale", isPhone ? 1 : Math.min(1, frame.clientWidth / 1120));
  const page = frame.querySelector("iframe");
  if (page) page.style.colorScheme = form.elements.colours.value;
}
new ResizeObserver(fit).observe(frame);
form.addEventListener("change", (event) => {
  if (!["width", "colours"].includes(event.target.name)) return;
  event.stopPropagation();
  fit();
}, true);
const filled = () => {
  const page = frame.querySelector("iframe");
  const inner = page && page.contentDocument && page.contentDocument.getElementById("form");
  return inner ? [...new FormData(inner)] : [];
};
let isFilledSince = false; // something was filled in after the look that is on its way was asked for
document.body.addEventListener("htmx:configRequest", (event) => {
  isFilledSince = false;
  for (const [name, value] of filled()) event.detail.formData.append(name, value);
});
let scrolled = 0;
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (isFilledSince && event.detail.requestConfig?.elt === form) {
    event.detail.shouldSwap = false;
    changed();
    return;
  }
  const page = frame.querySelector("iframe");
  scrolled = page && page.contentWindow ? page.contentWindow.scrollY : scrolled;
});
document.body.addEventListener("htmx:oobAfterSwap", prepare);
document.body.addEventListener("htmx:afterSettle", () => {
  frame.classList.toggle("is-stale", mistakeLines().size > 0);
  number();
});
function prepare() {
  fit();
  const page = frame.querySelector("iframe");
  if (page) page.addEventListener("load", () => {
    page.contentWindow.scrollTo(0, scrolled);
    page.contentDocument.addEventListener("input", () => { isFilledSince = true; });
  }, { once: true });
}

/* ---- A dry run goes before looking: leaving a field for its button, or having typed just before, asks for a look
   too, which would call the dry run off, or take the button away under the pointer ---- */
let isPressed = false;
let tried = null; // the scheme of the dry run that is on its way
let told = null; // what the form held when the newest dry run was told: a look at the same would take that away
const held = () => JSON.stringify([...new FormData(form)].filter(([, value]) => typeof value === "string"));
let isLookDue = false;
const isTry = (element) => element instanceof Element && element.closest("#try") !== null;
document.addEventListener("pointerdown", (event) => {
  if (!isTry(event.target)) return;
  isPressed = true;
  window.htmx.trigger(form, "htmx:abort");
}, true);
const letGo = () => window.setTimeout(() => {
  if (!isPressed) return;
  isPressed = false;
  lookIfDue();
});
document.addEventListener("pointerup", letGo, true);
document.addEventListener("pointercancel", letGo, true);
function lookIfDue() {
  if (isLookDue && !isPressed && tried === null) changed();
  isLookDue &&= isPressed || tried !== null;
}
document.body.addEventListener("htmx:confirm", (event) => {
  if (isTry(event.detail.elt)) {
    tried = field.value;
    told = held();
    isLookDue = false;
  } else if (event.detail.elt === form && (isPressed || tried !== null)) {
    event.preventDefault();
    isLookDue ||= tried === null || field.value !== tried;
  } else if (event.detail.elt === form && told === held()) {
    event.preventDefault();
  } else if (event.detail.elt === form) {
    told = null;
  }
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  // The answer may have replaced the button; what is around it is told of its end then.
  if (!isTry(event.detail.requestConfig?.elt ?? event.detail.elt)) return;
  tried = null;
  lookIfDue();
});

/* ---- A copy in this browser until the study is made ---- */
const offer = document.getElementById("kept");
const written = field.defaultValue;
// The study's own fields, and what is renamed; but not its corpus, which may just have been imported.
const beside = [...form.querySelectorAll(".study-fields [name], #renamings")].filter((each) => each.name !== "corpus");
const said = () => JSON.stringify(beside.map((each) => (each.type === "checkbox" ? each.checked : each.value)));
const saidAtFirst = said();
let before = null;
let saidBefore = null;
try {
  before = localStorage.getItem(kept);
  saidBefore = localStorage.getItem(`${kept}#fields`);
  const isSame = before === field.value || (before === null && saidBefore === said());
  if ("stored" in offer.dataset && isSame) {  // the platform has it
    localStorage.removeItem(kept);
    localStorage.removeItem(`${kept}#fields`);
    saidBefore = null;
  }
} catch { /* a browser that keeps nothing */ }
function keep() {
  try {
    if (field.value !== written) localStorage.setItem(kept, field.value);
    if (beside.length) localStorage.setItem(`${kept}#fields`, said());
  } catch { /* full, or not allowed */ }
}
if ((before && before !== field.value) || (saidBefore && saidBefore !== said())) offer.hidden = false;
document.getElementById("restore").addEventListener("click", () => {
  if (before) field.value = before;
  if (saidBefore) {
    const values = JSON.parse(saidBefore);
    if (values.length === beside.length) beside.forEach((each, place) => {
      if (each.type === "checkbox") each.checked = values[place];
      else each.value = values[place];
    });
  }
  offer.hidden = true;
  changed();
  field.focus();
});
document.getElementById("forget").addEventListener("click", () => {
  offer.hidden = true;
  try {
    localStorage.removeItem(kept);
    localStorage.removeItem(`${kept}#fields`);
  } catch { /* nothing to remove */ }
  field.focus();
});
let later = 0;
form.addEventListener("input", (event) => {
  if (event.target !== field && !beside.includes(event.target)) return;
  if (field.value === written && said() === saidAtFirst) return;
  clearTimeout(later);
  later = setTimeout(keep, 400);
});

form.addEventListener("submit", (event) => {
  if (event.submitter?.value !== "create") return;
  clearTimeout(later);
  try { localStorage.removeItem(`${kept}#fields`); } catch { /* nothing to remove */ }
});

if (matchMedia("(max-width: 40rem)").matches) form.elements.width.value = "phone";
number();
fit();
