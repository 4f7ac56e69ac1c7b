// Puts the main part of a page that was fetched in the place of the present one.

const IN_HEAD = { 'link[rel="icon"]': "href", 'meta[name="news"]': "content" };

export function replace(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("main");
  if (!main) return false;
  document.title = page.title;
  for (const [selector, attribute] of Object.entries(IN_HEAD)) {
    const [before, now] = [document, page].map((each) => each.querySelector(selector));
    if (before && now) before.setAttribute(attribute, now.getAttribute(attribute));
  }
  document.querySelector("main").replaceChildren(...main.childNodes);
  document.dispatchEvent(new CustomEvent("page:replaced"));
  return true;
}
