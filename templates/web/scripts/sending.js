// Sends the forms of a page without leaving it, but those with a target, whose answer news must not replace. Without an answer the page stays as it is, and the reader can press again.

import { arrived, placeToTell, replace, shown } from "./replacing.js";
import { say } from "./words.js";

const LONGEST = 30_000; // milliseconds for an answer
const FROM_A_PROXY = [502, 503, 504]; // the server behind it cannot be reached, unless the answer is the server's own

export const isUnreachable = (answer) => FROM_A_PROXY.includes(answer.status) && !answer.headers.has("X-Black-Ticket");

let underWay = Promise.resolve();

// All forms that were sent are answered, or have found no server. News wait for it: what was sent would look unsent.
export const answered = () => underWay;

// The browser is on its way to the page to which a form has led.
export const isLed = () => led;
let led = false;

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.target || form.method !== "post" || !form.closest("main")) return;
  event.preventDefault();
  if (form.ariaBusy !== "true") underWay = Promise.allSettled([underWay, send(form, event.submitter)]);
});

async function send(form, by) {
  form.ariaBusy = "true";
  form.querySelector('[role="alert"]')?.remove();
  const body = new URLSearchParams(new FormData(form));
  if (by?.name) body.append(by.name, by.value);
  const path = by?.getAttribute("formaction") ?? form.getAttribute("action") ?? "";
  const signal = AbortSignal.timeout(LONGEST);
  const answer = await fetch(path, { method: "POST", body, headers: { Accept: "text/html" }, signal }).catch(() => null);
  const html = answer && !isUnreachable(answer) ? await answer.text().catch(() => null) : null;
  for (const each of [form, shown(form)]) if (each) each.ariaBusy = null;
  if (html === null) return tellOfNoAnswer(form);
  const reason = reasonIn(html);
  if (reason && answer.status !== 404) return tell(form, reason); // what is chosen and typed stays
  if (answer.redirected && new URL(answer.url).pathname !== location.pathname) {
    led = true;
    return location.assign(answer.url);
  }
  const main = arrived(html);
  if (!main) return tellOfNoAnswer(form);
  if (answer.redirected) history.replaceState(null, "", answer.url); // it may be that of the other one of a pair
  form.dispatchEvent(new CustomEvent("form:answered", { bubbles: true }));
  replace(main, by?.matches(".quick") ? null : form); // who only says where to has still to move
  const isElsewhere = document.activeElement !== document.body;
  if (!isElsewhere) document.querySelector('[role="alert"], main [role="status"]')?.focus({ preventScroll: true });
}

// The sentence of an error page of ours, undefined for any other page.
const reasonIn = (html) => new DOMParser().parseFromString(html, "text/html").querySelector("main .reason")?.textContent;

function tellOfNoAnswer(form) {
  const isMove = form.matches(".move");
  const stays = isTypedIn(form) ? say("What you typed stays: press the button again.") : say("Press the button again.");
  const said = isMove ? say("The server cannot be reached, so your move may not have been made. It stays chosen: press the button again. No move is made twice.")
    : `${say("The server cannot be reached, so this may not have been done.")} ${stays}`;
  tell(form, isMessage(form) && !isMove ? `${said} ${say("No message is sent twice.")}` : said);
}

const isTypedIn = ({ elements }) => [...elements].some((field) => field.matches("textarea, input:not([type=hidden])") && field.value);
const isMessage = ({ elements }) => "after" in elements; // the server compares it with those that came since

function tell(form, sentence) {
  const line = document.createElement("p");
  line.className = "wrong told";
  line.role = "alert";
  line.textContent = sentence;
  const now = shown(form);
  if (now) placeToTell(now).prepend(line);
  else document.querySelector("main h1").after(line); // the page that came meanwhile has no such form
}
