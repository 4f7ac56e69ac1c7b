// Copies or shares the link of a game, where the browser can. The buttons of what it cannot do stay hidden.
const link = () => document.querySelector("#link");
const can = { copy: Boolean(navigator.clipboard?.writeText), share: Boolean(navigator.share) };
for (const [what, is] of Object.entries(can)) document.documentElement.classList.toggle(`can-${what}`, is);

document.addEventListener("click", async (event) => {
  const button = event.target.closest(".copy, .share");
  if (!button) return;
  const url = link().textContent;
  if (button.matches(".share")) return void navigator.share({ title: document.querySelector("h1").textContent, url }).catch(() => {}); // closed
  const isCopied = await navigator.clipboard.writeText(url).then(() => true, () => false);
  if (!isCopied) getSelection().selectAllChildren(link());
  document.querySelector(".copied").textContent = isCopied ? "Copied." : "The browser did not copy it. It is selected: copy it yourself.";
});
