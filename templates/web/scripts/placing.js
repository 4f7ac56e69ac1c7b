// Places for a box of the page beside a part of it.

const OWN = 100; // how much more it matters that the part itself is seen than any other

// Return the first of `places`, each with its `left` and `top`, where `box` hides fewest of the elements `others`, and not
// the part of the page with the rectangle `part`, if it can.
export function leastHiding(places, box, part, others) {
  const { offsetWidth: width, offsetHeight: height } = box;
  const isHidden = (rect, { left, top }) =>
    rect.right > left && rect.left < left + width && rect.bottom > top && rect.top < top + height;
  const rects = [...others].map((other) => other.getBoundingClientRect());
  const hides = (place) => OWN * isHidden(part, place) + rects.filter((rect) => isHidden(rect, place)).length;
  return places.map((place) => [hides(place), place]).reduce((one, other) => (other[0] < one[0] ? other : one))[1];
}
