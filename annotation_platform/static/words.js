// Words between annotators and researchers: what was typed stays until it was sent, and the reason why it was not
// stands below it.
const fields = (root) => [...root.querySelectorAll(".thread textarea")];
const key = (field) => `word-${field.dataset.word}`;
const keep = (field) => {
  try {
    if (field.value.trim()) localStorage.setItem(key(field), field.value);
    else localStorage.removeItem(key(field));
  } catch { /* full or forbidden: it stays on the page */ }
};
const kept = (field) => { try { return localStorage.getItem(key(field)); } catch { return null; } };

function refuse(form, reason) {
  let told = form.querySelector(".field-error");
  if (!told) {
    told = document.createElement("p");
    told.className = "field-error";
    told.setAttribute("role", "alert");
    form.querySelector("textarea").after(told);
  }
  told.textContent = reason || form.dataset.notSent;
}

const sender = (event) => {
  const { elt } = event.detail.requestConfig;
  return elt.matches(".thread form") ? elt : null;
};
document.addEventListener("input", (event) => { if (event.target.matches(".thread textarea")) keep(event.target); });
document.addEventListener("htmx:beforeSwap", (event) => {
  const form = sender(event);
  if (!form) return;
  const { xhr } = event.detail;
  const answer = new DOMParser().parseFromString(xhr.responseText, "text/html");
  if (!answer.querySelector(".thread")) { // an error, a sign-in page: not to be put in place of what was typed
    event.detail.shouldSwap = false;
    refuse(form, answer.querySelector(".notice.error")?.textContent.trim());
  } else if (xhr.status < 300) {
    fields(form.parentElement).forEach((field) => { field.value = ""; keep(field); });
  }
});
document.addEventListener("htmx:sendError", (event) => { if (sender(event)) refuse(sender(event)); });
document.addEventListener("DOMContentLoaded", () => {
  for (const field of fields(document)) {
    const words = kept(field);
    if (!words || field.value) continue;
    field.value = words;
    field.closest("details")?.setAttribute("open", "");
  }
});
