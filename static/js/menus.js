// Menus made of <details>: one open at a time, closed by Esc or a click elsewhere.
// On a narrow page the navigation scrolls sideways; start where the reader is.
const nav = document.querySelector(".side nav");
const here = nav?.querySelector("[aria-current]");
if (here) nav.scrollLeft = here.offsetLeft - (nav.clientWidth - here.offsetWidth) / 2;

document.addEventListener("click", (event) => {
  const within = event.target.closest("details.menu");
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu !== within) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const open = event.target.closest("details[open].menu, details[open].confirm");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
  event.preventDefault();
}, { capture: true });

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-cancel]");
  const around = button?.closest("details");
  if (!around) return;
  around.open = false;
  around.querySelector("summary").focus();
});
