// The board of a game: it pans and zooms, and a station is chosen by a click, a tap or a key.
// The forms on the page do the work; this script fills them in, and keeps what was chosen when the page is replaced.

import { arrived, replace } from "./replacing.js";

const NARROW = 700; // pixels; a narrower board begins with the reader's own pawns
const CLOSE = 430; // units of the board across, where the numbers of stations can be read on a phone
const NEAR = 250;
const CLOSEST = 150;
const REACH = 30; // pixels from a tap to a station that it can mean
const STILL = 8; // pixels that a finger moves in a tap
const kept = { game: null, box: null, pawn: null, move: null };

class Board {
  constructor(figure) {
    this.figure = figure;
    this.svg = figure.querySelector("svg.map");
    const [, , width, height] = this.svg.getAttribute("viewBox").split(" ").map(Number);
    this.size = { width, height };
    this.pointers = new Map();
    document.documentElement.classList.add("live");
    figure.querySelector(".zoom").hidden = false;
    this.sections = [...document.querySelectorAll("section.choose")];
    if (kept.game !== figure.dataset.game) Object.assign(kept, { game: figure.dataset.game, box: null, pawn: null, move: null });
    this.addTabs();
    this.choosePawn(this.sections.some((each) => each.dataset.pawn === kept.pawn) ? kept.pawn : this.sections[0]?.dataset.pawn);
    this.restore();
    this.show(kept.box ?? this.first());
    this.listen();
    this.lookBack();
  }

  // The part of the board that is seen ------------------------------------------------------------

  get ratio() {
    return this.svg.clientHeight / this.svg.clientWidth || 1;
  }

  whole() {
    const w = Math.max(this.size.width, this.size.height / this.ratio);
    return { x: this.size.width / 2, y: this.size.height / 2, w };
  }

  first() {
    const own = this.figure.dataset.own.split(" ").filter(Boolean);
    if (!own.length || this.svg.clientWidth >= NARROW) return this.whole();
    return this.around(own.includes(this.pawn) ? this.pawn : own[0]);
  }

  around(pawn) {
    const piece = this.svg.querySelector(`.pieces [data-pawn="${pawn}"]`);
    if (!piece) return this.whole();
    const margin = Number(this.figure.dataset.margin);
    const points = [piece.dataset, ...this.stationsOf(pawn)].map(({ x, y }) => ({ x: Number(x) + margin, y: Number(y) + margin }));
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
    const whole = this.whole();
    const w = Math.min(Math.max(box.w, CLOSEST), whole.w);
    const h = w * this.ratio;
    const within = (at, part, all) => (part >= all ? all / 2 : Math.min(Math.max(at, part / 2), all - part / 2));
    this.box = { x: within(box.x, w, this.size.width), y: within(box.y, h, this.size.height), w };
    kept.box = this.box.w < whole.w ? this.box : null;
    this.svg.setAttribute("viewBox", `${this.box.x - w / 2} ${this.box.y - h / 2} ${w} ${h}`);
    this.svg.classList.toggle("zoomed", w < whole.w - 1);
  }

  // Zoom so that the point of the screen (x, y) stays where it is.
  zoom(by, x, y) {
    const rect = this.svg.getBoundingClientRect();
    const [dx, dy] = x === undefined ? [0, 0] : [(x - rect.left) / rect.width - 0.5, (y - rect.top) / rect.height - 0.5];
    const before = this.box.w;
    const w = Math.min(Math.max(before * by, CLOSEST), this.whole().w);
    this.show({ x: this.box.x + dx * (before - w), y: this.box.y + dy * (before - w) * this.ratio, w });
  }

  pan(dx, dy) {
    const unit = this.box.w / this.svg.clientWidth;
    this.show({ x: this.box.x - dx * unit, y: this.box.y - dy * unit, w: this.box.w });
  }

  // Wheel, keys, fingers --------------------------------------------------------------------------

