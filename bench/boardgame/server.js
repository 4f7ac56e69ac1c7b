// A boardgame.io server that keeps its matches in files: `node server.js PORT FOLDER`.
const { Server, Origins, FlatFile } = require("boardgame.io/server");

const [port, folder] = [Number(process.argv[2]), process.argv[3]];
// A chase without rules: whoever is to move says where to, and the state grows by a line, as a travel log does.
const chase = {
  name: "chase",
  setup: () => ({ stations: {}, log: [] }),
  moves: {
    go: ({ G, playerID, events }, ticket, to) => {
      G.stations[playerID] = to;
      G.log.push(`${playerID} ${ticket} ${to}`);
      events.endTurn();
    },
  },
};

const server = Server({ games: [chase], origins: [Origins.LOCALHOST], db: new FlatFile({ dir: folder }) });
server.run({ port, callback: () => console.log("ready") });
