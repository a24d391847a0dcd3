// A list and the panel beside it: rows open it, j/k and arrows move, Esc closes it.
let listAddress = null;

const panel = () => document.getElementById("panel");
const isOpen = () => Boolean(panel()?.firstElementChild);
const besideList = () => panel()?.closest(".with-panel") && document.querySelector("[data-row]");
const rows = () => [...document.querySelectorAll("[data-row]")];
const linkOf = (row) => row?.querySelector("[data-open]");

function mark() {
  for (const row of rows()) {
    const link = linkOf(row);
    const current = isOpen() && link?.pathname === location.pathname;
    if (current) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

function close() {
  const link = panel().querySelector("[data-close]");
  const row = document.querySelector("[data-row][aria-current]");
  panel().replaceChildren();
  history.pushState({ htmx: true }, "", listAddress ?? link?.href ?? location.href);
  listAddress = null;
  mark();
  linkOf(row)?.focus();
}

function step(by) {
  if (isOpen()) {
    panel().querySelector(by > 0 ? "[data-next]" : "[data-prev]")?.click();
    return;
  }
  const all = rows();
  const here = all.findIndex((row) => row.contains(document.activeElement));
  const next = here < 0 ? 0 : Math.min(all.length - 1, Math.max(0, here + by));
  linkOf(all[next])?.focus();
}

function pressed(event) {
  const typing = event.target.closest("input, select, textarea, [contenteditable], dialog");
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && isOpen() && !event.target.closest("dialog")) {
    if (besideList()) close();
    else panel().querySelector("[data-close]")?.click();
    return;
  }
  if (typing) return;
  const inRow = event.target.closest("[data-row]");
  const moves = { j: 1, k: -1 };
  if (isOpen()) Object.assign(moves, { ArrowRight: 1, ArrowLeft: -1 });
  else if (inRow) Object.assign(moves, { ArrowDown: 1, ArrowUp: -1 });
  if (!(event.key in moves)) return;
  event.preventDefault();
  step(moves[event.key]);
}

function clicked(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("#panel [data-close]") && besideList()) {
    event.preventDefault();
    close();
    return;
  }
  const row = event.target.closest("[data-row]");
  const own = event.target.closest("a, button, input, label, select, summary");
  if (row && !own && !String(getSelection())) linkOf(row)?.click();
}

document.addEventListener("keydown", pressed);
document.addEventListener("click", clicked);
document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.target === panel() && !isOpen()) listAddress = location.href;
});
document.addEventListener("htmx:afterSettle", (event) => {
  mark();
  if (event.detail.target !== panel()) return;
  panel().scrollTop = 0;
  panel().querySelector("h2[tabindex]")?.focus({ preventScroll: true });
  document.querySelector("[data-row][aria-current]")?.scrollIntoView({ block: "nearest" });
});
document.addEventListener("htmx:pushedIntoHistory", mark);
mark();
