// <button data-copies="id" data-copied="Copied">: copies that element's text, and says so.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch { // no clipboard outside https: the old way
    getSelection().selectAllChildren(source);
    if (!document.execCommand("copy")) return; // the text is selected: Ctrl-C is left
  }
  const words = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = words; }, 2000);
});
