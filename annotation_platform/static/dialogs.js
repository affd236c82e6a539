// Opens and closes confirmation dialogs: <button data-opens="id"> and <button data-closes-dialog>. One that the page
// shows open, since what it sent was refused, opens like any other.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  event.target.closest("[data-closes-dialog]")?.closest("dialog").close();
});
for (const dialog of document.querySelectorAll("dialog[open]")) {
  dialog.close();
  dialog.showModal();
}
