// On the first screen: the game that was not finished.

import { useEffect } from 'preact/hooks'
import type { Games, State } from './protocol'
import { server } from './server'
import { movesInWords, playersOf } from './words'
import { t } from './text'

export function Resume({ state, games }: { state: State; games: Games | null }) {
  const isFresh = state.line.length === 1 && !state.study
  useEffect(() => {
    if (isFresh) server.send({ type: 'list', search: { result: 'none' }, from: 0 })
  }, [isFresh, state.game])
  const last = games?.games.find((game) => !game.result && game.id !== state.game && game.moves > 0)
  if (!isFresh || !last) return null
  return (
    <button class="resume" onClick={() => server.send({ type: 'join', game: last.id })}>
      <b>{t('Resume')}</b>
      <span>
        {last.name || playersOf(last) || t('Game without names')}, {last.size.join('×')}, {movesInWords(last.moves)}
      </span>
    </button>
  )
}
