// `/` goes to the filter of the page; Ctrl/Cmd Enter sends the form around the cursor.
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    const form = event.target.closest("form");
    if (!form) return;
    event.preventDefault();
    form.requestSubmit();
    return;
  }
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, select, textarea, [contenteditable], dialog")) return;
  const filter = document.querySelector("[data-filter]");
  if (!filter) return;
  event.preventDefault();
  filter.focus();
  filter.select?.();
});
