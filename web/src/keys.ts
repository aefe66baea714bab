// The keyboard, wherever the focus is but in a field or a window.

import { useEffect, useRef } from 'preact/hooks'
import { walk } from './controls'
import type { Preferences } from './preferences'
import type { State } from './protocol'
import { server } from './server'

interface Keys {
  state: State | null
  preferences: Preferences
  change: (changes: Partial<Preferences>) => void
  onNew: () => void
  onHint: () => void
  onMistake: (step: 1 | -1) => void
}

export function useKeys(keys: Keys) {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (press(event, current.current)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

/** Whether the key means something. */
function press(event: KeyboardEvent, { state, preferences, change, onNew, onHint, onMistake }: Keys): boolean {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, select, textarea')
  const isInDialog = document.querySelector('dialog[open]') !== null
  if (!state || isInDialog || isTyping || event.altKey || event.metaKey) return false
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  if (event.ctrlKey) {
    if (key !== 'z') return false
    if (!state.study) server.send({ type: 'take-back' })
    return true
  }
  switch (key) {
    case 'ArrowLeft':
      walk(state, -1)
      return true
    case 'ArrowRight':
      walk(state, 1)
      return true
    case 'ArrowUp':
      walk(state, -10)
      return true
    case 'ArrowDown':
      walk(state, 10)
      return true
    case 'Home':
      walk(state, -Infinity)
      return true
    case 'End':
      walk(state, Infinity)
      return true
    case 'p':
      if (state.phase === 'play') server.send({ type: 'play', at: 'pass' })
      return true
    case 'u':
      if (!state.study) server.send({ type: event.shiftKey ? 'undo' : 'take-back' })
      return true
    case 'h':
      onHint()
      return true
    case 'e':
      onMistake(event.shiftKey ? -1 : 1)
      return true
    case 'a':
      server.send({ type: 'analyse', on: !state.analysing })
      return true
    case 'm':
      change({ moves: !preferences.moves })
      return true
    case 'o':
      change({ ownership: !preferences.ownership })
      return true
    case 'l':
      change({ policy: !preferences.policy })
      return true
    case 'n':
      onNew()
      return true
    default:
      return false
  }
}
