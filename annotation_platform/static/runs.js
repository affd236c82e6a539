// Shows only what concerns the scorer that is chosen. Without this script everything is shown, and the server sorts it out.
const form = document.querySelector("form.scoring-form");
const follow = () => {
  const scorer = new FormData(form).get("scorer");
  for (const part of form.querySelectorAll("[data-scorers]")) {
    part.hidden = !part.dataset.scorers.split(" ").includes(scorer);
  }
};
form.addEventListener("change", follow);
follow();
