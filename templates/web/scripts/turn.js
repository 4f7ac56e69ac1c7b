// Says in the tab that it is the reader's turn while nobody looks at the page, and with one short sound if they want it.

import { say } from "./words.js";

const WANTED = "sound";
const YOURS = say("Your move");
const [PITCH, LOUD, LENGTH] = [660, 0.2, 0.25]; // hertz, of 1, seconds

let isYours = document.title.startsWith(YOURS);
let audio = null; // browsers let a page make sounds once its reader has pressed something

const wanted = () => localStorage.getItem(WANTED) === "yes";

// Give the tab the title of a page that came.
export function title(text) {
  const wasYours = isYours;
  isYours = text.startsWith(YOURS);
  document.title = isYours && document.hidden ? `● ${text}` : text;
  if (isYours && !wasYours && document.hidden && wanted()) sound();
}

function sound() {
  audio ??= new AudioContext();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = PITCH;
  volume.gain.setValueAtTime(LOUD, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + LENGTH);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + LENGTH);
}

function show() {
  for (const button of document.querySelectorAll("button.sound")) {
    button.hidden = false;
    button.ariaPressed = String(wanted());
  }
}

document.addEventListener("click", ({ target }) => {
  if (!target.matches("button.sound")) return;
  localStorage.setItem(WANTED, wanted() ? "no" : "yes");
  if (wanted()) sound();
  show();
});
document.addEventListener("pointerdown", () => wanted() && (audio ??= new AudioContext()).resume());
document.addEventListener("visibilitychange", () => document.hidden || (document.title = document.title.replace(/^● /, "")));
document.addEventListener("page:replaced", show);
show();
