// A drawing that pans and zooms: by wheel, by keys, by one finger or two, and by the buttons beside it.

const CLOSEST = 150; // units of the drawing across
const STILL = 8; // pixels that a finger moves in a tap

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

  whole() {
    const w = Math.max(this.size.width, this.size.height / this.ratio);
    return { x: this.size.width / 2, y: this.size.height / 2, w };
  }

  show(box) {
    const whole = this.whole();
    const w = Math.min(Math.max(box.w, CLOSEST), whole.w);
    const h = w * this.ratio;
    const within = (at, part, all) => (part >= all ? all / 2 : Math.min(Math.max(at, part / 2), all - part / 2));
    this.box = { x: within(box.x, w, this.size.width), y: within(box.y, h, this.size.height), w };
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
      else if (how) this.show(this.whereIs(how));
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
      "+": () => this.zoom(0.75), "=": () => this.zoom(0.75), "-": () => this.zoom(1 / 0.75), 0: () => this.show(this.whole()),
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
