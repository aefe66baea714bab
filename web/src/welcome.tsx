// On the first screen: who to play against, without a window.

import type { Hello, State } from './protocol'
import { engineOf, LevelSelect, settingsFor, settingsOf } from './new_game'
import { server } from './server'
import { aboutPlayer, engines } from './words'
import { t } from './text'

export function Welcome({ state, hello }: { state: State; hello: Hello }) {
  const engine = engineOf(state.seats)
  const isFresh = state.line.length === 1 && !state.study && engines(state) === 1
  if (!isFresh || engine?.kind !== 'engine') return null
  const player = state.auto ? 'auto' : engine.player
  return (
    <section class="panel welcome" aria-label={t('Play against')}>
      <label>
        {t('Play against')}
        <LevelSelect
          hello={hello}
          player={player}
          size={state}
          set={(chosen) => server.send({ type: 'new', settings: settingsFor(settingsOf(state, hello), chosen) })}
        />
      </label>
      <small>{aboutPlayer(hello, player, state)}</small>
    </section>
  )
}
