// The board of a game: it pans and zooms, and a station is chosen by a click, a tap or a key.
// The forms on the page do the work; this script fills them in, and keeps what was chosen when the page is replaced.

import { BOARDS } from "./boards.js"; // which the server makes
import { lookBack } from "./look_back.js";
import { play, putBeside, READABLE, View } from "./view.js";
import { say } from "./words.js";

const BESIDE = matchMedia("(min-width: 64rem) and (min-aspect-ratio: 1/1), (min-width: 40rem) and (max-height: 30rem)"); // the moves stand beside the board, as in style.css
const IS_LOW = matchMedia("(max-height: 30rem)"); // there is no room on the board for buttons
const CLOSE = 430; // units of the board across, where the numbers of stations can be read on a phone
const FAR = 1.35; // units for a pixel, where they can just be read
const NEAR = 250;
const LARGE = 0.7; // units for a pixel: what is close is no larger on a tablet than on a phone
const LEAST = 100; // pixels of the board in sight, if anything of it is
const REACH = 30; // pixels from a tap to a station that it can mean
const LINES = { t: say("taxi"), b: say("bus"), u: say("underground"), f: say("ferry") };
const TICKETS = { taxi: LINES.t, bus: LINES.b, underground: LINES.u, black: say("black ticket") };
const NOTHING = { game: null, moves: null, box: null, isByHand: false, due: null, pawn: null, move: null, at: null, typed: "", types: false, isListed: false };
const kept = { ...NOTHING };

class Board extends View {
  constructor(figure) {
    super(figure.querySelector("svg.map"));
    this.figure = figure;
    document.documentElement.classList.add("live");
    this.sections = [...document.querySelectorAll("section.choose")];
    this.points = this.stops();
    if (kept.game !== figure.dataset.game) Object.assign(kept, NOTHING, { game: figure.dataset.game });
    this.addTabs();
    this.choosePawn(this.sections.some((each) => each.dataset.pawn === kept.pawn) ? kept.pawn : this.sections[0]?.dataset.pawn);
    this.restore();
    this.fold();
    this.listen(); // which shows the buttons: what they hide counts
    if (this.stays()) this.show(kept.box, kept.isByHand);
    else this.show(this.first());
    kept.due = figure.dataset.due;
    lookBack(this.svg);
    this.takeTyped();
    this.tellOfRound();
  }

  // Draw the stations, with the lines that stop there, as shapes that a pointer can rest on; return them by number.
  stops() {
    const stops = [...BOARDS[this.figure.dataset.board].split(" ").entries()].filter(([, text]) => text).map(([before, text]) => {
      const [, cx, cy, stopping] = text.match(/(\d+),(\d+)(\w*)/);
      const number = String(before + 1);
      const [circle, title] = ["circle", "title"].map((name) => document.createElementNS(this.svg.namespaceURI, name));
      for (const [name, value] of Object.entries({ cx, cy, r: 14 })) circle.setAttribute(name, value);
      title.textContent = `${number}: ${[...stopping].map((initial) => LINES[initial]).join(", ")}`;
      circle.append(title);
      return [number, circle];
    });
    this.svg.querySelector(".stops").replaceChildren(...stops.map(([, circle]) => circle));
    return new Map(stops);
  }

  // What has been played since the page before is shown as a motion, and the last round again by a button.
  tellOfRound() {
    const moves = Number(this.figure.dataset.moves);
    if (kept.moves !== null && moves > kept.moves) play(this.svg, kept.moves);
    kept.moves = moves;
    const again = this.figure.querySelector(".again");
    if (!again) return;
    again.hidden = false;
    again.addEventListener("click", () => play(this.svg));
  }

  // The part of the board that is seen ------------------------------------------------------------

  first() {
    return this.isSmall ? this.around(this.ownPawn ?? "mr_x") : this.whole(); // watchers see where he was seen last
  }

  // Show as much in a frame of another size: what is seen, if the reader is busy with it, else what comes first.
  fit() {
    this.show(kept.isByHand || this.chosen ? this.box : this.first(), kept.isByHand);
    if (this.chosen) this.uncover(this.chosen.dataset.station);
  }

  get isSmall() {
    return this.svg.clientWidth < READABLE * this.whole().w; // the board begins with the reader's own pawns
  }

  // Return true if the page shows the part of the board that the page before did: the reader is busy with it, or went there
  // and none of their pawns has come to its turn since.
  stays() {
    const { due } = this.figure.dataset;
    const isBusy = this.chosen || shown?.pointers.size;
    return kept.box && (isBusy || ((kept.isByHand || !this.isSmall) && (!due || due === kept.due)));
  }

