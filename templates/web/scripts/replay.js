// The replay of a game: moves the pawns on the board of the page, by slider, keys and play.
import { BOARDS } from "./boards.js"; // which the server makes
import { READABLE, still, View } from "./view.js";
import { say } from "./words.js";

const PAUSE = 900; // milliseconds for each move
const replay = document.querySelector(".replay");
const slider = replay.querySelector("input[name=ply]");
const button = (to) => replay.querySelector(`[data-to=${to}]`);
const last = Number(slider.max);
const numbers = (text) => text.split(" ").filter(Boolean);
let timer = 0;

const MARGIN = 40; // units of the drawing, around the board
const FEW = 40; // stations where he could be; of more the rings are narrower, as in templates/board/_board.svg
const points = new Map(BOARDS[replay.dataset.board].split(" ").map((text, before) => [String(before + 1), text.split(",").map(parseFloat)]));
const whose = replay.querySelector(".whose select");
const speed = replay.querySelector(".speed select");
// The number of the last move of each round.
const ends = [0, ...[...replay.querySelectorAll(".plies li")].map((round) => round.querySelectorAll("a").length)];
ends.forEach((moves, round) => { if (round) ends[round] += ends[round - 1]; });
const chips = [...replay.querySelectorAll(".plies a")];
const steps = read();

// Return each step: where the pawns are, Mr. X's way, where he could be, and both in words; of a detective's seat as they
// knew it. `seen` is where he was last seen.
function read() {
  const { dataset } = replay.querySelector(".plies");
  const first = { ...starts(), mr_x: dataset.known, seen: dataset.seen };
  const found = [{ places: first, feet: dataset.feet, way: dataset.hasWay ? [first.mr_x] : [], possible: new Set(numbers(dataset.possible)), words: dataset.words, where: dataset.where }];
  for (const chip of chips) {
    const before = found.at(-1);
    const at = numbers(chip.dataset.at);
    const named = numbers(chip.dataset.possible);
    const isHis = chip.className === "mr_x";
    found.push({
      places: { ...before.places, [chip.className]: at.at(-1), mr_x: chip.dataset.known, seen: chip.dataset.seen },
      feet: chip.dataset.feet,
      way: isHis && dataset.hasWay ? [...before.way, ...at] : before.way,
      possible: isHis ? new Set(named) : new Set([...before.possible].filter((station) => !named.includes(station))),
      words: chip.title,
      where: chip.dataset.where,
    });
  }
  return found;
}

function starts() {
  return Object.fromEntries(numbers(replay.querySelector(".plies").dataset.starts).map((each) => each.split("=")));
}

function show(ply) {
  const step = steps[ply];
  board.see(placeOf(ply));
  slider.value = ply;
  slider.setAttribute("aria-valuetext", `${ply} of ${last}`);
  replay.querySelector(".ply").textContent = ply;
  for (const pawn of replay.querySelectorAll(".pawn")) {
    const isThere = Boolean(step.places[pawn.dataset.pawn]);
    pawn.setAttribute("display", isThere ? "inline" : "none");
    if (isThere) pawn.setAttribute("transform", `translate(${points.get(step.places[pawn.dataset.pawn]).join(" ")})`);
  }
  for (const [, pawn, ring, foot] of step.feet.matchAll(/(\w+)=([\d.]+),([-\d,]+)/g)) {
    const [rings, figure] = replay.querySelector(`.pawn[data-pawn=${pawn}]`).children;
    for (const circle of rings.children) circle.setAttribute("r", ring);
    figure.setAttribute("transform", `translate(${foot})`);
  }
  const way = step.way.length ? `M${step.way.map((station) => points.get(station).join(" ")).join("L")}` : "";
  for (const path of replay.querySelectorAll(".way")) path.setAttribute("d", way);
  mark([...step.possible]);
  for (const chip of chips) chip.removeAttribute("aria-current");
  chips[ply - 1]?.setAttribute("aria-current", "step");
  const again = replay.querySelector("#again");
  if (again) again.querySelector("[name=ply]").value = Math.min(ply, again.dataset.last);
  replay.querySelector(".now").textContent = `${step.words} ${step.where}`;
  replay.querySelector("title").textContent = step.where;
  const here = new URLSearchParams(location.search);
  here.set("ply", ply);
  history.replaceState(null, "", `?${here}`);
}

