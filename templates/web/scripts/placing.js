// Puts a box of the page beside a part of the board, within the board, where it hides least.

const GAP = 12; // pixels between them

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
  const rects = [...others].map((other) => other.getBoundingClientRect());
  const isHidden = (rect, place) =>
    rect.right > place.left && rect.left < place.left + width && rect.bottom > place.top && rect.top < place.top + height;
  const hides = (place) => rects.filter((rect) => isHidden(rect, place)).length + (isHidden(at, place) ? 100 : 0);
  const best = places.reduce((one, other) => (hides(other) < hides(one) ? other : one));
  box.style.left = `${best.left}px`;
  box.style.top = `${best.top}px`;
}
