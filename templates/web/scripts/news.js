// Asks for news of the game, and shows the page as it is then, without losing what the reader has chosen or typed.

import { arrived, hasPlaceForAll, replace } from "./replacing.js";
import { answered, isLed, isUnreachable } from "./sending.js";
import { listen } from "./stream.js";
import { say } from "./words.js";

const AFTER_FAILURE = 5_000; // milliseconds
const SELDOM = 60_000; // while the page is hidden, or a stream says when to ask
const LONGEST = 20_000; // for an answer
const MOST_WORDS = 25; // of what is spoken at once
const MOST_OF_MESSAGE = 12;

const said = document.createElement("p");
said.className = "said";
said.setAttribute("aria-live", "polite");
document.body.append(said);

const lost = document.createElement("span");
lost.className = "lost";
lost.textContent = `${say("The server cannot be reached. This page keeps trying.")} `;

// A refused form shows the page under its own address, and to load that again would send the form again.
const { page } = document.querySelector("meta[name=news]").dataset;
if (location.pathname !== page) history.replaceState(null, "", page);

let shown = 0; // how often the page was replaced

let isTold = false; // a stream says when to ask
let next = 0; // the timer of the next question
let isAsking = false;
let hasMore = false; // something changed while the page asked
let unseen = null; // what a hidden page will show; its title and icon are in the tab already

const seen = () => document.querySelector("meta[name=news]");
const usual = () => (isTold ? SELDOM : 1000 * seen().dataset.every);
const asTold = ({ headers }) => 1000 * (Number(headers.get("Retry-After")) || 5);

async function reached(address, headers = {}) {
  const answer = await fetch(address, { cache: "no-store", headers, signal: AbortSignal.timeout(LONGEST) });
  if (isUnreachable(answer)) throw new Error("unreachable");
  return answer;
}

// Load the page anew, which is for this reader no more; but one who has just left their seat is led elsewhere.
async function reload() {
  await answered();
  if (!isLed()) location.reload();
}

// As the page itself, news are as of an earlier move or with all of the talk, where its address says so.
function addressOfNews() {
  const at = new URL(seen().dataset.at, location.href);
  for (const [name, value] of new URLSearchParams(location.search)) at.searchParams.append(name, value);
  return at.href;
}

// Ask for what changed of the page, and show it; return how long to wait until the next question, if that was told.
async function ask() {
  const before = shown;
  const answer = await reached(addressOfNews(), { Accept: "text/html", "If-None-Match": `"${seen().content}"` });
  if (answer.status === 304) return;
  if (answer.status === 429 || answer.status >= 500) return asTold(answer);
  if (!answer.ok || answer.redirected) return reload();
  const html = await answer.text();
  await answered();
  if (shown !== before) return; // a form was answered meanwhile, with a page that is newer
  unseen = arrived(html);
  present();
}

function present() {
  if (!unseen || document.hidden) return;
  if (hasPlaceForAll(unseen)) tell(unseen);
  else offer(unseen);
  unseen = null;
}

function tell(main) {
  const news = whatHappened(main);
  replace(main);
  said.replaceChildren(news);
}

function offer(main) {
  const button = document.createElement("button");
  button.textContent = say("Show it");
  button.addEventListener("click", () => tell(main));
  said.replaceChildren(`${say("Something happened in the game.")} `, button);
}

// Return what a page tells that the page before did not, the oldest first, and what is to do now. Events and messages
// have numbers; moves of the reader's are no events here. What is too long to be listened to loses its beginning.
function whatHappened(main) {
  const lead = (main.querySelector(".lead .brief") ?? main.querySelector(".lead [role=status]"))?.textContent.trim() ?? "";
  const events = since(main, ".spoken [data-number]").map(({ dataset, textContent }) => ({ round: dataset.round, text: textContent }));
  const messages = since(main, ".talk [data-number]").map((message) => ({ text: `${clipped(message)}.` }));
  const told = [...events, ...messages];
  while (told.length && words(`${spoken(told)} ${lead}`) > MOST_WORDS) told.shift();
  return `${spoken(told)} ${lead}`.trim();
}

