// What the player likes: kept in the browser.

import { useEffect, useState } from 'preact/hooks'

export interface Preferences {
  sound: boolean
  theme: 'auto' | 'light' | 'dark'
  coordinates: boolean
  /** Candidate moves on the board. */
  moves: boolean
  ownership: boolean
  policy: boolean
  /** A move has to be tapped twice. */
  confirm: boolean
}

const DEFAULTS: Preferences = {
  sound: true,
  theme: 'auto',
  coordinates: true,
  moves: true,
  ownership: false,
  policy: false,
  confirm: false,
}

const KEY = 'tengen.preferences'

function load(): Preferences {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? '{}') }
  } catch {
    return DEFAULTS
  }
}

export function usePreferences(): [Preferences, (changes: Partial<Preferences>) => void] {
  const [preferences, set] = useState(load)
  useEffect(() => {
    document.documentElement.dataset.theme = preferences.theme
  }, [preferences.theme])
  const change = (changes: Partial<Preferences>) =>
    set((before) => {
      const after = { ...before, ...changes }
      try {
        localStorage.setItem(KEY, JSON.stringify(after))
      } catch {
        // Private windows may forbid it.
      }
      return after
    })
  return [preferences, change]
}
