// The command palette: Ctrl/Cmd K, over the navigation and everything in the project.
const dialog = document.querySelector("dialog.palette");
const input = dialog?.querySelector("input");
const list = dialog?.querySelector("ul");
const none = dialog?.querySelector(".palette-none");
const places = [...document.querySelectorAll("[data-place]")].map((link) => ({
  title: link.textContent.trim(),
  kind: "page",
  url: link.getAttribute("href"),
  hint: "",
}));
let asked = null;

function part(name, text) {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}

function entry(result, number) {
  const item = document.createElement("li");
  item.id = `palette-${number}`;
  item.role = "option";
  const link = document.createElement("a");
  link.href = result.url;
  link.tabIndex = -1;
  link.append(part("title", result.title), part("hint", result.hint ?? ""), part("kind", result.kind));
  item.append(link);
  return item;
}

function choose(number) {
  const items = [...list.children];
  const at = items.length ? (number + items.length) % items.length : -1;
  items.forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
  items[at]?.scrollIntoView({ block: "nearest" });
  if (at >= 0) input.setAttribute("aria-activedescendant", items[at].id);
  else input.removeAttribute("aria-activedescendant");
}

const chosen = () => [...list.children].findIndex((item) => item.ariaSelected === "true");

function show(results) {
  const own = results.filter((result) => /^\/(?![/\\])/.test(result.url));
  list.replaceChildren(...own.map(entry));
  none.hidden = own.length > 0;
  choose(0);
}

async function look() {
  const words = input.value.trim().toLowerCase();
  const pages = places.filter((place) => place.title.toLowerCase().includes(words));
  asked?.abort();
  if (!words || !dialog.dataset.search) return show(pages);
  asked = new AbortController();
  const address = `${dialog.dataset.search}?q=${encodeURIComponent(words)}`;
  try {
    const answer = await fetch(address, { signal: asked.signal, headers: { Accept: "application/json" } });
    const found = answer.ok ? (await answer.json()).results : [];
    show([...pages, ...found]);
  } catch (error) {
    if (error.name !== "AbortError") show(pages);
  }
}

function open() {
  document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; });
  dialog.showModal();
  input.select();
  look();
}

if (dialog) {
  let timer = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(chosen() + 1);
    else if (event.key === "ArrowUp") choose(chosen() - 1);
    else if (event.key === "Enter") list.children[chosen()]?.querySelector("a").click();
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-palette-open]")) open();
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
}
