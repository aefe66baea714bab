// Buttons of the game: playing, taking back, walking through the record.

import type { Hint } from './board'
import type { View } from './server'
import { server } from './server'
import type { Hello, State } from './protocol'
import { settingsOf } from './new_game'
import { canPlay, engines as countEngines, isEngine, rulesName, statusOf } from './words'
import { t } from './text'

/** Walks along the line: `-1` back, `1` forward, or to one of its ends. */
export function walk(state: State, steps: number) {
  const at = state.line.indexOf(server.node ?? state.node)
  const target = state.line[Math.min(Math.max(at + steps, 0), state.line.length - 1)]
  if (target !== undefined && target !== server.node) server.goto(target)
}

const ICONS = {
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M11 3v10L4 8z',
  forward: 'M5 3v10l7-5z',
  last: 'M11 3h2v10h-2zM3 3v10l7-5z',
}

const Icon = ({ path }: { path: string }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} />
  </svg>
)

interface Props {
  state: State
  view: View
  hello: Hello
  /** The hint that is shown. */
  hint: Hint | null
  /** A hint was asked for that is not there yet. */
  isHintDue: boolean
  onHint: () => void
}

export function Controls({ state, view, hello, hint, isHintDue, onHint }: Props) {
  const send = server.send.bind(server)
  const engines = countEngines(state)
  const isMyTurn = state.phase === 'play' && canPlay(state)
  const at = state.line.indexOf(state.node)
  const isFirst = at <= 0
  const isLast = at >= state.line.length - 1
  const isStudy = state.study && state.paused
  const canContinue = state.phase === 'play' && state.paused && !state.study && (engines > 0 || state.clocks !== null)
  return (
    <section class="controls" aria-label={t('Game')}>
      <p class="status">
        {view.connected ? statusOf(state) : t('Connection lost. Trying again…')}
      </p>
      {(hint || isHintDue) && (
        <p class="hint" role="status">
          {hint ? hintInWords(hint, state) : t('Looking for a hint…')}
        </p>
      )}
      <div class="buttons">
        {state.phase === 'play' && engines < 2 && !isStudy && (
          <button disabled={!isMyTurn} onClick={() => send({ type: 'play', at: 'pass' })} title={t('Pass (P)')}>
            {t('Pass')}
          </button>
        )}
        {!isStudy && state.phase !== 'over' && engines === 1 && (
          <button disabled={isFirst} onClick={() => send({ type: 'take-back' })} title={t('Undo your last move (U)')}>
            {t('Undo')}
          </button>
        )}
        {!isStudy && state.phase !== 'over' && (
          <button
            class={engines === 1 ? 'quiet' : ''}
            disabled={isFirst}
            onClick={() => send({ type: 'undo' })}
            title={t('Undo one stone (Shift+U)')}
          >
            {t('Undo one stone')}
          </button>
        )}
        {!isStudy && isMyTurn && engines < 2 && !state.analysing && (
          <button onClick={onHint} disabled={isHintDue || hint?.step === 3} title={t('Hint (H)')}>
            {hint ? t('More') : t('Hint')}
          </button>
        )}
        {state.phase === 'play' && engines < 2 && state.number > 0 && !isStudy && (
          <button class="quiet" onClick={() => confirm(t('Give up this game?')) && send({ type: 'resign' })}>
            {t('Resign')}
          </button>
        )}
        {state.phase === 'play' && engines === 2 && !state.paused && (
          <button onClick={() => send({ type: 'pause' })}>{t('Pause')}</button>
        )}
        {canContinue && (
          <button class="primary" onClick={() => send({ type: 'continue' })}>
            {t('Continue')}
          </button>
        )}
        {state.study && engines > 0 && (
          <button class={state.phase === 'over' ? 'primary' : ''} onClick={() => send({ type: 'new', settings: settingsOf(state, hello) })}>
            {t('Rematch')}
          </button>
        )}
      </div>
      <div class="walk" role="group" aria-label={t('Walk through the game')}>
        <button disabled={isFirst} onClick={() => walk(state, -Infinity)} aria-label={t('To the beginning')} title={t('Home')}>
          <Icon path={ICONS.first} />
        </button>
        <button disabled={isFirst} onClick={() => walk(state, -1)} aria-label={t('One move back')} title="←">
          <Icon path={ICONS.back} />
        </button>
        <span class="number" aria-label={t('Move {at} of {last}', { at, last: state.line.length - 1 })}>
          {at} / {state.line.length - 1}
        </span>
        <button disabled={isLast} onClick={() => walk(state, 1)} aria-label={t('One move forward')} title="→">
          <Icon path={ICONS.forward} />
        </button>
        <button disabled={isLast} onClick={() => walk(state, Infinity)} aria-label={t('To the end')} title={t('End')}>
          <Icon path={ICONS.last} />
        </button>
      </div>
      {!state.problem && <p class="conditions">{conditions(state)}</p>}
    </section>
  )
}

function hintInWords(hint: Hint, state: State): string {
  const best = hint.moves[0]
  if (!best || best === 'pass') return isEngine(state, state.to_play) ? t('There is nothing left to play.') : t('Passing is fine here.')
  if (hint.step === 1) return t('Look at the marked part of the board.')
  if (hint.step === 2) return hint.moves.length > 1 ? t('The best move is one of these.') : t('One move stands out.')
  return t('tengen would play {move}.', { move: best })
}

function conditions(state: State): string {
  const handicap = state.handicap > 0 ? `, ${t('{n} handicap stones', { n: state.handicap })}` : ''
  const rules = t('{rules} rules', { rules: rulesName(state.rules) })
  return `${state.width}×${state.height}, ${rules}, ${t('komi {komi}', { komi: state.komi })}${handicap}`
}
