// Shows calls of the server, and the page for no network where that is missing. It keeps no other page.

const OFFLINE = "/offline";
const KEPT = "offline";

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(KEPT).then((cache) => cache.add(new Request(OFFLINE, { cache: "reload" }))));
});

addEventListener("activate", (event) => event.waitUntil(registration.navigationPreload?.enable()));

addEventListener("fetch", (event) => {
  const { mode, method } = event.request;
  if (mode === "navigate" && method === "GET") event.respondWith(reached(event));
});

async function reached(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(OFFLINE)) ?? Response.error();
  }
}

const pageOf = (game) => `/games/${game}`;
const windows = () => clients.matchAll({ type: "window", includeUncontrolled: true });
const shows = (game) => ({ url }) => new URL(url).pathname === pageOf(game);

addEventListener("push", (event) => event.waitUntil(show(event.data.json())));

async function show({ title, game }) {
  const isSeen = (await windows()).some((each) => each.visibilityState === "visible" && shows(game)(each));
  await registration.showNotification(title, { tag: game, renotify: !isSeen, silent: isSeen, icon: "/icons/192.png", data: game });
  // Browsers end a subscription that shows nothing, so what the player sees anyway is shown, and gone at once.
  if (isSeen) for (const each of await registration.getNotifications({ tag: game })) each.close();
}

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function open(game) {
  const there = (await windows()).find(shows(game));
  return there ? there.focus() : clients.openWindow(pageOf(game));
}
