// What the player likes: kept in the browser.

import { useEffect, useState } from 'preact/hooks'
import { speak, type Language } from './text'

export interface Preferences {
  sound: boolean
  theme: 'auto' | 'light' | 'dark'
  language: Language | 'auto'
  coordinates: boolean
  /** Candidate moves on the board. */
  moves: boolean
  ownership: boolean
  policy: boolean
  /** When a move has to be tapped twice: where points are small on a touch screen, or not. */
  confirm: 'small' | 'always' | 'never'
  /** Numbers of the moves on the stones. */
  numbers: boolean
  /** The move that follows in the record, drawn faintly. */
  next: boolean
}

const DEFAULTS: Preferences = {
  sound: true,
  theme: 'auto',
  language: 'auto',
  coordinates: true,
  moves: true,
  ownership: false,
  policy: false,
  confirm: 'small',
  numbers: false,
  next: true,
}

const KEY = 'tengen.preferences'

function load(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}')
    // Earlier versions knew only yes and no.
    if (typeof kept.confirm === 'boolean') delete kept.confirm
    return { ...DEFAULTS, ...kept }
  } catch {
    return DEFAULTS
  }
}

export function usePreferences(): [Preferences, (changes: Partial<Preferences>) => void] {
  const [preferences, set] = useState(load)
  // Before anything is written.
  speak(preferences.language)
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
