// The service worker of the playground: FILES and CACHE, which name the files of one build, are put in front by
// scripts/playground.js. The server's file is taken while there is a server.

self.addEventListener('install', (event) => event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES))));

self.addEventListener('activate', (event) =>
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))));

self.addEventListener('fetch', (event) => {
  const isOurs = event.request.method === 'GET' && new URL(event.request.url).origin === self.location.origin;
  if (isOurs) event.respondWith(fetch(event.request).catch(() => caches.match(event.request, { ignoreSearch: true })));
});
