// Keeps the page for when there is no network. It says so by itself, and shows nothing but what a server tells it.
const KEPT = "tavla";

const keep = async (key, answer) => (await caches.open(KEPT)).put(key, answer);

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(["/", "/app.js"])));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const isPage = event.request.mode === "navigate";
  if (!isPage && !pathname.endsWith(".js")) return;
  const asked = fetch(event.request).then((answer) => {
    if (answer.ok && (!isPage || pathname === "/")) event.waitUntil(keep(pathname, answer.clone()));
    return answer;
  });
  event.respondWith(asked.catch(async () => (await caches.match(isPage ? "/" : pathname)) ?? Response.error()));
});
