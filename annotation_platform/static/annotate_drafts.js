/* Nothing typed is lost: drafts save themselves, wait in this browser while there is no connection, and notice
   another tab. Also here because they share the form's hidden fields: time on task, time left, and what comes back
   from submitting. */
import { fill, form, isOpen, onRefresh, PREFIX, shownSteps, text, typed } from "./annotate.js";

const state = document.getElementById("save-state");
const hidden = (name) => form().elements.namedItem(name);
const AFTER = 1000; // ms without a change
const AGAIN = 5000; // ms until the next try without a connection
const TRIES = 6; // to carry an earlier copy over, before the form is let go
let timer = null;
const PATIENCE = 3000; // ms that submitting waits for a save on its way
let under = null; // the save on its way
let isWaiting = null; // to submit, until it has arrived
let isDirty = false;
let isSent = false;
let theirs = null; // what another tab saved
let lastSent = null;

/* Screen readers hear of trouble alone, not of every save. */
const say = (words, kind = "") => {
  if (kind === "bad") state.setAttribute("role", "status");
  else state.removeAttribute("role");
  if (state.textContent !== words) state.textContent = words;
  state.dataset.kind = kind;
};

/* A draft beside a judgment is a change of it; the server keeps none (version 0) that says the same. */
function saySaved() {
  const isChange = "judged" in form().dataset && hidden("version").value !== "0";
  say(text(isChange ? "changed" : "saved"), isChange ? "warn" : "good");
  const box = document.getElementById("changed");
  if (box) box.hidden = !isChange;
  document.querySelector(".task-progress [aria-current]")?.classList.toggle("is-changed", isChange);
}

const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

/* ---- This browser's copy ---- */
const key = () => `draft-${form().dataset.key}`;
function keepHere() {
  if (form().inert) return; // the copy of an earlier version waits for the server
  try {
    const [scheme, version, seconds] = ["scheme", "version", "seconds"].map((name) => hidden(name).value);
    localStorage.setItem(key(), JSON.stringify({ values: typed(), scheme, version, seconds }));
  } catch { /* full or forbidden: the server's copy remains */ }
}
/* Of a look at the question in which nothing was typed, or nothing more. */
function keepTime() {
  try {
    localStorage.setItem(key(), JSON.stringify({ ...keptHere(), seconds: hidden("seconds").value }));
  } catch { /* the time is lost, nothing else */ }
}
function forgetHere() {
  try { localStorage.removeItem(key()); } catch { /* nothing was kept */ }
}
function keptHere(name = key()) {
  try { return JSON.parse(localStorage.getItem(name)); } catch { return null; }
}
/* A copy that could not be carried over stands beside that of what is typed since, until the server has taken it or
   somebody has decided. */
const asideKey = () => `aside-${key()}`;
function setAside(copy) {
  try {
    localStorage.setItem(asideKey(), JSON.stringify(copy));
    localStorage.removeItem(key());
  } catch { /* full: it stays where it is until something is typed */ }
}
function forgetAside() {
  try { localStorage.removeItem(asideKey()); } catch { /* nothing was kept */ }
}

/* ---- Saving ---- */
/* Signing in again in another tab gives this browser a new token, and the page's own is refused from then on. */
function renewToken() {
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
  if (token) hidden("csrfmiddlewaretoken").value = token[1];
}
const body = () => new URLSearchParams(new FormData(form()));
function schedule(after = AFTER) {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => save(), after);
}

function save(options = {}) {
  if (!isDirty || isSent || theirs || under || !form() || form().inert) return;
  under = send(options).finally(() => { under = null; });
}

/* The server's answer, null without a connection, and what it says. */
async function post(fields, options = {}) {
  say(text("saving"));
  let answer = null;
  let result = {};
  try {
    answer = await fetch(form().dataset.draft, { method: "POST", body: fields, ...options });
    if ((answer.headers.get("Content-Type") || "").startsWith("application/json")) result = await answer.json();
  } catch { /* no connection */ }
  return [answer, result];
}

async function send(options) {
  const saved = typed();
  const before = lastSent;
  lastSent = saved;
  addTime();
  renewToken();
  const [answer, result] = await post(body(), options);
  if (isSent || !form()) return;
  if (answer && answer.ok && "version" in result) {
    hidden("version").value = result.version;
    if (result.judged) form().dataset.judged = ""; // maybe in another tab
    if (result.expires) setExpiry(result.expires);
    else if (timeLeft) timeLeft.hidden = true;
    isDirty = !same(saved, typed());
    if (isDirty) {
      keepHere();
      schedule();
    } else {
      forgetHere();
      if (result.reason) say(result.reason, "bad"); // the form is of an earlier version of the scheme
      else saySaved();
    }
  } else if (answer && answer.status === 409 && before && same(before, result.typed)) {
    hidden("version").value = result.version; // our own save, whose answer was lost
    schedule(0);
  } else if (answer && answer.status === 409 && result.version) {
    ask(result);
  } else {
    sayNotSaved(answer, result);
    if (!result.reason) schedule(AGAIN);
  }
}