  get ownPawn() {
    const own = this.figure.dataset.own.split(" ").filter(Boolean);
    return own.includes(this.pawn) ? this.pawn : own[0];
  }

  // Return where a pawn stands on the drawing, and the stations that it can go to; nothing if it is not there.
  pointsOf(pawn) {
    const pieces = [...this.svg.querySelectorAll(`.pieces [data-pawn="${pawn}"]`)];
    const piece = pieces.find(({ dataset }) => !("seen" in dataset)) ?? pieces[0]; // where he is, before where he was seen
    if (!piece) return [];
    const margin = Number(this.figure.dataset.margin);
    return [piece.dataset, ...this.stationsOf(pawn)].map(({ x, y }) => ({ x: Number(x) + margin, y: Number(y) + margin }));
  }

  around(pawn) {
    const points = this.pointsOf(pawn);
    if (!points.length) return this.whole();
    const [xs, ys] = ["x", "y"].map((axis) => points.map((point) => point[axis]));
    const across = (all) => Math.max(...all) - Math.min(...all) + 70;
    const w = Math.max(across(xs), across(ys) / this.ratioInSight);
    if (w > Math.max(CLOSE, FAR * this.svg.clientWidth)) return this.raised({ ...points[0], w: CLOSE });
    return this.raised({ x: (Math.max(...xs) + Math.min(...xs)) / 2, y: (Math.max(...ys) + Math.min(...ys)) / 2, w: Math.max(w, NEAR, Math.min(CLOSE, LARGE * this.svg.clientWidth)) });
  }

  // The pixels at the foot of the board where stations are hidden: by the sheet, and in a small window by the buttons above it.
  get covered() {
    return this.behindSheet + (BESIDE.matches && !IS_LOW.matches ? 0 : this.figure.querySelector(".zoom").offsetHeight);
  }

  // The pixels at the foot of the board behind the sheet with the moves, or below the window, if some of it is in sight.
  get behindSheet() {
    const frame = this.figure.querySelector(".frame").getBoundingClientRect();
    const sheet = BESIDE.matches ? null : document.querySelector(IS_LOW.matches ? ".choose:not([hidden]) .bar.ready" : ".sheet:has(.choose)");
    const end = Math.min(innerHeight, sheet?.offsetHeight ? sheet.getBoundingClientRect().top : innerHeight);
    const behind = frame.bottom - end;
    return behind < frame.height - LEAST ? Math.max(0, behind) : 0;
  }

  get ratioInSight() {
    return (this.svg.clientHeight - this.covered) / this.svg.clientWidth || 1;
  }

  // Return a part of the board with its middle in the middle of what is in sight.
  raised({ x, y, w }) {
    return { x, y: y + (this.covered / 2) * (w / this.svg.clientWidth), w };
  }

  stationsOf(pawn) {
    const circles = [...this.svg.querySelectorAll(`.lit[data-pawn="${pawn}"] circle`)];
    return circles.map((circle) => ({ x: circle.cx.baseVal.value, y: circle.cy.baseVal.value }));
  }

  show(box, isByHand = false) {
    super.show(box);
    Object.assign(kept, { box: this.box, isByHand });
    this.put();
  }

  whereIs(what) {
    if (what === "me" && this.ownPawn) return this.around(this.ownPawn);
    const sighting = what === "sighting" && this.sighting();
    if (sighting) return { ...sighting, w: CLOSE };
    return super.whereIs(what);
  }

  // The point where Mr. X was seen last, or else stands; undefined if it is not on the board.
  sighting() {
    const [seen] = ["[data-seen]", ""].map((which) => this.svg.querySelector(`.pieces [data-pawn=mr_x]${which}`)).filter(Boolean);
    const margin = Number(this.figure.dataset.margin);
    return seen && { x: Number(seen.dataset.x) + margin, y: Number(seen.dataset.y) + margin };
  }

  larger() {
    const own = this.pawn ?? this.figure.dataset.own.split(" ")[0];
    if (own && !this.svg.classList.contains("zoomed")) this.show({ ...this.around(own), w: this.box.w * 0.6 }, true);
    else super.larger();
  }

