// Moves the pawns of a board once more along the trails of the last round, each in its turn.

const ALL = 1_800; // milliseconds for all of them together
const EACH = 450; // at most
const still = matchMedia("(prefers-reduced-motion: reduce)");

// Play the moves of the board that are newer than `known`, unless the reader wishes for no motion.
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
