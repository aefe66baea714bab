// Preferences and keys.

import { Dialog } from './dialog'
import type { Preferences } from './preferences'
import { NAMES, t } from './text'

const KEYS: [string, string][] = [
  ['← →', 'one move back or forward'],
  ['↑ ↓', 'ten moves back or forward'],
  ['Home End', 'to the beginning, to the end'],
  ['P', 'pass'],
  ['U', 'undo your last move'],
  ['Shift U', 'undo one stone'],
  ['H', 'hint'],
  ['E', 'next mistake; with Shift, the one before'],
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
  const box = (key: 'sound' | 'coordinates' | 'numbers' | 'next', text: string) => (
    <label class="check">
      <input type="checkbox" checked={preferences[key]} onChange={() => change({ [key]: !preferences[key] })} />
      {t(text)}
    </label>
  )
  return (
    <Dialog title={t('Settings')} onClose={onClose}>
      <div class="form">
        {box('sound', 'Stone sounds')}
        {box('coordinates', 'Coordinates around the board')}
        {box('numbers', 'Numbers of the moves')}
        {box('next', 'In records, the move that follows')}
        <label>
          {t('Tap twice to play')}
          <select
            value={preferences.confirm}
            onChange={(event) => change({ confirm: event.currentTarget.value as Preferences['confirm'] })}
          >
            <option value="small">{t('On small touch screens')}</option>
            <option value="always">{t('Always')}</option>
            <option value="never">{t('Never')}</option>
          </select>
        </label>
        <label>
          {t('Language')}
          <select
            value={preferences.language}
            onChange={(event) => change({ language: event.currentTarget.value as Preferences['language'] })}
          >
            <option value="auto">{t('As the system')}</option>
            {Object.entries(NAMES).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('Colours')}
          <select
            value={preferences.theme}
            onChange={(event) => change({ theme: event.currentTarget.value as Preferences['theme'] })}
          >
            <option value="auto">{t('As the system')}</option>
            <option value="light">{t('Light')}</option>
            <option value="dark">{t('Dark')}</option>
          </select>
        </label>
      </div>
      <h3>{t('Keys')}</h3>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{t(what)}</dd>
          </div>
        ))}
      </dl>
      <p class="empty">tengen {version}</p>
    </Dialog>
  )
}
