// Makes this browser a device that the server can call: registers the service worker, and asks for a subscription.

import { say } from "./words.js";

const SHUT = "no calls";
const isIPhone = navigator.standalone === false; // in a tab of Safari, where nothing is pushed
const works = isSecureContext && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

if (isSecureContext && "serviceWorker" in navigator) navigator.serviceWorker.register("/service-worker.js");

function offer() {
  for (const form of document.querySelectorAll("form.call")) {
    const isAsked = !form.querySelector(".no") || !localStorage.getItem(SHUT);
    form.hidden = !works || !isAsked || Notification.permission === "denied";
    form.nextElementSibling.hidden = works || !isIPhone || !isAsked;
  }
}

document.addEventListener("click", ({ target }) => {
  if (!target.matches("form.call .no")) return;
  localStorage.setItem(SHUT, "yes");
  offer();
});

// Before sending.js, which sends forms: without the keys there is nothing to send.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form.call") || form.elements.endpoint.value) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  fill(form).then(() => form.requestSubmit(event.submitter), () => tell(form));
}, true);

async function fill(form) {
  const { pushManager } = await navigator.serviceWorker.ready;
  const asked = { userVisibleOnly: true, applicationServerKey: form.dataset.key };
  const known = await pushManager.getSubscription();
  if (known && !isFor(known, form.dataset.key)) await known.unsubscribe();
  const { endpoint, keys } = (await pushManager.subscribe(asked)).toJSON();
  for (const [name, value] of Object.entries({ endpoint, ...keys })) form.elements[name].value = value;
}

// A server that has lost its database has another key.
function isFor({ options }, key) {
  const bytes = String.fromCharCode(...new Uint8Array(options.applicationServerKey));
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === key;
}

function tell(form) {
  const why = Notification.permission === "denied" ? say("This browser does not let the page show messages; its settings can allow that.")
    : say("This browser could not ask its push service. Press again later.");
  const line = form.querySelector(".wrong") ?? document.createElement("span");
  line.className = "wrong";
  line.role = "alert";
  line.textContent = ` ${why}`;
  form.querySelector("p").append(line);
}

document.addEventListener("page:replaced", offer);
offer();
