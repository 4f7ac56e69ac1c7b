// Says the times of a page as in "in 47 hours (Thu 18:00)", in the zone of this browser. Without it they are in words,
// in the zone of the player.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 6 * DAY; // from then on a day of the week can mean two days
const OFTEN = 20_000;
const SECOND = 1_000;
const from = new Intl.RelativeTimeFormat("en");
const near = new Intl.DateTimeFormat("en-GB", { weekday: "short", hour: "2-digit", minute: "2-digit" });
const far = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });

export function said(at, now) {
  const left = at - now;
  const exactly = (Math.abs(left) < WEEK ? near : far).format(at).replaceAll(",", "");
  if (Math.abs(left) < MINUTE) return `${left < 0 ? "just now" : "in a moment"} (${exactly})`;
  const [unit, name] = [[DAY, "day"], [HOUR, "hour"], [MINUTE, "minute"]].find(([length]) => Math.abs(left) >= 2 * length) ?? [MINUTE, "minute"];
  const [length, what] = name === "day" && Math.abs(left) < 4 * DAY ? [HOUR, "hour"] : [unit, name];
  return `${from.format(Math.round(left / length), what)} (${exactly})`;
}

function tell() {
  for (const time of document.querySelectorAll("main time[datetime]")) {
    time.title ||= time.textContent;
    const text = said(new Date(time.dateTime), new Date());
    if (time.textContent !== text) time.textContent = text;
  }
}

// The clock of a turn counts minutes and seconds in its last hour.
function count() {
  for (const time of document.querySelectorAll(".clock time")) {
    const left = new Date(time.dateTime) - new Date();
    const isSoon = left > 0 && left < HOUR;
    time.classList.toggle("soon", isSoon);
    if (isSoon) time.textContent = `in ${Math.floor(left / MINUTE)}:${String(Math.floor(left / SECOND) % 60).padStart(2, "0")}`;
  }
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
