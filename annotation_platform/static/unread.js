// Keys of the page on which a person reads replies: whatever names a key with data-key is clicked by it.
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input:not([type=hidden]), textarea, select, [contenteditable]")) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!target) return;
  event.preventDefault();
  document.querySelectorAll("[data-key]").forEach((each) => { each.removeAttribute("data-key"); }); // once
  target.click();
});
