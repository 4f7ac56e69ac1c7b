// Says the times of a page as in "in 47 hours (Thu 18:00)", in the zone of this browser and by the server's clock. Without
// it they are in words, in the zone of the player.

import { LANGUAGE, say } from "./words.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 6 * DAY; // from then on a day of the week can mean two days
const OFTEN = 20_000;
const SECOND = 1_000;
const LEFT = [ // when a reader hears what is left
  [5 * MINUTE, say("5 minutes left for your turn.")],
  [MINUTE, say("1 minute left for your turn.")],
  [20 * SECOND, say("20 seconds left for your turn.")],
];
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const from = new Intl.RelativeTimeFormat(LANGUAGE);
const REGION = LANGUAGE === "en" ? "en-GB" : LANGUAGE; // where the day stands before the month
const near = new Intl.DateTimeFormat(REGION, { weekday: "short", hour: "2-digit", minute: "2-digit" });
const far = new Intl.DateTimeFormat(REGION, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export function said(at, now) {
  const left = at - now;
  const exactly = (Math.abs(left) < WEEK ? near : far).format(at).replaceAll(",", "");
  if (Math.abs(left) < MINUTE) return `${left > 0 ? say("in a moment") : say("just now")} (${exactly})`;
  const [unit, name] = [[DAY, "day"], [HOUR, "hour"], [MINUTE, "minute"]].find(([length]) => Math.abs(left) >= 2 * length) ?? [MINUTE, "minute"];
  const [length, what] = name === "day" && Math.abs(left) < 4 * DAY ? [HOUR, "hour"] : [unit, name];
  return `${from.format(Math.round(left / length), what)} (${exactly})`;
}

let told = null; // the time that the page was told last
let ahead = 0; // milliseconds that the clock of this device is ahead of the server's
let before = null; // what was left of the reader's turn a second ago
const spoken = Object.assign(document.createElement("p"), { className: "unseen left", ariaLive: "polite" });
document.body.append(spoken);

function now() {
  const at = document.querySelector("meta[name=news]")?.dataset.now;
  if (at && at !== told) [told, ahead] = [at, Date.now() - new Date(at)];
  return Date.now() - ahead;
}

function tell() {
  for (const time of document.querySelectorAll("main time[datetime]")) {
    time.title ||= time.textContent;
    const text = said(new Date(time.dateTime), now());
    put(time, text);
  }
}

// The clock of a turn counts minutes and seconds in its last hour; minutes alone for readers who want nothing to move.
function count() {
  for (const time of document.querySelectorAll(".clock time")) {
    const left = new Date(time.dateTime) - now();
    const isSoon = left > 0 && left < HOUR;
    time.classList.toggle("soon", isSoon);
    time.role = isSoon ? "timer" : null;
    if (isSoon) put(time, STILL.matches ? inMinutes(left) : inSeconds(left));
    if (time.closest(".yours")) speak(left);
  }
}

const inMinutes = (left) => (left < MINUTE ? say("in under 1 min") : say("in {minutes} min", { minutes: Math.floor(left / MINUTE) }));
const inSeconds = (left) => say("in {time}", { time: `${Math.floor(left / MINUTE)}:${String(Math.floor(left / SECOND) % 60).padStart(2, "0")}` });

function put(time, text) {
  if (time.textContent !== text) time.textContent = text;
}

function speak(left) {
  const [, words] = LEFT.findLast(([length]) => before > length && left <= length) ?? [];
  before = left;
  if (words) spoken.textContent = words;
}

function tellAll() {
  tell();
  count();
}

document.addEventListener("page:replaced", tellAll);
document.addEventListener("visibilitychange", tellAll);
setInterval(tellAll, OFTEN);
setInterval(count, SECOND);
tellAll();