  listen() {
    this.follow(this.figure.querySelector(".zoom"));
    this.svg.addEventListener("click", (event) => this.click(event));
    for (const part of [this.svg, ...document.querySelectorAll("form.move")]) part.addEventListener("keydown", (event) => event.key === "Escape" && this.forget());
    this.svg.addEventListener("focusin", (event) => this.reveal(event.target.closest("a")));
    document.querySelectorAll("form.move").forEach((form) => {
      form.addEventListener("change", () => this.update());
      form.addEventListener("invalid", () => { form.querySelector(".list").open = true; }, true); // to show what is missing
      form.addEventListener("form:answered", () => { kept.move = null; });
    });
  }

  click(event) {
    const byKey = !this.isPressed;
    this.isPressed = false;
    if (event.target.closest?.("a")) event.preventDefault();
    if (!byKey && this.hasPanned) return;
    const station = byKey ? event.target.closest("a")?.dataset.station : this.touched(event.clientX, event.clientY);
    this.tell(null);
    if (!station) return;
    const sections = [this.section, ...this.sections].filter(Boolean);
    const able = sections.find((each) => this.inputs(station, each).length);
    if (able) this.touch(station, able, byKey, event.detail > 1);
    else this.tell(station);
  }

  // Choose a station; make the move if it was chosen before, but not by a click that is half of a double click.
  touch(station, section, byKey, isDouble) {
    if (section !== this.section) this.choosePawn(section.dataset.pawn);
    const isChosen = this.chosen?.dataset.station === station && this.at === station;
    if (!isChosen) this.choose(station, byKey);
    else if (!isDouble && !this.form.ariaBusy) this.form.requestSubmit(this.form.querySelector("button.main"));
  }

  // Return the station that a touch means: one that can be reached before another, where it is not clear.
  touched(x, y) {
    const distance = (drawn) => {
      const rect = drawn.getBoundingClientRect();
      return Math.hypot((rect.left + rect.right) / 2 - x, (rect.top + rect.bottom) / 2 - y);
    };
    const nearest = (all) => all.map(([station, drawn]) => [distance(drawn), station]).sort((a, b) => a[0] - b[0])[0] ?? [Infinity];
    const lit = this.svg.querySelectorAll(`.lit[data-pawn="${this.pawn}"] a`);
    const [[away, within], [beside, other]] = [nearest([...lit].map((link) => [link.dataset.station, link])), nearest([...this.points])];
    const isOnOther = other !== within && beside < 0.4 * away && away > REACH / 2;
    return away <= REACH && !isOnOther ? within : beside <= REACH / 2 ? other : null;
  }

  // Bring a station that has got the focus into sight.
  reveal(link) {
    if (!link) return;
    const circle = link.querySelector("circle");
    const margin = Number(this.figure.dataset.margin);
    const at = { x: circle.cx.baseVal.value + margin, y: circle.cy.baseVal.value + margin };
    const [w, h] = [this.box.w, this.box.w * this.ratio];
    const below = (this.behindSheet + this.figure.querySelector(".zoom").offsetHeight) * (w / this.svg.clientWidth); // what is hidden there
    const isSeen = Math.abs(at.x - this.box.x) <= w / 2 - 20 && this.box.y - at.y <= h / 2 - 20 && at.y - this.box.y <= h / 2 - 20 - below;
    if (!isSeen) this.show({ ...at, w });
  }

  // Say at a station which lines stop there, and why the pawn cannot go there.
  tell(station) {
    const line = this.figure.querySelector(".station");
    line.hidden = station === null;
    line.textContent = station === null ? "" : `${say("Station {number}.", { number: this.points.get(station).textContent })} ${this.whyNot(station)}`.trim();
    this.toldAt = station;
    this.put();
  }

  whyNot(station) {
    if (!this.section) return "";
    const { at, name, refusals } = this.section.dataset;
    if (station === at) return say("{name} stands here.", { name });
    return JSON.parse(refusals)[station] ?? say("No line joins it to {at}.", { at });
  }

  // Put what is said of a station, and where there is room for it the buttons, beside that station.
  put() {
    const bar = this.section?.querySelector(".bar");
    for (const each of document.querySelectorAll(".bar")) {
      if (!each.classList.toggle("there", each === bar && BESIDE.matches && !IS_LOW.matches && this.isAtPlace())) each.style.left = each.style.top = "";
    }
    this.figure.querySelector(".zoom").style.bottom = `${this.behindSheet}px`;
    const told = this.figure.querySelector(".station");
    if (!told.hidden) putBeside(told, this.points.get(this.toldAt), this.inUse());
    if (bar?.classList.contains("there")) putBeside(bar, this.points.get(this.at), this.inUse());
  }

