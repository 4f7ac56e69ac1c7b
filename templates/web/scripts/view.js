// A drawing that pans and zooms: by wheel, by keys, by one finger or two, and by the buttons beside it. Its pawns move, and
// boxes of the page stand beside its parts.

import { leastHiding } from "./placing.js";

const CLOSEST = 150; // units of the drawing across
const STILL = 8; // pixels that a finger moves in a tap
const GAP = 12; // pixels between a part of the drawing and a box beside it
const ALL = 1_800; // milliseconds for all pawns that move, one after the other
const EACH = 450; // at most
export const READABLE = 0.7; // pixels for a unit of the board, with which the numbers of stations are 11 pixels high
export const still = matchMedia("(prefers-reduced-motion: reduce)");

export class View {
  constructor(svg) {
    this.svg = svg;
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    this.size = { width, height };
    this.pointers = new Map();
    this.moved = 0;
    this.isPressed = false; // by a pointer, since the last key: what clicks else is a key, whatever event.detail says
    svg.style.setProperty("--across", width);
    svg.style.setProperty("--down", height);
    svg.classList.add("pans");
  }

  get ratio() {
    return this.svg.clientHeight / this.svg.clientWidth || 1;
  }

  // The pixels at its foot that something of the page hides.
  get covered() {
    return 0;
  }

  whole() {
    const w = Math.max(this.size.width, this.size.height / this.ratio);
    return { x: this.size.width / 2, y: this.size.height / 2, w };
  }

  show(box) {
    const whole = this.whole();
    const w = Math.min(Math.max(box.w, CLOSEST), whole.w);
    const h = w * this.ratio;
    const within = (at, part, all) => (part >= all ? all / 2 : Math.min(Math.max(at, part / 2), all - part / 2));
    const below = w < whole.w - 1 ? this.covered * (w / (this.svg.clientWidth || 1)) : 0;
    this.box = { x: within(box.x, w, this.size.width), y: within(box.y, h, this.size.height + below), w };
    this.svg.setAttribute("viewBox", `${this.box.x - w / 2} ${this.box.y - h / 2} ${w} ${h}`);
    this.svg.classList.toggle("zoomed", w < whole.w - 1);
  }

  // Zoom so that the point of the screen (x, y) stays where it is.
  zoom(by, x, y) {
    const rect = this.svg.getBoundingClientRect();
    const [dx, dy] = x === undefined ? [0, 0] : [(x - rect.left) / rect.width - 0.5, (y - rect.top) / rect.height - 0.5];
    const before = this.box.w;
    const w = Math.min(Math.max(before * by, CLOSEST), this.whole().w);
    this.show({ x: this.box.x + dx * (before - w), y: this.box.y + dy * (before - w) * this.ratio, w }, true);
  }

  pan(dx, dy, isByHand = true) {
    const unit = this.box.w / this.svg.clientWidth;
    this.show({ x: this.box.x - dx * unit, y: this.box.y - dy * unit, w: this.box.w }, isByHand);
  }

  follow(buttons) {
    const { svg } = this;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("wheel", (event) => {
      if (event.deltaY > 0 && !svg.classList.contains("zoomed")) return; // the page scrolls on
      event.preventDefault();
      this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 120) / 500), event.clientX, event.clientY);
    }, { passive: false });
    svg.addEventListener("keydown", (event) => {
      this.isPressed = false;
      this.key(event);
    });
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    buttons.hidden = false;
    buttons.addEventListener("click", (event) => {
      const how = event.target.dataset.zoom;
      if (how === "in") this.larger();
      else if (how === "out") this.zoom(1 / 0.6);
      else if (how) this.show(this.whereIs(how), how !== "me");
    });
    this.buttons = buttons;
  }

  // Return the part of the drawing that a button shows.
  whereIs() {
    return this.whole();
  }

  larger() {
    this.zoom(0.6);
  }

  key(event) {
    const step = 60;
    const press = (what) => this.buttons.querySelector(`[data-zoom=${what}]`)?.click();
    const acts = {
      m: () => press("me"), l: () => press("sighting"), w: () => press("whole"),
      ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoom(0.75), "=": () => this.zoom(0.75), "-": () => this.zoom(1 / 0.75), 0: () => press("whole"),
    };
    if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    acts[event.key]();
  }

  press(event) {
    if (event.button) return;
    this.isPressed = true;
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

  // Return true if the click that follows a press ends a pan or a pinch.
  get hasPanned() {
    return this.moved > STILL;
  }
}

// Move pawns along the trails of moves that are newer than `known`, unless the reader wishes for no motion.
export function play(svg, known = 0) {
  if (still.matches) return;
  const trails = [...svg.querySelectorAll(".trail")].filter(({ dataset }) => Number(dataset.number) > known);
  const duration = Math.min(EACH, ALL / trails.length);
  trails.forEach((trail, i) => {
    const timing = { duration, delay: i * duration, fill: "backwards", easing: "ease-in-out" };
    const { pawn, number } = trail.dataset;
    for (const drawn of [trail, ...svg.querySelectorAll(`.paid [data-number="${number}"]`)]) drawn.animate({ opacity: [0, 1] }, timing);
    const piece = svg.querySelector(`.pieces [data-pawn="${pawn}"]:not([data-seen])`);
    piece?.animate({ transform: fromThere(trail.dataset.points) }, timing);
  });
}

// Return how far from its place a pawn is at each station of its way.
function fromThere(text) {
  const points = text.split(" ").map((point) => point.split(",").map(Number));
  const [x, y] = points.at(-1);
  return points.map((point) => `translate(${point[0] - x}px, ${point[1] - y}px)`);
}

// Put `box`, whose position is fixed, beside the element `part`; `others` are elements that it should not hide.
export function putBeside(box, part, others) {
  const [frame, at] = [part.closest(".frame"), part].map((each) => each.getBoundingClientRect());
  const [width, height] = [box.offsetWidth, box.offsetHeight];
  const within = (from, length, start, end) => Math.max(start, Math.min(from, end - length));
  const [right, left, below, above] = [at.right + GAP, at.left - GAP - width, at.bottom + GAP, at.top - GAP - height];
  const [across, down] = [(at.left + at.right - width) / 2, (at.top + at.bottom - height) / 2];
  const corners = [[right, below], [right, above], [left, below], [left, above]];
  const places = [[right, down], [left, down], [across, below], [across, above], ...corners].map(([x, y]) => ({
    left: within(x, width, frame.left, frame.right), top: within(y, height, frame.top, frame.bottom),
  }));
  const { left: x, top: y } = leastHiding(places, box, at, others);
  Object.assign(box.style, { left: `${x}px`, top: `${y}px` });
}
