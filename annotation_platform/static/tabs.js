// Rows of tabs that are wider than the screen begin at the one that is open.
document.querySelectorAll(".tabs [aria-current]").forEach((tab) => {
  const row = tab.closest(".tabs");
  row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
});
