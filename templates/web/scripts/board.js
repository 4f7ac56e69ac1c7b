// The board of a game: it pans and zooms, and a station is chosen by a click, a tap or a key.
// The forms on the page do the work; this script fills them in, and keeps what was chosen when the page is replaced.

import { View } from "./view.js";

const NARROW = 700; // pixels; a narrower board begins with the reader's own pawns
const BESIDE = matchMedia("(min-width: 64rem)"); // the moves stand beside the board, as in style.css
const CLOSE = 430; // units of the board across, where the numbers of stations can be read on a phone
const NEAR = 250;
const REACH = 30; // pixels from a tap to a station that it can mean
const NOTHING = { game: null, box: null, place: null, pawn: null, move: null, isListed: false };
const kept = { ...NOTHING };

class Board extends View {
  constructor(figure) {
    super(figure.querySelector("svg.map"));
    this.figure = figure;
    document.documentElement.classList.add("live");
    this.sections = [...document.querySelectorAll("section.choose")];
    if (kept.game !== figure.dataset.game) Object.assign(kept, NOTHING, { game: figure.dataset.game });
    this.addTabs();
    this.choosePawn(this.sections.some((each) => each.dataset.pawn === kept.pawn) ? kept.pawn : this.sections[0]?.dataset.pawn);
    this.restore();
    this.fold();
    this.show(this.hasLostPawn() ? this.first() : kept.box ?? this.first());
    kept.place = this.place();
    this.listen();
    this.lookBack();
  }

  // The part of the board that is seen ------------------------------------------------------------

  first() {
    if (this.svg.clientWidth >= NARROW) return this.whole();
    return this.around(this.ownPawn ?? "mr_x"); // watchers see where he was seen last
  }

  // Where the reader's pawns stand, and which of them are to move, as a text to compare.
  place() {
    const { own, due } = this.figure.dataset;
    return JSON.stringify([due, ...own.split(" ").map((pawn) => this.pointsOf(pawn)[0])]);
  }

  // Return true if the reader's pawns have moved or are to move since the page before, and what was in sight then has
  // neither the pawn nor, if it can go anywhere, a station that it can go to.
  hasLostPawn() {
    if (!kept.box || !this.ownPawn || kept.place === this.place()) return false;
    const { x, y, w } = kept.box;
    const isSeen = (point) => Math.abs(point.x - x) <= w / 2 && Math.abs(point.y - y) <= (w * this.ratio) / 2;
    const [pawn, ...stations] = this.pointsOf(this.ownPawn);
    return Boolean(pawn) && !(isSeen(pawn) && (!stations.length || stations.some(isSeen)));
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
    const w = Math.max(across(xs), across(ys) / this.ratio);
    if (w > CLOSE) return { ...points[0], w: CLOSE };
    return { x: (Math.max(...xs) + Math.min(...xs)) / 2, y: (Math.max(...ys) + Math.min(...ys)) / 2, w: Math.max(w, NEAR) };
  }

  stationsOf(pawn) {
    const circles = [...this.svg.querySelectorAll(`.lit[data-pawn="${pawn}"] circle`)];
    return circles.map((circle) => ({ x: circle.cx.baseVal.value, y: circle.cy.baseVal.value }));
  }

  show(box) {
    super.show(box);
    kept.box = this.box;
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
    if (own && !this.svg.classList.contains("zoomed")) this.show({ ...this.around(own), w: this.box.w * 0.6 });
    else super.larger();
  }

  listen() {
    this.follow(this.figure.querySelector(".zoom"));
    this.svg.addEventListener("click", (event) => this.click(event));
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
    const link = byKey ? event.target.closest("a") : this.nearest(event.clientX, event.clientY);
    this.tell(link ? "" : event.target.querySelector?.("title")?.textContent);
    if (link) this.choose(link.dataset.station, byKey);
  }

  nearest(x, y) {
    const distance = (link) => {
      const rect = link.getBoundingClientRect();
      return Math.hypot((rect.left + rect.right) / 2 - x, (rect.top + rect.bottom) / 2 - y);
    };
    const near = [...this.svg.querySelectorAll(`.lit[data-pawn="${this.pawn}"] a`)]
      .map((link) => [distance(link), link]).sort((a, b) => a[0] - b[0])[0];
    return near && near[0] <= REACH ? near[1] : null;
  }

  // Bring a station that has got the focus into sight.
  reveal(link) {
    if (!link) return;
    const circle = link.querySelector("circle");
    const margin = Number(this.figure.dataset.margin);
    const at = { x: circle.cx.baseVal.value + margin, y: circle.cy.baseVal.value + margin };
    const [w, h] = [this.box.w, this.box.w * this.ratio];
    const below = this.figure.querySelector(".zoom").offsetHeight * (w / this.svg.clientWidth); // what the buttons hide
    const isSeen = Math.abs(at.x - this.box.x) <= w / 2 - 20 && this.box.y - at.y <= h / 2 - 20 && at.y - this.box.y <= h / 2 - 20 - below;
    if (!isSeen) this.show({ ...at, w });
  }

