// A file that is larger than what is taken is refused before it is sent: on a much larger one the server hangs up.
document.addEventListener("change", ({ target }) => {
  if (!target.matches("input[type=file][data-most]")) return;
  const isTooLarge = [...target.files].some((file) => file.size > Number(target.dataset.most));
  target.setCustomValidity(isTooLarge ? target.dataset.tooLarge : "");
  target.reportValidity();
});
