// Short messages: good news leaves by itself, a request that failed offers to try again.
const LASTS_MS = 6000;
const region = document.getElementById("toasts");

function settle(toast) {
  toast.dataset.seen = "";
  if (toast.matches(".ok, .info")) setTimeout(() => toast.remove(), LASTS_MS);
}

function watch() {
  region?.querySelectorAll(".toast:not([data-seen])").forEach(settle);
}

function trouble(words, retry) {
  const toast = document.getElementById("toast-trouble").content.firstElementChild.cloneNode(true);
  toast.querySelector("span").textContent = words;
  const again = toast.querySelector("[data-again]");
  again.hidden = !retry;
  again.addEventListener("click", () => {
    toast.remove();
    retry();
  });
  region.querySelectorAll(".toast.trouble").forEach((old) => old.remove());
  region.append(toast);
}

function retryOf({ elt, target, requestConfig }) {
  if (requestConfig?.verb !== "get") return null;
  return () => window.htmx.ajax("GET", requestConfig.path, { source: elt, target });
}

const words = {
  403: "You may not do this in this project.",
  404: "This is not there any more.",
  429: "Too many requests; wait a moment.",
};

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-dismiss]")) event.target.closest(".toast").remove();
});
document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  trouble(words[status] ?? `The studio could not do this (${status}).`, retryOf(event.detail));
});
document.addEventListener("htmx:sendError", (event) => {
  trouble("The studio cannot be reached.", retryOf(event.detail));
});
// Signed out meanwhile: the sign-in page must not end up inside a part of this one.
document.addEventListener("htmx:beforeSwap", (event) => {
  const place = document.querySelector('meta[name="sign-in"]')?.content;
  const answered = event.detail.xhr.responseURL;
  if (!place || !answered || new URL(answered).pathname !== place) return;
  event.detail.shouldSwap = false;
  location.reload();
});
document.addEventListener("htmx:oobAfterSwap", watch);
document.addEventListener("htmx:afterSettle", watch);
watch();