  tell(text) {
    const line = this.figure.querySelector(".station");
    line.hidden = !text;
    line.textContent = text ? `Station ${text}` : "";
  }

  // Choosing a move -------------------------------------------------------------------------------

  get section() {
    return this.sections.find((each) => each.dataset.pawn === this.pawn);
  }

  // A list of moves is open beside the board, and folded where the board needs the room, until the reader opens it.
  fold() {
    for (const section of this.sections) {
      const list = section.querySelector(".list");
      list.open = BESIDE.matches || kept.isListed;
      list.querySelector("summary").addEventListener("click", () => { kept.isListed = !list.open; });
    }
  }

  addTabs() {
    if (this.sections.length < 2) return;
    const tabs = document.createElement("p");
    tabs.className = "pawn-tabs";
    tabs.setAttribute("role", "group");
    tabs.setAttribute("aria-label", "Pawn");
    for (const { dataset } of this.sections) {
      const tab = document.createElement("button");
      Object.assign(tab, { type: "button", textContent: dataset.name });
      tab.dataset.pawn = dataset.pawn;
      tab.addEventListener("click", () => {
        this.choosePawn(dataset.pawn);
        if (this.svg.classList.contains("zoomed")) this.show({ ...this.around(dataset.pawn), w: this.box.w });
      });
      tabs.append(tab);
    }
    this.sections[0].before(tabs);
    this.tabs = [...tabs.children];
  }

  choosePawn(pawn) {
    this.pawn = kept.pawn = pawn ?? null;
    for (const section of this.sections) section.hidden = section.dataset.pawn !== pawn;
    for (const lit of this.svg.querySelectorAll(".lit")) lit.setAttribute("display", lit.dataset.pawn === pawn ? "inline" : "none");
    for (const tab of this.tabs ?? []) tab.setAttribute("aria-pressed", String(tab.dataset.pawn === pawn));
    this.update();
  }

  inputs(station) {
    return [...(this.section?.querySelectorAll(`input[data-station="${station}"]`) ?? [])];
  }

  choose(station, byKey) {
    const fitting = this.inputs(station);
    (fitting.find((input) => input.checked) ?? fitting[0]).checked = true;
    this.update();
    if (byKey) this.section.querySelector(fitting.length > 1 ? ".tickets button" : ".bar button.main").focus();
  }

  restore() {
    const input = kept.move && this.section?.querySelector(`input[value="${CSS.escape(kept.move)}"]`);
    if (input) input.checked = true;
    this.update();
  }

  // Say what the chosen move costs, offer the other tickets that lead there, and mark the station.
  update() {
    const chosen = this.section?.querySelector("input[name=move]:checked");
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
    if (!chosen) return;
    const surfaces = this.section.querySelector("input[name=surface]:checked");
    says.textContent = `${chosen.dataset.says}${surfaces ? ", and you show yourself" : ""}.`;
    this.offerTickets(bar.querySelector(".tickets"), chosen);
  }

  offerTickets(line, chosen) {
    const fitting = this.inputs(chosen.dataset.station);
    line.hidden = fitting.length < 2;
    if (line.dataset.station !== chosen.dataset.station) {
      line.dataset.station = chosen.dataset.station;
      line.replaceChildren(...fitting.map((input) => {
        const button = document.createElement("button");
        const { ticket } = input.dataset;
        Object.assign(button, { type: "button", textContent: ticket === "black" ? "black ticket" : ticket, className: ticket });
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

  // Where Mr. X could have been -------------------------------------------------------------------

  lookBack() {
    const form = document.querySelector("form.back");
    if (!form) return;
    const input = form.querySelector("input");
    input.type = "range";
    const now = { map: this.svg.querySelector(".now"), caption: this.caption.textContent };
    let asked = 0;
    const look = async () => {
      const turn = ++asked;
      await new Promise((done) => setTimeout(done, 120));
      if (turn !== asked) return;
      const answer = await fetch(`${form.getAttribute("action").split("#")[0]}?window=${input.value}`, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const then = page.querySelector("figure.board");
      if (turn !== asked || !then) return;
      this.draw(document.adoptNode(then.querySelector(".now")), page.querySelector(".where").textContent);
      back.hidden = false;
    };
    const back = form.querySelector("a");
    form.querySelector("button").hidden = true;
    input.addEventListener("input", look);
    back.addEventListener("click", (event) => {
      if (location.search) return; // the page was loaded as of then
      event.preventDefault();
      asked += 1;
      input.value = input.dataset.last;
      back.hidden = true;
      this.draw(now.map, now.caption);
      input.focus();
    });
  }

  draw(map, caption) {
    this.svg.querySelector(".now").replaceWith(map);
    this.caption.textContent = caption;
  }

  get caption() {
    return document.querySelector(".where");
  }
}

let shown = null;

function begin() {
  const figure = document.querySelector("figure.board");
  shown = figure && new Board(figure);
}

document.addEventListener("page:replaced", begin);
addEventListener("resize", () => shown?.show(shown.box));
begin();