function since(main, selector) {
  const last = Math.max(0, ...[...document.querySelectorAll(selector)].map(numberOf));
  return [...main.querySelectorAll(selector)].filter((entry) => numberOf(entry) > last);
}

// Return events as they are said: moves of one round behind one "Round 7:", and every sentence by itself.
function spoken(told) {
  let round = 0;
  let said = "";
  for (const each of told) {
    const head = each.round > 0 && each.round !== round ? `${say("Round {round}:", { round: each.round })} ` : "";
    round = each.round ?? round;
    const isOpen = said && !/[.!?]$/.test(said);
    said += `${isOpen ? (head ? ". " : ", ") : said && " "}${head}${each.text}`;
  }
  return said && !/[.!?]$/.test(said) ? `${said}.` : said;
}

const words = (text) => text.split(/\s+/).filter(Boolean).length;

// Return who wrote a message, and how it begins.
function clipped(message) {
  const [who, text] = [message.querySelector("b").textContent, message.lastChild.textContent.trim()];
  const all = text.split(/\s+/);
  return `${who}: ${all.length > MOST_OF_MESSAGE ? `${all.slice(0, MOST_OF_MESSAGE).join(" ")} …` : text.replace(/[.]$/, "")}`;
}

const numberOf = ({ dataset }) => Number(dataset.number);

function showLast() {
  const talk = document.querySelector(".talk");
  if (talk) talk.scrollTop = talk.scrollHeight;
}

// Mark the messages that came since this browser last showed the talk; they count as read once it is in sight.
const reading = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) localStorage.setItem(itemOfTalk(), target.dataset.heard);
});
const itemOfTalk = () => `heard ${location.pathname}`;

function markNew() {
  reading.disconnect();
  const section = document.querySelector("#talk");
  if (!section) return;
  const { heard } = section.dataset;
  const known = localStorage.getItem(itemOfTalk());
  if (known === null) localStorage.setItem(itemOfTalk(), heard);
  const others = [...section.querySelectorAll(".talk li[data-number]")].filter(({ dataset }) => Number(dataset.number) > Number(known ?? heard));
  for (const message of others) message.classList.add("new");
  if (others.length) {
    const line = document.createElement("p");
    const link = document.createElement("a");
    link.href = "#talk";
    link.textContent = others.length === 1 ? say("One new message") : say("{n} new messages", { n: others.length });
    line.append(link);
    document.querySelector("main h1").after(line);
  }
  reading.observe(section);
}

// Nobody looks at a hidden page, so it asks seldom. What happened is shown when its reader comes back.
function askIn(length) {
  clearTimeout(next);
  next = setTimeout(askNow, document.hidden ? SELDOM : length);
}

async function askNow() {
  hasMore = isAsking;
  if (isAsking) return;
  isAsking = true;
  let length;
  try {
    length = await ask();
    lost.remove();
  } catch {
    if (!lost.isConnected) said.prepend(lost);
    length = AFTER_FAILURE;
  }
  isAsking = false;
  if (hasMore && !length) return askNow();
  askIn(length ?? usual());
}

document.addEventListener("visibilitychange", present);
document.addEventListener("visibilitychange", () => askIn(0));
addEventListener("online", () => lost.isConnected && askIn(0));
document.addEventListener("page:replaced", () => {
  shown += 1;
  unseen = null;
  said.replaceChildren(); // what it offers is older than the page
  showLast();
  markNew();
  askIn(usual());
});
showLast();
askIn(usual());
markNew();
listen(
  seen().dataset.stream,
  page.split("/").pop(),
  async () => {
    await answered(); // a form that is under way brings the page as it is then
    askNow();
  },
  (told) => {
    const wasTold = isTold;
    isTold = told;
    if (told) askNow(); // what happened before there was a stream
    else if (wasTold) askIn(usual());
  },
);
