// Shows on the board of a page where Mr. X could have been after an earlier move, which the server is asked for.

export function lookBack(svg) {
  const form = document.querySelector("form.back");
  if (!form) return;
  const input = form.querySelector("input");
  const caption = document.querySelector(".where");
  const now = { map: svg.querySelector(".now"), caption: caption.textContent };
  const back = form.querySelector("a");
  const draw = (map, told) => {
    svg.querySelector(".now").replaceWith(map);
    caption.textContent = told;
  };
  input.type = "range";
  let asked = 0;
  const look = async () => {
    const turn = ++asked;
    await new Promise((done) => setTimeout(done, 120));
    if (turn !== asked) return;
    const answer = await fetch(`${form.getAttribute("action").split("#")[0]}?window=${input.value}`, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const then = page.querySelector("figure.board");
    if (turn !== asked || !then) return;
    draw(document.adoptNode(then.querySelector(".now")), page.querySelector(".where").textContent);
    back.hidden = false;
  };
  form.querySelector("button").hidden = true;
  input.addEventListener("input", look);
  back.addEventListener("click", (event) => {
    if (location.search) return; // the page was loaded as of then
    event.preventDefault();
    asked += 1;
    input.value = input.dataset.last;
    back.hidden = true;
    draw(now.map, now.caption);
    input.focus();
  });
}
