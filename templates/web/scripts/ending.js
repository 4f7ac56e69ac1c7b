// The end of a game: the board is open, and Mr. X's way is drawn on it station by station. The picture of it is shared.

import { READABLE, still, View } from "./view.js";

const LEG = 450; // milliseconds from a station to the next
const LONGEST = 9_000; // for the whole way
const [MARGIN, AROUND] = [40, 80]; // units of the board: of the drawing, and around the way, with room for his figure

let shown = null;
let drawnOf = null; // the game whose way has been drawn once

class OpenedBoard extends View {
  constructor(board) {
    super(board.querySelector("svg"));
    document.documentElement.classList.add("live");
    this.follow(board.querySelector(".zoom"));
    this.paths = [...this.svg.querySelectorAll(".way")];
    this.way = this.paths[0].getAttribute("d");
    this.points = [...this.way.matchAll(/([\d.-]+) ([\d.-]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
    this.pawn = this.svg.querySelector("[data-pawn=mr_x]");
    this.place = this.pawn.getAttribute("transform");
    this.show(this.isSmall ? this.aroundWay() : this.whole());
  }

  get isSmall() {
    return this.svg.clientWidth < READABLE * this.whole().w;
  }

  // The part of the board with his way on it, or with its end, if the numbers of stations would be too small.
  aroundWay() {
    const [left, right, top, bottom] = [0, 1].flatMap((axis) => {
      const all = this.points.map((point) => point[axis] + MARGIN);
      return [Math.min(...all) - AROUND, Math.max(...all) + AROUND];
    });
    const w = Math.max(right - left, (bottom - top) / this.ratio);
    const most = this.svg.clientWidth / READABLE;
    return w > most ? this.near(this.points.at(-1)) : { x: (left + right) / 2, y: (top + bottom) / 2, w };
  }

  near([x, y]) {
    return { x: x + MARGIN, y: y + MARGIN, w: this.svg.clientWidth / READABLE };
  }

  draw() {
    const legs = this.points.length - 1;
    if (legs < 1) return;
    const follows = this.isSmall && this.box.w < this.whole().w - 1;
    const leg = Math.min(LEG, LONGEST / legs);
    const began = performance.now();
    const next = (now) => {
      if (shown !== this || this.began !== began) return; // the page was replaced, or the way begun again
      const at = Math.max(0, now - began) / leg;
      if (at >= legs) return this.finish();
      const [x, y] = this.between(at);
      this.lay(`M${[...this.points.slice(0, Math.floor(at) + 1), [x, y]].map((point) => point.join(" ")).join("L")}`, `translate(${x} ${y})`);
      if (follows) this.show(this.near([x, y]));
      requestAnimationFrame(next);
    };
    this.began = began;
    requestAnimationFrame(next);
  }

  between(at) {
    const [from, to] = [this.points[Math.floor(at)], this.points[Math.floor(at) + 1]];
    return from.map((one, i) => one + (to[i] - one) * (at % 1));
  }

  lay(way, place) {
    for (const path of this.paths) path.setAttribute("d", way);
    this.pawn.setAttribute("transform", place);
  }

  finish() {
    this.lay(this.way, this.place);
  }
}

function begin() {
  const board = document.querySelector(".opened");
  shown = board && new OpenedBoard(board);
  if (!shown) return;
  const button = document.querySelector(".draw-way");
  button.hidden = false;
  button.addEventListener("click", () => shown.draw());
  if (drawnOf !== board.dataset.game && !still.matches) shown.draw();
  drawnOf = board.dataset.game;
}

// Without a browser that shares pictures, the link loads the picture to keep.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-share]");
  if (!link || !navigator.canShare) return;
  event.preventDefault();
  const answer = await fetch(link.href).catch(() => null);
  if (!answer?.ok) return location.assign(link.href);
  const file = new File([await answer.blob()], "black-ticket.png", { type: "image/png" });
  const { share: path, title } = link.dataset;
  const told = { title, files: [file], ...(path ? { url: new URL(path, location).href } : {}) };
  if (!navigator.canShare(told)) return location.assign(link.href);
  navigator.share(told).catch(() => {}); // closed
});

document.addEventListener("page:replaced", begin);
addEventListener("resize", () => shown?.show(shown.box));
begin();
