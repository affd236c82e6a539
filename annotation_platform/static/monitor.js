/* The monitor's table renews itself, unless it is to hold still. */
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.id === "monitor" && document.getElementById("pause").checked) event.preventDefault();
});
