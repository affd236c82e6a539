// Opens and closes confirmation dialogs: <button data-opens="id"> and <button data-closes-dialog>.
document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  event.target.closest("[data-closes-dialog]")?.closest("dialog").close();
});