  listen() {
    const { svg, figure } = this;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("wheel", (event) => {
      if (event.deltaY > 0 && !svg.classList.contains("zoomed")) return; // the page scrolls on
      event.preventDefault();
      this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) / 500), event.clientX, event.clientY);
    }, { passive: false });
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    svg.addEventListener("click", (event) => this.click(event));
    svg.addEventListener("focusin", (event) => this.reveal(event.target.closest("a")));
    figure.querySelector(".zoom").addEventListener("click", (event) => {
      const how = event.target.dataset.zoom;
      if (how === "whole") this.show(this.whole());
      else if (how === "in" && !svg.classList.contains("zoomed") && figure.dataset.own) this.show({ ...this.around(this.pawn ?? figure.dataset.own.split(" ")[0]), w: this.box.w * 0.6 });
      else if (how) this.zoom(how === "in" ? 0.6 : 1 / 0.6);
    });
    document.querySelectorAll("form.move").forEach((form) => {
      form.addEventListener("change", () => this.update());
      form.addEventListener("submit", (event) => this.send(event, form));
    });
  }

  key(event) {
    const step = 60;
    const acts = {
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoom(0.75), "=": () => this.zoom(0.75), "-": () => this.zoom(1 / 0.75), 0: () => this.show(this.whole()),
    };
    if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[event.key]();
  }

  press(event) {
    if (event.button) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pointers.size === 1) this.moved = 0;
  }

  drag(event) {
    const last = this.pointers.get(event.pointerId);
    if (!last) return;
    const here = { x: event.clientX, y: event.clientY };
    this.moved += Math.hypot(here.x - last.x, here.y - last.y);
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      this.zoom(apart(last) / apart(here), (here.x + other.x) / 2, (here.y + other.y) / 2);
      this.moved += STILL;
    }
    if (this.moved > STILL) {
      if (!this.svg.hasPointerCapture(event.pointerId)) this.svg.setPointerCapture(event.pointerId);
      this.pan((here.x - last.x) / this.pointers.size, (here.y - last.y) / this.pointers.size);
    }
    this.pointers.set(event.pointerId, here);
  }

  click(event) {
    const byKey = event.detail === 0;
    if (event.target.closest?.("a")) event.preventDefault();
    if (!byKey && this.moved > STILL) return;
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
    if (Math.abs(at.x - this.box.x) > w / 2 - 20 || Math.abs(at.y - this.box.y) > h / 2 - 20) this.show({ ...at, w });
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
        button.addEventListener("click", () => {
          input.checked = true;
          this.update();
        });
        return button;
      }));
    }
    [...line.children].forEach((button, i) => button.setAttribute("aria-pressed", String(fitting[i].checked)));
  }

  // Send a form without leaving the page; where that fails the page is loaded again.
  async send(event, form) {
    const by = event.submitter;
    event.preventDefault();
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    try {
      const body = new URLSearchParams(new FormData(form));
      const answer = await fetch(by?.getAttribute("formaction") ?? form.action, { method: "POST", body, headers: { Accept: "text/html" } });
      kept.move = null;
      replace(arrived(await answer.text()), form);
      const isElsewhere = document.activeElement !== document.body;
      if (!isElsewhere) document.querySelector('[role="alert"], main [role="status"]')?.focus({ preventScroll: true });
    } catch {
      location.reload();
    }
  }

  // Where Mr. X could have been -------------------------------------------------------------------

  lookBack() {
    const form = this.figure.querySelector("form.back");
    if (!form) return;
    const input = form.querySelector("input");
    input.type = "range";
    const now = { map: this.svg.querySelector(".now"), caption: this.figure.querySelector("figcaption").textContent };
    let asked = 0;
    const look = async () => {
      const turn = ++asked;
      await new Promise((done) => setTimeout(done, 120));
      if (turn !== asked) return;
      const answer = await fetch(`${form.getAttribute("action").split("#")[0]}?window=${input.value}`, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const then = page.querySelector("figure.board");
      if (turn !== asked || !then) return;
      this.draw(document.adoptNode(then.querySelector(".now")), then.querySelector("figcaption").textContent);
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
    this.figure.querySelector("figcaption").textContent = caption;
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
