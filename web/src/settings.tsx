// Preferences and keys.

import { Dialog } from './dialog'
import type { Preferences } from './preferences'

const KEYS: [string, string][] = [
  ['← →', 'one move back or forward'],
  ['↑ ↓', 'ten moves back or forward'],
  ['Home End', 'to the beginning, to the end'],
  ['P', 'pass'],
  ['U', 'take back both moves'],
  ['Shift U', 'take back one move'],
  ['A', 'analyse'],
  ['M O L', 'show moves, ownership, policy'],
  ['N', 'new game'],
  ['Tab, arrows, Enter', 'play with the keyboard: the board has a cursor while it is focused'],
]

interface Props {
  preferences: Preferences
  change: (changes: Partial<Preferences>) => void
  version: string
  onClose: () => void
}

export function SettingsDialog({ preferences, change, version, onClose }: Props) {
  const box = (key: 'sound' | 'coordinates' | 'confirm', text: string) => (
    <label class="check">
      <input type="checkbox" checked={preferences[key]} onChange={() => change({ [key]: !preferences[key] })} />
      {text}
    </label>
  )
  return (
    <Dialog title="Settings" onClose={onClose}>
      <div class="form">
        {box('sound', 'Stone sounds')}
        {box('coordinates', 'Coordinates around the board')}
        {box('confirm', 'Tap twice to play (for small screens)')}
        <label>
          Colours
          <select
            value={preferences.theme}
            onChange={(event) => change({ theme: event.currentTarget.value as Preferences['theme'] })}
          >
            <option value="auto">As the system</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </div>
      <h3>Keys</h3>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="empty">tengen {version}</p>
    </Dialog>
  )
}
