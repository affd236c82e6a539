// A form is sent once until its page is shown again: what a double click sends would be made twice, or be there already.
const PATIENCE = 5000; // ms; an answer that is a download, or none at all, leaves the page where it is
let sent = new WeakMap();
window.addEventListener("submit", (event) => { // the last to hear of it: other scripts may send it in their own way
  if (event.defaultPrevented || !event.target.matches("[method=post i]")) return;
  if (performance.now() - sent.get(event.target) < PATIENCE) event.preventDefault();
  else sent.set(event.target, performance.now());
});
window.addEventListener("pageshow", () => { sent = new WeakMap(); });
