// Puts the main part of a page that was fetched in the place of the present one.

export function replace(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("main");
  if (!main) return false;
  document.title = page.title;
  const [before, now] = [document, page].map((each) => each.querySelector('link[rel="icon"]'));
  if (before && now) before.href = now.getAttribute("href");
  document.querySelector("main").replaceWith(document.adoptNode(main));
  document.dispatchEvent(new CustomEvent("page:replaced"));
  return true;
}
