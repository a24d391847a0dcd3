// Filter bars: addresses carry only the filters that are set, and "Clear" shows only then.
const filled = (form) => [...new FormData(form).values()].some((value) => value !== "");

function refresh(form) {
  const clear = form.querySelector("[data-clear]");
  if (clear) clear.hidden = !filled(form);
}

document.addEventListener("input", (event) => {
  const form = event.target.closest("form.filter-bar");
  if (form) refresh(form);
});
document.addEventListener("htmx:configRequest", (event) => {
  if (!event.detail.elt.matches("form.filter-bar")) return;
  for (const [name, value] of [...event.detail.formData.entries()]) {
    if (value === "") event.detail.formData.delete(name);
  }
});
document.querySelectorAll("form.filter-bar").forEach(refresh);
