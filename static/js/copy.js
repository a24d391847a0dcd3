// Buttons that copy: [data-copy] its own words, [data-copy-from] the text of an element.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Plain http from another machine has no clipboard API.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-from]");
  if (!button) return;
  const around = button.closest("[data-copy-source]")?.querySelector(button.dataset.copyFrom || "pre");
  await copy(button.dataset.copy ?? around?.textContent ?? "");
  const label = button.getAttribute("aria-label");
  button.dataset.copied = "";
  button.setAttribute("aria-label", "Copied");
  setTimeout(() => {
    delete button.dataset.copied;
    button.setAttribute("aria-label", label);
  }, 1500);
});