// The point where a move led, or else where Mr. X is or was seen, or anybody.
function placeOf(ply) {
  const { places } = steps[ply];
  return points.get(places[chips[ply - 1]?.className] || places.mr_x || places.seen || Object.values(places).find(Boolean));
}

function mark(stations) {
  const wide = stations.length <= FEW ? 40 : 35;
  for (const [name, width] of [["place-edge", wide + 3], ["place", wide]]) {
    const path = replay.querySelector(`.places .${name}`);
    path.setAttribute("d", stations.map((station) => `M${points.get(station).join(" ")}h.1`).join(""));
    path.setAttribute("stroke-width", width);
  }
}

function play() {
  if (Number(slider.value) === last) show(0);
  clearInterval(timer);
  timer = setInterval(() => (Number(slider.value) < last ? show(Number(slider.value) + 1) : pause()), PAUSE * speed.value);
  button("play").textContent = say("Pause");
  replay.querySelector(".now").setAttribute("aria-live", "off"); // a voice would not keep up
}

function pause() {
  clearInterval(timer);
  timer = 0;
  button("play").textContent = say("Play");
  replay.querySelector(".now").removeAttribute("aria-live");
}

function go(to) {
  const ply = Number(slider.value);
  if (to === "play") return timer ? pause() : play();
  pause();
  show({
    start: 0, back: Math.max(ply - 1, 0), on: Math.min(ply + 1, last), last,
    "round-back": ends.findLast((end) => end < ply) ?? 0, "round-on": ends.find((end) => end > ply) ?? last,
  }[to]);
}

whose.addEventListener("change", () => whose.form.requestSubmit());
speed.addEventListener("change", () => { if (timer) play(); });
slider.addEventListener("input", () => {
  pause();
  show(Number(slider.value));
});
replay.addEventListener("click", (event) => {
  const target = event.target.closest("[data-to], .plies a");
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (target.dataset.to) return go(target.dataset.to);
  pause();
  show(chips.indexOf(target) + 1);
});
const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "start", End: "last", " ": "play" };
document.addEventListener("keydown", (event) => {
  const to = event.shiftKey && event.key.startsWith("Arrow") && keys[event.key] ? `round-${keys[event.key]}` : keys[event.key];
  if (!to || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.closest("select")) return;
  if (to === "play" ? event.target.closest("a, button, summary") : event.target === slider && !event.shiftKey) return; // they have keys of their own
  event.preventDefault();
  go(to);
});

// The arrow keys lead through the game, also while the board has the focus.
class Board extends View {
  follows = true;

  key(event) {
    if (!event.key.startsWith("Arrow")) super.key(event);
  }

  // Follow the action where the numbers on the whole board would be too small, until the reader shows the whole.
  see([x, y]) {
    const w = this.svg.clientWidth / READABLE;
    if (w < this.whole().w && this.follows) this.show({ x: x + MARGIN, y: y + MARGIN, w });
  }

  whereIs(what) {
    this.follows = false;
    return super.whereIs(what);
  }

  larger() {
    this.follows = true;
    super.larger();
  }
}
const board = new Board(replay.querySelector("figure svg"));
board.show(board.whole());
board.see(placeOf(Number(slider.value)));
addEventListener("resize", () => board.show(board.box));
board.follow(replay.querySelector(".zoom"));

replay.querySelector("[type=submit]").hidden = true;
for (const hidden of replay.querySelectorAll("[hidden]:not([type=submit])")) hidden.hidden = false;
if (!new URLSearchParams(location.search).has("ply") && !still.matches) play();
