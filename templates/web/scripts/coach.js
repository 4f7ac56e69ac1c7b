// The coach: shows the lines for a first game one after the other, each at its place on the page, until they are closed.
// The list of the page is there for browsers without scripts.

import { leastHiding } from "./placing.js";
import { say } from "./words.js";

const APART = [14, 70, 130, 200]; // pixels between a line and its place, the fewer the better
const MATTERS = ".lit:not([display=none]) a, .stations label, .travel-log .log li"; // what no line should hide
const PLACES = {
  pawn: (pawn) => [`.pieces [data-pawn="${pawn}"] .ring`],
  reach: (pawn) => [`.lit[data-pawn="${pawn}"] a`, `.pieces [data-pawn="${pawn}"] .ring`],
  move: () => [".choose:not([hidden]) .bar", ".sheet .choose"],
  log: () => [".travel-log .log"],
  where: () => [".where"],
};
const bubble = document.createElement("aside");
bubble.className = "bubble";
bubble.setAttribute("aria-label", say("Your first game"));
bubble.innerHTML = `<p aria-live="polite"></p><p class="ways"><button type="button" class="main"></button><button type="button">${say("Close")}</button></p>`;
const [text, , next, close] = bubble.querySelectorAll("p, button");
let number = 0;

const list = () => document.querySelector(".coach");
const lines = () => [...list().querySelectorAll("li")];
const item = () => `coach ${list().dataset.game}`;
const target = () => PLACES[lines()[number].dataset.place](list().dataset.pawn).map((place) => document.querySelector(place)).find(Boolean)
  ?? document.querySelector(".frame");

function begin() {
  if (!list() || localStorage.getItem(item())) return end();
  list().hidden = true;
  if (!bubble.isConnected) document.querySelector("main").before(bubble);
  tellLine();
}

function tellLine() {
  const told = lines();
  if (text.textContent !== told[number].textContent) text.textContent = told[number].textContent;
  bubble.dataset.place = told[number].dataset.place;
  next.textContent = number < told.length - 1 ? say("Next ({number} of {all})", { number: number + 1, all: told.length }) : say("Done");
  put();
}

// Put the bubble beside its place and let it point there: where it hides none of the stations that can be chosen, if it can.
function put() {
  if (!bubble.isConnected || !list()) return;
  const place = target().getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = bubble;
  const [x, y] = [(place.left + place.right) / 2, (place.top + place.bottom) / 2];
  const at = (side, left, top) => ({ side, left: within(left, innerWidth - width), top: within(top, innerHeight - height) });
  const sides = APART.flatMap((apart) => [-1, 0, 1].flatMap((shift) => [
    at("below", x - width / 2 + shift * width / 3, place.bottom + apart),
    at("above", x - width / 2 + shift * width / 3, place.top - apart - height),
    at("right", place.right + apart, y - height / 2 + shift * height / 3),
    at("left", place.left - apart - width, y - height / 2 + shift * height / 3),
  ]));
  const { side, left, top } = leastHiding(sides, bubble, place, document.querySelectorAll(MATTERS));
  Object.assign(bubble.style, { left: `${left}px`, top: `${top}px` });
  bubble.dataset.side = side;
  bubble.style.setProperty("--at", side === "left" || side === "right" ? `${y - top}px` : `${x - left}px`);
}

const within = (at, most) => Math.min(Math.max(at, 8), Math.max(most - 8, 8));

// Return where the sheet with the moves begins, which hides what is below it; else the end of the window.
function lowest() {
  const sheet = document.querySelector(".sheet");
  const isFixed = sheet && getComputedStyle(sheet).position === "fixed" && !sheet.contains(target());
  return isFixed ? sheet.getBoundingClientRect().top : innerHeight;
}

function end() {
  bubble.remove();
  if (list()) list().hidden = true;
}

function forget() {
  localStorage.setItem(item(), "read");
  end();
}

function goOn() {
  if (number === lines().length - 1) return forget();
  number += 1;
  const { top, bottom } = target().getBoundingClientRect();
  if (top < 0 || bottom > lowest()) target().scrollIntoView({ block: "center" });
  tellLine();
}

bubble.addEventListener("click", (event) => (event.target === close ? forget() : goOn()));
document.addEventListener("keydown", ({ key }) => { if (key === "Escape" && bubble.isConnected) forget(); });
for (const what of ["scroll", "resize"]) addEventListener(what, put, { passive: true });
document.addEventListener("page:replaced", begin);
begin();
