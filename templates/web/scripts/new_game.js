// Asks the server what the chosen game means whenever the form changes, and shows the answer in its place.
const form = document.querySelector("#new-game");
let newest = 0;
form.addEventListener("change", async () => {
  const asked = ++newest;
  const wanted = new FormData(form);
  wanted.set("show", "yes");
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(wanted) }).catch(() => null);
  if (!answer || asked !== newest) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (asked !== newest) return;
  const typing = document.activeElement;
  for (const id of ["refused-players", "summary", "seats", "clocks", "options"]) {
    const [here, there] = [document, page].map((place) => place.getElementById(id));
    if (!there || here.contains(typing)) continue;
    here.replaceWith(there);
  }
});