function ask(result) {
  theirs = result;
  document.getElementById("conflict").hidden = false;
  say(text("conflict"), "bad");
}

function sayNotSaved(answer, { reason }) {
  if (reason) say(reason, "bad");
  else if (answer && (answer.redirected || answer.status === 403)) say(text("signed_out"), "bad");
  else say(text(answer ? "not_kept" : "offline"), "bad"); // it may be gone, somebody else may be signed in
}

function loadAgain() {
  isSent = true; // nothing more is to be kept of this page
  forgetHere();
  window.location.reload();
}

/* When leaving, there is no time to wait for the answer; the copy in this browser stays until one was seen.
   Browsers let a page send no more than 64 KB after its end. */
function saveOnLeaving() {
  if (isSent || !form()) return;
  addTime();
  if (!isDirty) { keepTime(); return; }
  keepHere();
  window.clearTimeout(timer);
  save({ keepalive: body().toString().length < 60000 });
}

function settleConflict(choice) {
  if (choice === "mine") keepHere();
  if (theirs.isAside) forgetAside();
  if (choice === "theirs" && theirs.reason) { // it has fields that this page does not know
    loadAgain();
    return;
  }
  hidden("version").value = theirs.version;
  const values = theirs.typed;
  theirs = null;
  document.getElementById("conflict").hidden = true;
  if (choice === "theirs") {
    fill(values);
    isDirty = false;
    window.clearTimeout(timer);
    forgetHere();
    saySaved();
  } else {
    isDirty = true;
    save();
  }
}

/* ---- Time on task: only while the page is in view ---- */
let since = document.visibilityState === "visible" ? performance.now() : null;
function addTime() {
  if (since === null || !form()) return;
  const now = performance.now();
  hidden("seconds").value = (Number(hidden("seconds").value) + (now - since) / 1000).toFixed(1);
  since = now;
}

/* ---- Time left, calmly: whole minutes; and said aloud twice, when five and when one are left ---- */
const WARNED_AT = [5, 1];
const timeLeft = document.getElementById("time-left");
function setExpiry(iso) {
  if (timeLeft) timeLeft.dataset.expires = iso;
  drawTimeLeft();
}
function drawTimeLeft() {
  if (!timeLeft) return;
  const minutes = (new Date(timeLeft.dataset.expires) - Date.now()) / 60000;
  const number = timeLeft.querySelector(".num");
  const words = minutes <= 0 ? text("time_is_up") : minutes < 1 ? text("last_minute") : text("minutes_left", Math.floor(minutes));
  if (number.textContent !== words) number.textContent = words;
  timeLeft.classList.toggle("is-short", minutes < 5);
  const notice = document.getElementById("time-notice");
  const least = WARNED_AT.filter((each) => minutes > 0 && minutes <= each).pop();
  const said = least ? text("warned", least) : "";
  if (notice && notice.textContent !== said) notice.textContent = said;
}
document.addEventListener("htmx:afterSwap", () => {
  const lease = document.getElementById("lease");
  if (lease && lease.dataset.expires) setExpiry(lease.dataset.expires);
});

/* ---- Events ---- */
document.addEventListener("input", (event) => {
  if (!event.target.closest("#form")) return;
  isDirty = true;
  keepHere();
  if (!theirs) {
    if (state.dataset.kind !== "bad") say(text("unsaved"));
    schedule();
  }
});
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-conflict]");
  if (button && theirs) settleConflict(button.dataset.conflict);
});
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") {
    addTime();
    since = null;
    saveOnLeaving();
  } else if (since === null) {
    since = performance.now();
  }
});
window.addEventListener("pagehide", saveOnLeaving);
window.addEventListener("pageshow", (event) => { if (event.persisted) window.location.reload(); });
window.addEventListener("online", () => schedule(0));
window.addEventListener("offline", () => { if (isDirty) say(text("offline"), "bad"); });

