// What the server wants to be shown: it comes with the address, once, and is kept for this tab.

const KEY = 'tengen.token'
const address = new URL(location.href)
let current = address.searchParams.get('token') ?? stored()

if (address.searchParams.has('token')) {
  keepToken(current)
  // Not for bookmarks and looks over the shoulder.
  address.searchParams.delete('token')
  history.replaceState(null, '', address)
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(KEY)
  } catch {
    return null
  }
}

export function token(): string | null {
  return current
}

export function keepToken(token: string | null) {
  current = token
  try {
    if (token) sessionStorage.setItem(KEY, token)
  } catch {
    // Some browsers forbid it; then it is kept until the page is reloaded.
  }
}
