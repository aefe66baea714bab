// Buttons of the game: playing, taking back, walking through the record.

import type { View } from './server'
import { server } from './server'
import type { State } from './protocol'
import { capital, isEngine, statusOf } from './words'

/** Walks along the line: `-1` back, `1` forward, or to one of its ends. */
export function walk(state: State, steps: number) {
  const at = state.line.indexOf(state.node)
  const target = state.line[Math.min(Math.max(at + steps, 0), state.line.length - 1)]
  if (target !== undefined && target !== state.node) server.send({ type: 'goto', node: target })
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

export function Controls({ state, view }: { state: State; view: View }) {
  const send = server.send.bind(server)
  const engines = Number(isEngine(state, 'black')) + Number(isEngine(state, 'white'))
  const isMyTurn = state.phase === 'play' && (!isEngine(state, state.to_play) || state.paused)
  const at = state.line.indexOf(state.node)
  const isFirst = at <= 0
  const isLast = at >= state.line.length - 1
  const canContinue = state.phase === 'play' && state.paused && (engines > 0 || state.clocks !== null)
  return (
    <section class="controls" aria-label="Game">
      <p class="status">
        {view.connected ? statusOf(state) : 'Connection lost. Trying again…'}
      </p>
      <div class="buttons">
        {state.phase === 'play' && engines < 2 && (
          <button disabled={!isMyTurn} onClick={() => send({ type: 'play', at: 'pass' })} title="Pass (P)">
            Pass
          </button>
        )}
        {engines === 1 && (
          <button disabled={isFirst} onClick={() => send({ type: 'take-back' })} title="Take back both moves (U)">
            Take back
          </button>
        )}
        <button disabled={isFirst} onClick={() => send({ type: 'undo' })} title="Take back one move (Shift+U)">
          Undo
        </button>
        {state.phase === 'play' && engines < 2 && state.number > 0 && (
          <button class="quiet" onClick={() => confirm('Give up this game?') && send({ type: 'resign' })}>
            Resign
          </button>
        )}
        {state.phase === 'play' && engines === 2 && !state.paused && (
          <button onClick={() => send({ type: 'pause' })}>Pause</button>
        )}
        {canContinue && (
          <button class="primary" onClick={() => send({ type: 'continue' })}>
            Continue
          </button>
        )}
      </div>
      <div class="walk" role="group" aria-label="Walk through the game">
        <button disabled={isFirst} onClick={() => walk(state, -Infinity)} aria-label="To the beginning" title="Home">
          <Icon path={ICONS.first} />
        </button>
        <button disabled={isFirst} onClick={() => walk(state, -1)} aria-label="One move back" title="←">
          <Icon path={ICONS.back} />
        </button>
        <span class="number" aria-label={`Move ${at} of ${state.line.length - 1}`}>
          {at} / {state.line.length - 1}
        </span>
        <button disabled={isLast} onClick={() => walk(state, 1)} aria-label="One move forward" title="→">
          <Icon path={ICONS.forward} />
        </button>
        <button disabled={isLast} onClick={() => walk(state, Infinity)} aria-label="To the end" title="End">
          <Icon path={ICONS.last} />
        </button>
      </div>
      <p class="conditions">{conditions(state)}</p>
    </section>
  )
}

function conditions(state: State): string {
  const rules = state.rules.split('-').map(capital).join(' ')
  const handicap = state.handicap > 0 ? `, ${state.handicap} handicap stones` : ''
  return `${state.width}×${state.height}, ${rules} rules, komi ${state.komi}${handicap}`
}
