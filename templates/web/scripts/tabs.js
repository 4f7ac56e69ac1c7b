// Shows one part of a game's page at a time, which the reader chooses by tabs. On a phone the board is one of them; where
// there is room the players stay in sight. Without this script all parts stand below each other.

import { say } from "./words.js";

// As in style.css.
const PHONE = matchMedia("(max-width: 39.99rem) and (min-height: 30.01rem)");
const DESK = matchMedia("(min-width: 64rem) and (min-aspect-ratio: 1/1)");
const WIDE = matchMedia("(min-width: 100rem) and (min-aspect-ratio: 1/1)");
const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const NAMES = {
  Board: say("Board"), Players: say("Players"), Story: say("Story"), Talk: say("Talk"), Votes: say("Votes"), More: say("More"),
};
const BADGES = {
  Talk: [".talk .new", (n) => (n > 1 ? say("new messages") : say("new message"))],
  Votes: [".vote", (n) => (n > 1 ? say("open votes") : say("open vote"))],
  More: [".write", (n) => (n > 1 ? say("questions") : say("question"))],
};
let chosen = null; // the name of the tab that the reader chose

const game = () => document.querySelector(".game:not(.replay)");
const panels = () => [...document.querySelectorAll(".panel")];
const tabs = () => [...document.querySelectorAll(".parts button")];
// A board that shrinks or grows is drawn for its new size.
const sizes = new ResizeObserver(() => dispatchEvent(new Event("resize")));

function begin() {
  if (!panels().length) return;
  document.documentElement.classList.add("tabbed");
  const list = document.createElement("div");
  list.className = "parts";
  list.role = "tablist";
  list.ariaLabel = say("Parts of the game");
  list.append(tab("Board", "board"), ...panels().map((panel) => {
    const name = panel.dataset.tab;
    Object.assign(panel, { id: `part-${name}`, role: "tabpanel", tabIndex: 0 });
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    return tab(name, panel.id, panel);
  }));
  document.querySelector(".turn").after(list);
  list.addEventListener("keydown", step);
  list.addEventListener("click", ({ target }) => open(target.closest("button")?.dataset.name));
  const used = panels().find((panel) => panel.contains(document.activeElement) || panel.querySelector(".write > [open]"));
  chosen ??= used?.dataset.tab ?? null; // what the reader was busy with when the game began
  showLastWord();
  requestAnimationFrame(showLog); // when board.js has folded the list of moves, in whose place it stands
  show();
  sizes.disconnect();
  for (const frame of document.querySelectorAll(".frame")) sizes.observe(frame);
}

function tab(name, id, panel) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", role: "tab", id: `tab-${name}`, textContent: NAMES[name] });
  button.dataset.name = name;
  button.setAttribute("aria-controls", id);
  const [what, word] = BADGES[name] ?? [];
  const number = what ? panel.querySelectorAll(what).length : 0;
  if (number) button.insertAdjacentHTML("beforeend", ` <b>${number}</b><span class="unseen"> ${word(number)}</span>`);
  return button;
}

// Show the part that was chosen, else the first. Players that stay in sight are no choice.
function show() {
  if (!tabs().length) return; // a page without tabs, such as a lobby
  const isPinned = DESK.matches && (WIDE.matches || !document.querySelector(".choose"));
  const isChoice = ({ dataset: { name } }) => (name !== "Board" || PHONE.matches) && (name !== "Players" || !isPinned);
  const open = tabs().filter(isChoice);
  const shown = open.find(({ dataset }) => dataset.name === chosen) ?? open[0];
  for (const each of tabs()) {
    each.hidden = !open.includes(each);
    each.ariaSelected = String(each === shown);
    each.tabIndex = each === shown ? 0 : -1;
  }
  for (const panel of panels()) panel.hidden = panel.dataset.tab !== shown.dataset.name && !(isPinned && panel.dataset.tab === "Players");
  game().dataset.tab = shown.dataset.name;
  game().classList.toggle("pinned", isPinned);
  const talk = document.querySelector(".panel:not([hidden]) .talk");
  if (talk) talk.scrollTop = talk.scrollHeight;
}

function open(name, hasFocus = false) {
  if (!name) return;
  chosen = name;
  show();
  if (hasFocus) tabs().find(({ dataset }) => dataset.name === name)?.focus();
}

function step(event) {
  if (!(event.key in STEPS)) return;
  event.preventDefault();
  const all = tabs().filter((each) => !each.hidden);
  const at = all.findIndex((each) => each.ariaSelected === "true") + STEPS[event.key];
  open(all[Number.isFinite(at) ? (at + all.length) % all.length : at < 0 ? 0 : all.length - 1].dataset.name, true);
}

// A link to something in a part that is hidden opens that.
function follow() {
  const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  const panel = target && target.closest(".panel");
  if (panel?.hidden) open(panel.dataset.tab);
  if (panel) target.scrollIntoView({ block: "nearest" });
}

// What was said last stands below the players, and leads to the talk.
function showLastWord() {
  const last = [...document.querySelectorAll(".talk li:has(.message)")].at(-1);
  if (!last) return;
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "last-word" });
  button.append(last.querySelector("b").cloneNode(true), ` ${last.querySelector(".message").textContent}`);
  button.addEventListener("click", () => open("Talk", true));
  document.querySelector(".panel.players").append(button);
}

// The log of a phone is wider than the window, and begins where the game is.
function showLog() {
  const log = document.querySelector(".travel-log .log");
  if (!log || log.scrollWidth <= log.clientWidth) return;
  log.tabIndex = 0;
  log.ariaLabel = say("Travel log");
  const now = [...log.children].filter((cell) => cell.querySelector(".ticket")).at(-1);
  if (now) log.scrollLeft = now.offsetLeft - log.clientWidth / 2;
}

document.addEventListener("page:replaced", begin);
for (const query of [PHONE, DESK, WIDE]) query.addEventListener("change", show);
addEventListener("hashchange", follow);
begin();
follow();
