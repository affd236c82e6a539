// Opens and closes confirmation dialogs: <button data-opens="id"> and <button data-closes-dialog>. One that the page
// shows open, since what it sent was refused, opens like any other. A button that came when the page looked at itself
// again may ask for one that only a new page has.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  const asked = opener && document.getElementById(opener.dataset.opens);
  if (asked) asked.showModal();
  else if (opener) window.location.reload();
  event.target.closest("[data-closes-dialog]")?.closest("dialog").close();
});
for (const dialog of document.querySelectorAll("dialog[open]")) {
  dialog.close();
  dialog.showModal();
}
