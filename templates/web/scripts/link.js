// Copies or shares the link of a game, where the browser can. The buttons of what it cannot do stay hidden.

import { say } from "./words.js";

const link = () => document.querySelector("#link");
for (const [what, is] of Object.entries({ copy: true, share: Boolean(navigator.share) })) document.documentElement.classList.toggle(`can-${what}`, is);

// The way to copy at an address without TLS, such as that of a machine at home.
function copySelected() {
  getSelection().selectAllChildren(link());
  return document.execCommand("copy");
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest(".copy, .share");
  if (!button) return;
  const url = link().textContent;
  if (button.matches(".share")) return void navigator.share({ title: document.querySelector("h1").textContent, url }).catch(() => {}); // closed
  const isCopied = (await navigator.clipboard?.writeText(url).then(() => true, () => false)) || copySelected();
  document.querySelector(".copied").textContent = isCopied ? say("Copied.") : say("The browser did not copy it. It is selected: copy it yourself.");
});
