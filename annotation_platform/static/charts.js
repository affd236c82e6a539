// Draws every <div class="chart" data-spec="…"> when it comes into view, in the reader's colour scheme.
// Vega's own expression interpreter is used, because the page's policy forbids eval.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const options = {
  ast: true, actions: false, renderer: "svg", defaultStyle: false,
  tooltip: { disableDefaultStyle: true, formatTooltip: lines },
};

// What is not there, such as an interval that cannot be given, is left out; the table says why.
function lines(value, escape) {
  const told = Object.entries(value).filter(([, text]) => text !== "null" && text !== undefined && text !== null);
  const rows = told.map(([name, text]) =>
    `<tr><td class="key">${escape(name)}</td><td class="value">${escape(text)}</td></tr>`);
  return `<table><tbody>${rows.join("")}</tbody></table>`;
}

async function draw(chart) {
  try {
    const address = new URL(chart.dataset.spec, document.baseURI);
    address.searchParams.set("scheme", dark.matches ? "dark" : "light");
    address.searchParams.set("width", Math.floor(chart.clientWidth));
    if (chart.clientWidth < 420) address.searchParams.set("narrow", "1");
    const reply = await fetch(address, { headers: { Accept: "application/json" } });
    if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
    if (!window.vegaEmbed) throw new Error("the drawing library is missing: run manage.py build_assets");
    chart.drawn?.finalize();
    chart.drawn = await window.vegaEmbed(chart, await reply.json(), options);
    // Where no row has an interval there are no lines, and nothing to read out.
    for (const nothing of chart.querySelectorAll(".role-mark:empty")) nothing.setAttribute("aria-hidden", "true");
    chart.removeAttribute("aria-busy");
  } catch (error) {
    const words = document.querySelector("meta[name=chart-failed]").content;
    chart.textContent = words.replace("{reason}", () => error.message);
    chart.classList.add("failed");
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "300px" });

function watch(root) {
  for (const chart of root.querySelectorAll(".chart[data-spec]")) {
    chart.setAttribute("aria-busy", "true");
    seen.observe(chart);
  }
}

watch(document);
document.addEventListener("htmx:afterSwap", (event) => {
  const swapped = document.getElementById(event.detail.target.id);
  if (swapped) watch(swapped);
});
dark.addEventListener("change", () => {
  for (const chart of document.querySelectorAll(".chart[data-spec]")) if (chart.drawn) draw(chart);
});
