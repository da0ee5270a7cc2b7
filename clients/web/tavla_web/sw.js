// Keeps the document for when there is no network. It says so by itself, and shows nothing but what a server tells it.
const KEPT = "tavla";

const keep = async (answer) => (await caches.open(KEPT)).put("/", answer);

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(KEPT).then((cache) => cache.add("/")));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return; // there is nothing else
  const asked = fetch(event.request).then((answer) => {
    if (answer.ok && new URL(event.request.url).pathname === "/") event.waitUntil(keep(answer.clone()));
    return answer;
  });
  event.respondWith(asked.catch(async () => (await caches.match("/")) ?? Response.error()));
});
