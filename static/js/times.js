// Moments in the reader's own time zone; the server wrote how long ago they were.
const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

function localise(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.valueOf())) continue;
    const words = format.format(moment);
    time.dataset.local = "";
    time.title = words;
    if ("absolute" in time.dataset) time.textContent = words;
  }
}

localise(document);
document.addEventListener("htmx:load", (event) => localise(event.target.parentNode ?? document));
