// One stream of the server's says to all tabs of this browser when to ask for news. One tab has it, and tells the others.

const ANEW = () => 45_000 + 30_000 * Math.random(); // milliseconds until it asks again for a stream, where there was none
const ANSWERED_IN = 300; // milliseconds in which a tab that has the stream says so, where tabs cannot lock

// Call `ask` when there may be news of `game`, and `isTold` with whether the stream says so from now on.
export function listen(address, game, ask, isTold) {
  const games = new Set([game]);
  const line = new BroadcastChannel("news");
  let stream = null; // in the tab that has it
  let isOpen = false;

  line.onmessage = ({ data }) => hear(data);

  function say(what) {
    line.postMessage(what);
    hear(what);
  }

  function hear({ open, changed, who, shows }) {
    if (open) isTold(open.includes(game));
    if (changed === game) ask();
    if (who) line.postMessage({ shows: game });
    if (shows && stream) {
      if (games.has(shows)) return isOpen && line.postMessage({ open: [...games] });
      games.add(shows);
      connect();
    }
  }

  function connect() {
    stream?.close();
    isOpen = false;
    stream = new EventSource(`${address}?${[...games].map((each) => `game=${each}`).join("&")}`);
    stream.onopen = () => {
      isOpen = true;
      say({ open: [...games] });
    };
    stream.onmessage = ({ data }) => say({ changed: data });
    stream.onerror = () => {
      isOpen = false;
      say({ open: [] });
      if (stream.readyState === EventSource.CLOSED) setTimeout(connect, ANEW());
    };
  }

  function lead() {
    connect();
    line.postMessage({ who: true });
    return new Promise(() => {});
  }

  if (navigator.locks) {
    navigator.locks.request("news", lead);
    line.postMessage({ shows: game });
  } else {
    // Over plain HTTP: this tab has a stream unless another one says that it has, and pages ask where that tab is gone.
    const alone = setTimeout(lead, ANSWERED_IN);
    line.addEventListener("message", ({ data }) => data.open && clearTimeout(alone));
    line.postMessage({ shows: game });
  }
}
