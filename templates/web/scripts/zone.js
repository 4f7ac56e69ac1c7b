// Suggests the time zone of this browser where the player has another one.
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
for (const offer of document.querySelectorAll(".suggestion")) {
  const select = document.querySelector("select[name=zone]");
  const isKnown = !select || [...select.options].some((option) => option.value === here);
  if (!here || here === offer.dataset.zone || !isKnown) continue;
  offer.querySelector("span").textContent = here.replaceAll("_", " ");
  const field = offer.querySelector("input[name=zone]");
  if (field) field.value = here;
  else offer.querySelector("button").addEventListener("click", () => { select.value = here; offer.hidden = true; select.focus(); });
  offer.hidden = false;
}
