// Puts the main part of a page that was fetched in the place of the present one. What the reader has chosen, typed and
// opened stays, and the focus. Then `page:replaced` is dispatched on document.

import { title } from "./turn.js";

const IN_HEAD = ['link[rel="icon"]', 'meta[name="news"]'];

// The names of scripts that run here. Their addresses change with the version of the server, and none may run twice.
const scriptsOf = (page) => [...page.querySelectorAll("script[src]")].map((script) => script.getAttribute("src"));
const nameOf = (src) => src.split("/").at(-1);
const running = new Set(scriptsOf(document).map(nameOf));

// Take over title, icon, mark and scripts of a fetched page; return its main part, null if it has none.
export function arrived(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("main");
  if (!main) return null;
  title(page.title);
  for (const selector of IN_HEAD) {
    const [before, now] = [document, page].map((each) => each.querySelector(selector));
    if (now) before?.replaceWith(now);
  }
  for (const src of scriptsOf(page)) {
    if (!running.has(nameOf(src))) import(src);
    running.add(nameOf(src));
  }
  return main;
}

export function hasPlaceForAll(main) {
  return (!hasSecondLeg(document) || hasSecondLeg(main)) && changed().every((field) => counterpart(field, main));
}

// Of a double move whose first leg is chosen, which only this page knows.
const hasSecondLeg = (page) => page.querySelector(".choose.second") !== null;

// `sent` is the form whose answer `main` is: what it holds is done with, also if the page was replaced since it was sent.
export function replace(main, sent = null) {
  const old = document.querySelector("main");
  for (const field of changed()) {
    if (!sent || purposeOf(field.form) !== purposeOf(sent)) fill(counterpart(field, main), field);
  }
  open(main, old);
  keepTold(main, old);
  if (!sent) keepRefusal(main, old);
  keepBusy(main, old);
  const focused = sent?.matches(".move") && sent.contains(document.activeElement) ? null : placeOf(old, document.activeElement);
  old.replaceChildren(...main.childNodes);
  old.className = main.className;
  elementAt(old, focused)?.focus({ preventScroll: true });
  document.dispatchEvent(new CustomEvent("page:replaced"));
}

const isChoice = (field) => field.matches("[type=radio], [type=checkbox]");

// The fields that are not as they came. A look back changes nothing, so its form is left out.
function changed() {
  return [...document.querySelectorAll("main form[method=post] :is(input, select, textarea)")].filter((field) =>
    isChoice(field) ? field.checked !== field.defaultChecked && field.checked
    : field.matches("select") ? field.value !== "" && field.selectedIndex !== ([...field.options].find((option) => option.defaultSelected)?.index ?? 0)
    : field.type !== "hidden" && field.value !== field.defaultValue);
}

// What a form is for, so that fields of one are not filled with those of another.
const purposeOf = (form) => [form.getAttribute("action"), form.elements.turn?.value, form.elements.kind?.value].join();

function counterpart(field, main) {
  return [...main.querySelectorAll(`form [name="${field.name}"]`)].find((other) =>
    other.tagName === field.tagName && purposeOf(other.form) === purposeOf(field.form)
    && (!isChoice(field) || other.value === field.value)
    && (field.tagName !== "SELECT" || [...other.options].some((option) => option.value === field.value)));
}

function fill(other, field) {
  if (!other) return;
  if (isChoice(field)) other.checked = true;
  else other.value = field.value;
}

// A box that came open, such as one of the lobby, would hide the board of the game: only what the reader uses
// stays open. It is kept by the words on it.
const used = new Set();
for (const what of ["click", "input"]) document.addEventListener(what, ({ target }) => used.add(target.closest("details")?.firstElementChild.textContent));

function open(main, old) {
  const opened = new Set([...old.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
  for (const summary of main.querySelectorAll("details > summary")) {
    if (opened.has(summary.textContent) && used.has(summary.textContent)) summary.parentElement.open = true;
  }
}

// What sending.js has told at a form stays until that form is sent again.
function keepTold(main, old) {
  for (const line of old.querySelectorAll("form .told")) {
    const form = sameForm(line.closest("form"), main);
    if (form) placeToTell(form).prepend(line);
  }
}

// The reason of a refusal stays until the reader sends something. It was spoken when it came, so it is no alert any more.
function keepRefusal(main, old) {
  const reason = old.querySelector("h1 ~ .wrong");
  if (!reason || main.querySelector("h1 ~ .wrong")) return;
  reason.removeAttribute("role");
  main.querySelector("h1").after(reason);
}

// A form that is under way cannot be sent again from the page that came meanwhile.
function keepBusy(main, old) {
  for (const form of old.querySelectorAll("form[aria-busy]")) sameForm(form, main)?.setAttribute("aria-busy", "true");
}

const sameForm = (form, main) => [...main.querySelectorAll("form")].find((other) => purposeOf(other) === purposeOf(form));

// Return the form as the page has it now, which may have been replaced since it was sent; undefined if it has none.
export const shown = (form) => (form.isConnected ? form : sameForm(form, document.querySelector("main")));

export const placeToTell = (form) => form.querySelector(".bar") ?? form;

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
