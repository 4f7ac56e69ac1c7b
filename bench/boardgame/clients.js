// Clients of a boardgame.io server, each with a match of six in which it moves for everybody:
// `node clients.js PORT CLIENTS SECONDS`. Prints the milliseconds that each move took, as JSON.
const { io } = require("socket.io-client");

const [port, clients, seconds] = process.argv.slice(2).map(Number);
const url = `http://127.0.0.1:${port}`;
const MOVES_OF_A_MATCH = 120; // then another begins, as games end
const took = [];

async function match() {
  const made = await fetch(`${url}/games/chase/create`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ numPlayers: 6 }),
  });
  const { matchID } = await made.json();
  const socket = io(`${url}/chase`, { transports: ["websocket"] });
  await new Promise((ready) => socket.once("connect", ready));
  const answer = () => new Promise((done) => socket.once("update", (_id, state) => done(state)));
  const synced = new Promise((done) => socket.once("sync", (_id, { state }) => done(state)));
  socket.emit("sync", matchID, "0", undefined, 6);
  return { matchID, socket, answer, state: await synced };
}

async function play(until) {
  while (Date.now() < until) {
    const table = await match();
    for (let number = 0; number < MOVES_OF_A_MATCH && Date.now() < until; number++) {
      const playerID = table.state.ctx.currentPlayer;
      const action = { type: "MAKE_MOVE", payload: { type: "go", args: ["taxi", 1 + (number % 199)], playerID } };
      const began = performance.now();
      const answered = table.answer();
      table.socket.emit("update", action, table.state._stateID, table.matchID, playerID);
      table.state = await answered;
      took.push(performance.now() - began);
    }
    table.socket.close();
  }
}

const until = Date.now() + 1000 * seconds;
const lost = new Promise((done) => setTimeout(done, 1000 * seconds + 1000)); // an answer that never comes
const played = Promise.all(Array.from({ length: clients }, () => play(until)));
Promise.race([played, lost]).then(() => {
  process.stdout.write(JSON.stringify(took), () => process.exit(0)); // a pipe takes it in pieces
});