const isJudgment = ({ detail }) => (detail.requestConfig ? detail.requestConfig.elt : detail.elt) === form();
const sayNotSent = (words) => { document.getElementById("not-sent").textContent = words; };
document.addEventListener("submit", (event) => {
  if (event.target.id === "drop-change") {
    isSent = true; // what is typed here is to go
    window.clearTimeout(timer);
    forgetHere();
    forgetAside();
  }
  if (event.target.id !== "form") return;
  if (form().inert) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  if (under) { // let it arrive first, or its draft would look like another device's
    event.preventDefault();
    event.stopImmediatePropagation();
    isWaiting ||= Promise.race([under, new Promise((go) => window.setTimeout(go, PATIENCE))]).then(() => {
      isWaiting = null;
      under = null;
      if (form()) form().requestSubmit();
    });
    return;
  }
  addTime();
  renewToken();
  keepHere();
  sayNotSent("");
  window.clearTimeout(timer);
}, true);
document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (!isJudgment(event) || !event.detail.xhr.getResponseHeader("HX-Redirect")) return;
  isSent = true;
  forgetHere();
  forgetAside();
  say(text("saved"), "good");
  if (preloaded && new URL(preloaded).pathname === event.detail.xhr.getResponseHeader("HX-Redirect")) {
    event.preventDefault();
    window.location.assign(preloaded);
  }
});
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!isJudgment(event) || event.detail.xhr.responseText.includes('id="judgment"')) return;
  event.detail.shouldSwap = false; // not the form: a sign-in page, a proxy's error
  if (!isSent) refused(text("refused"));
});
document.addEventListener("htmx:sendError", (event) => { if (isJudgment(event)) refused(text("not_sent")); });
document.addEventListener("htmx:afterSettle", (event) => {
  if (!event.detail.elt || event.detail.elt.id !== "judgment") return;
  document.getElementById("errors")?.scrollIntoView(); // its beginning, however long it is
  isDirty = true;
  schedule();
});
function refused(words) {
  isDirty = true;
  sayNotSent(words);
  schedule();
}

/* ---- The next question, loaded ahead once this one is nearly done; the browser keeps it for a few minutes ---- */
let preloaded = null;
let isPreloading = false;
async function preload() {
  const { preload: address } = form().dataset;
  const open = shownSteps().filter(isOpen).length;
  if (!address || isPreloading || open > 1) return;
  isPreloading = true;
  try {
    const answer = await fetch(address, { headers: { "X-Preload": "1" }, priority: "low" });
    if (answer.ok && !answer.redirected && (await answer.text())) preloaded = answer.url;
  } catch { /* it loads when it is asked for */ }
}
onRefresh(preload);
// The address under which it was loaded ahead is not to be kept: going back there must show what is stored.
if (window.location.search) window.history.replaceState(null, "", window.location.pathname);

/* ---- A hint never does more than to stand there ---- */
document.addEventListener("htmx:beforeOnLoad", (event) => {
  const { elt, xhr } = event.detail;
  if (elt.closest(".step") && (xhr.status !== 200 || xhr.getResponseHeader("HX-Refresh"))) event.preventDefault();
});

/* ---- Start: bring back what a lost connection left in this browser ---- */
/* A copy from a form of another version of the scheme: only the server knows what became of its keys and choices.
   Without a connection, or signed out, it is tried again for a while. */
async function carryOver(copy, isAside, tries = TRIES) {
  renewToken();
  const fields = new URLSearchParams(Object.entries(copy.values).map(([slot, value]) => [PREFIX + slot, value]));
  for (const name of ["scheme", "version", "seconds"]) fields.set(name, copy[name]);
  for (const name of ["holder", "csrfmiddlewaretoken"]) fields.set(name, hidden(name).value);
  for (const { name, value } of form().querySelectorAll("[name^='kept-']")) fields.set(name, value);
  const [answer, result] = await post(fields);
  if (isSent) return;
  if (answer && answer.ok && "version" in result) {
    if (isAside) forgetAside();
    loadAgain();
  } else if (answer && answer.status === 409 && result.version) {
    form().inert = false;
    hidden("version").value = copy.version;
    ask({ ...result, isAside });
    fill(result.mine || copy.values);
  } else {
    sayNotSaved(answer, result);
    const mayPass = !result.reason && (!answer || answer.redirected || answer.status === 403);
    if (mayPass && tries > 1) window.setTimeout(() => carryOver(copy, isAside, tries - 1), AGAIN);
    else letGo(copy, isAside);
  }
}

/* The form is let go with as much of the copy as it has fields for; the whole of it is tried again at the next load. */
function letGo(copy, isAside) {
  if (!isAside) setAside(copy);
  if (!isAside || hidden("version").value === copy.version) { // else something newer was saved
    hidden("version").value = copy.version;
    fill({ ...typed(), ...copy.values });
    isDirty = false; // nobody has typed yet, and a save would be newer than the copy
    window.clearTimeout(timer);
  }
  form().inert = false;
}

drawTimeLeft();
window.setInterval(drawTimeLeft, 5000);
const kept = keptHere();
if (kept && Number(kept.seconds) > Number(hidden("seconds").value)) hidden("seconds").value = kept.seconds;
const aside = keptHere(asideKey());
if (kept && kept.values && kept.scheme && kept.scheme !== hidden("scheme").value) {
  form().inert = true; // what would be typed now would take the copy's place
  carryOver(kept, false);
} else if (kept && kept.values && !same(kept.values, typed())) {
  hidden("version").value = kept.version;
  fill(kept.values);
  say(text("restored"));
  schedule(0);
} else {
  forgetHere();
  if (aside) {
    form().inert = true;
    carryOver(aside, true);
  }
}