  // Return what should be seen while a move is chosen: the stations that the pawn can go to, and all pawns.
  inUse() {
    return this.svg.querySelectorAll(`.lit[data-pawn="${this.pawn}"] circle, .pieces .ring`);
  }

  // Return true if the station that was chosen on the board is in sight.
  isAtPlace() {
    if (!this.chosen || this.chosen.dataset.station !== this.at) return false;
    const [rect, frame] = [this.points.get(this.at), this.figure.querySelector(".frame")].map((each) => each.getBoundingClientRect());
    return rect.left >= frame.left && rect.right <= frame.right && rect.top >= frame.top && rect.bottom <= frame.bottom;
  }

  // Choosing a move -------------------------------------------------------------------------------

  get section() {
    return this.sections.find((each) => each.dataset.pawn === this.pawn);
  }

  // The station that was chosen on the board, beside which the buttons stand.
  get at() {
    return kept.at;
  }

  set at(station) {
    kept.at = station;
  }

  get form() {
    return this.section?.querySelector("form.move");
  }

  taking(station, pawn) {
    return pawn ? say("I take {station} with {pawn}", { station, pawn }) : say("I take {station}", { station });
  }

  get chosen() {
    return this.section?.querySelector("input[name=move]:checked");
  }

  // A station, or a ticket and a station, can be typed; Enter chooses it, and leads to the button that moves.
  takeTyped() {
    const field = document.querySelector("#to");
    if (!field) return;
    const why = document.querySelector("#why");
    field.value = kept.typed;
    field.addEventListener("input", () => { kept.typed = field.value; });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // the button that gets the focus would be pressed
      const [, ticket, station] = field.value.trim().toLowerCase().match(/^([a-z]*)\s*(\d+)$/) ?? [];
      const fitting = this.inputs(station).filter((input) => startsTicket(input.dataset.ticket, ticket));
      why.textContent = fitting.length ? "" : this.points.has(station) ? `${station}: ${this.inputs(station).length ? say("not by {ticket}.", { ticket }) : this.whyNot(station)}` : say("Type the number of a station.");
      if (!fitting.length) return;
      field.value = kept.typed = "";
      kept.types = true;
      fitting[0].checked = true;
      this.at = station;
      this.update();
      this.form.querySelector("button.main").focus();
    });
    const goesOn = kept.types || this.section?.matches(".second"); // with the next pawn, or the second leg
    if (!goesOn || document.activeElement !== document.body) return;
    field.focus({ preventScroll: true });
    requestAnimationFrame(() => field.scrollIntoView({ block: "nearest" })); // when the whole page has been put in its place
  }

  // A list of moves is open beside a board with room, and folded where the board needs the room, until the reader opens it.
  fold() {
    for (const section of this.sections) {
      const list = section.querySelector(".list");
      list.open = (BESIDE.matches && !IS_LOW.matches) || kept.isListed;
      list.querySelector("summary").addEventListener("click", () => { kept.isListed = !list.open; });
    }
  }

  addTabs() {
    if (this.sections.length < 2) return;
    const tabs = document.createElement("p");
    tabs.className = "pawn-tabs";
    tabs.setAttribute("role", "group");
    tabs.setAttribute("aria-label", say("Pawn"));
    for (const { dataset } of this.sections) {
      const tab = document.createElement("button");
      Object.assign(tab, { type: "button", textContent: dataset.name });
      tab.dataset.pawn = dataset.pawn;
      tab.addEventListener("click", () => {
        this.choosePawn(dataset.pawn);
        if (this.svg.classList.contains("zoomed")) this.show(this.around(dataset.pawn));
      });
      tabs.append(tab);
    }
    document.querySelector(".to").before(tabs);
    this.tabs = [...tabs.children];
  }

  choosePawn(pawn) {
    this.pawn = kept.pawn = pawn ?? null;
    for (const section of this.sections) section.hidden = section.dataset.pawn !== pawn;
    const label = document.querySelector(".to label");
    if (label) label.textContent = say("Station for {name}, or ticket and station", { name: this.section.dataset.name });
    for (const lit of this.svg.querySelectorAll(".lit, .bed")) lit.setAttribute("display", lit.dataset.pawn === pawn ? "inline" : "none");
    for (const tab of this.tabs ?? []) tab.setAttribute("aria-pressed", String(tab.dataset.pawn === pawn));
    this.update();
  }

  inputs(station, section = this.section) {
    return [...(section?.querySelectorAll(`input[data-station="${station}"]`) ?? [])];
  }

  choose(station, byKey) {
    const fitting = this.inputs(station);
    (fitting.find((input) => input.checked) ?? fitting[0]).checked = true;
    this.at = station;
    this.update();
    if (byKey) this.section.querySelector(fitting.length > 1 ? ".tickets button" : ".bar button.main").focus();
  }

  // Take back what is chosen, and return to its station who was led away from it.
  forget() {
    this.tell(null);
    if (!this.chosen) return;
    const link = this.svg.querySelector(`.lit[data-pawn="${this.pawn}"] a[data-station="${this.chosen.dataset.station}"]`);
    this.chosen.checked = false;
    this.update();
    link.focus();
  }

  restore() {
    const input = kept.move && this.section?.querySelector(`input[value="${CSS.escape(kept.move)}"]`);
    if (input) input.checked = true;
    this.update();
  }

  // Say what the chosen move costs, offer the other tickets that lead there, and mark the station.
  update() {
    const { chosen } = this;
    kept.move = chosen?.value ?? null;
    for (const link of this.svg.querySelectorAll(".lit a")) {
      const isIt = chosen && link.parentNode.dataset.pawn === this.pawn && link.dataset.station === chosen.dataset.station;
      if (isIt) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    const bar = this.section?.querySelector(".bar");
    if (!bar) return;
    bar.classList.toggle("ready", Boolean(chosen));
    const says = bar.querySelector(".says");
    says.hidden = !chosen;
    const quick = bar.querySelector(".quick");
    if (quick) quick.hidden = !chosen;
    if (quick && chosen) quick.lastChild.textContent = this.taking(chosen.dataset.station, quick.value);
    if (!chosen) bar.querySelector(".tickets").hidden = true;
    if (!chosen) return this.put();
    const surfaces = this.section.querySelector("input[name=surface]:checked");
    const then = surfaces ? "" : ` ${chosen.dataset.then ?? ""}`;
    says.classList.toggle("last-ride", Boolean(chosen.dataset.then) && this.pawn !== "mr_x");
    says.textContent = `${surfaces ? say("{move}, and you show yourself.", { move: chosen.dataset.says }) : `${chosen.dataset.says}.`}${then}`.trim();
    this.offerTickets(bar.querySelector(".tickets"), chosen);
    this.put();
    this.uncover(chosen.dataset.station);
  }

  // Move a station up that is behind the sheet, which grows when a move is chosen.
  uncover(station) {
    const [rect, frame] = [this.points.get(station), this.figure.querySelector(".frame")].map((each) => each.getBoundingClientRect());
    const under = rect.bottom + rect.height - (frame.bottom - this.covered);
    if (this.box && this.covered && under > 0 && rect.top < frame.bottom) this.pan(0, -under, kept.isByHand);
  }

  offerTickets(line, chosen) {
    const fitting = this.inputs(chosen.dataset.station);
    line.hidden = fitting.length < 2;
    if (line.dataset.station !== chosen.dataset.station) {
      line.dataset.station = chosen.dataset.station;
      line.replaceChildren(...fitting.map((input) => {
        const button = document.createElement("button");
        const { ticket } = input.dataset;
        Object.assign(button, { type: "button", textContent: TICKETS[ticket], className: ticket });
        button.setAttribute("aria-describedby", line.previousElementSibling.id);
        button.addEventListener("click", () => {
          input.checked = true;
          this.update();
        });
        return button;
      }));
    }
    [...line.children].forEach((button, i) => button.setAttribute("aria-pressed", String(fitting[i].checked)));
  }
}

const startsTicket = (ticket, letters) => [ticket, TICKETS[ticket].toLowerCase()].some((name) => name.startsWith(letters)) || (ticket === "black" && letters === "x");

let shown = null;

function begin() {
  const figure = document.querySelector("figure.board");
  shown = figure && new Board(figure);
}

document.addEventListener("page:replaced", begin);
document.addEventListener("click", (event) => {
  const field = event.target.closest(".skip") && document.querySelector("#to");
  if (!field?.offsetWidth) return; // where it is not shown, the link leads to the moves
  event.preventDefault();
  field.focus();
});
addEventListener("resize", () => shown?.fit());
BESIDE.addEventListener("change", () => shown?.fold());
addEventListener("scroll", () => shown?.put(), { passive: true });
begin();
