// Waits for news of the game, and shows the page as it is then, without losing what the reader has chosen or typed.
// On document: `page:replacing`, with the new <main> as detail, which a listener may cancel so that the reader is asked
// first; and `page:replaced` when that was done.

const HIDDEN = 30_000; // milliseconds between two questions while nobody looks at the page
const AFTER_FAILURE = 5_000;

const said = document.createElement("p");
said.className = "said";
said.setAttribute("aria-live", "polite");
document.body.append(said);

const pause = (length) => new Promise((resolve) => setTimeout(resolve, length));
const seen = () => document.querySelector("meta[name=news]");

async function ask() {
  const query = new URLSearchParams({ after: seen().content });
  if (document.hidden) query.set("wait", "0");
  const answer = await fetch(`${seen().dataset.at}?${query}`, { cache: "no-store" });
  if (answer.status === 404 || answer.redirected) return location.reload();
  if (answer.status === 200) return show();
  if (answer.status !== 204) await pause(1000 * (Number(answer.headers.get("Retry-After")) || 5));
}

async function show() {
  const answer = await fetch(location.href, { cache: "no-store", headers: { Accept: "text/html" } });
  if (!answer.ok || answer.redirected) return location.reload();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.title = page.title;
  document.querySelector("link[rel=icon]").href = page.querySelector("link[rel=icon]").href;
  seen().content = page.querySelector("meta[name=news]").content;
  const main = page.querySelector("main");
  const event = new CustomEvent("page:replacing", { detail: main, cancelable: true });
  if (carryOver(main) && document.dispatchEvent(event)) replace(main);
  else offer(main);
}

// What the reader has chosen or typed: each field that is not as it came.
function changed() {
  return [...document.querySelectorAll("main form :is(input, select, textarea)")].filter((field) =>
    field.matches("[type=radio], [type=checkbox]") ? field.checked !== field.defaultChecked && field.checked
    : field.matches("select") ? [...field.options].some((option) => option.selected !== option.defaultSelected && option.selected) && field.value !== ""
    : field.type !== "hidden" && field.value !== field.defaultValue);
}

const actionOf = (field) => field.form.getAttribute("action");
const turnOf = (field) => field.form.elements.turn?.value;

// Fills in the new page what was chosen or typed; says whether there is a place for all of it.
function carryOver(main) {
  return changed().every((field) => {
    const isChoice = field.matches("[type=radio], [type=checkbox]");
    const same = [...main.querySelectorAll(`form [name="${field.name}"]`)].find((other) =>
      other.tagName === field.tagName && actionOf(other) === actionOf(field) && turnOf(other) === turnOf(field)
      && (!isChoice || other.value === field.value)
      && (field.tagName !== "SELECT" || [...other.options].some((option) => option.value === field.value)));
    if (!same) return false;
    if (isChoice) same.checked = true;
    else same.value = field.value;
    return true;
  });
}

function replace(main) {
  const old = document.querySelector("main");
  const open = new Set([...old.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
  const focused = placeOf(old, document.activeElement);
  for (const summary of main.querySelectorAll("details > summary")) {
    if (open.has(summary.textContent)) summary.parentElement.open = true;
  }
  const news = whatHappened(old, main);
  old.replaceChildren(...main.childNodes);
  elementAt(old, focused)?.focus({ preventScroll: true });
  showLast();
  document.dispatchEvent(new CustomEvent("page:replaced"));
  said.replaceChildren(news);
}

function offer(main) {
  const button = document.createElement("button");
  button.textContent = "Show it";
  button.addEventListener("click", () => replace(main));
  said.replaceChildren("Something happened in the game. ", button);
}

// The place of an element, so that the same one has the focus afterwards.
function placeOf(main, element) {
  if (!element || element === document.body || !main.contains(element)) return null;
  const selector = element.id ? `#${element.id}` : element.name
    ? `form[action="${element.form?.getAttribute("action")}"] [name="${element.name}"]` : element.tagName;
  return { selector, index: [...main.querySelectorAll(selector)].indexOf(element) };
}

function elementAt(main, place) {
  return place && [...main.querySelectorAll(place.selector)][place.index];
}

function whatHappened(old, main) {
  const lead = main.querySelector(".lead")?.textContent.trim() ?? "";
  const before = new Set([...old.querySelectorAll(".happened p, .talk li")].map((entry) => entry.textContent));
  const entries = [...main.querySelectorAll(".happened p, .talk li")].map((entry) => entry.textContent);
  return [lead, ...entries.filter((entry) => !before.has(entry)).slice(0, 3)].join(" ");
}

function showLast() {
  const talk = document.querySelector(".talk");
  if (talk) talk.scrollTop = talk.scrollHeight;
}

async function wait() {
  for (;;) {
    try {
      await ask();
      if (document.hidden) await pause(HIDDEN);
    } catch {
      await pause(AFTER_FAILURE);
    }
  }
}

showLast();
wait();
