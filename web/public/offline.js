// Keeps the page for when tengen does not run: it says so then. While tengen runs, everything comes from there.

const CACHE = 'tengen'
const FILES = ['./', 'app.js', 'index.css', 'icon.svg', 'manifest.webmanifest']

addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)))
  skipWaiting()
})

addEventListener('activate', (event) => event.waitUntil(clients.claim()))

addEventListener('fetch', (event) => {
  const url = new URL(event.request.url)
  const name = url.pathname === new URL(registration.scope).pathname ? './' : url.pathname.split('/').pop()
  if (event.request.method !== 'GET' || url.origin !== location.origin || !FILES.includes(name)) return
  const fresh = fetch(event.request).then((answer) => {
    if (answer.ok) {
      const copy = answer.clone()
      event.waitUntil(caches.open(CACHE).then((cache) => cache.put(name, copy)))
    }
    return answer
  })
  event.respondWith(fresh.catch(() => caches.match(name).then((kept) => kept ?? Response.error())))
})
