// The two players: names, captures, clocks.

import { useEffect, useState } from 'preact/hooks'
import type { ClockView, Color, State } from './protocol'
import { t } from './text'
import { clockTime, colorName, nameOfSide } from './words'

export function Players({ state }: { state: State }) {
  return (
    <section class="players" aria-label={t('Players')}>
      <Player state={state} color="black" />
      <Player state={state} color="white" />
    </section>
  )
}

function Player({ state, color }: { state: State; color: Color }) {
  const index = color === 'black' ? 0 : 1
  const isTurn = state.phase === 'play' && state.to_play === color
  const name = nameOfSide(state, color)
  const captures = state.captures[index]
  return (
    <div class={`player ${isTurn ? 'turn' : ''}`} aria-current={isTurn ? 'true' : undefined}>
      <span class={`stone ${color}`} aria-hidden="true" />
      <div class="who">
        <strong title={name}>{name}</strong>
        <small>
          <span class="hidden">{colorName(color)}, </span>
          {t('{n} captured', { n: captures })}
        </small>
      </div>
      {state.clocks && <Clock clock={state.clocks[index]} control={state.time} label={color === 'black' ? t('Black\'s clock') : t('White\'s clock')} />}
    </div>
  )
}

function Clock({ clock, control, label }: { clock: ClockView; control: string; label: string }) {
  const left = useTicking(clock)
  const periods = clock.stones > 0 ? (control.startsWith('canadian') ? t('{n} left', { n: clock.stones }) : `× ${clock.stones}`) : ''
  return (
    <div class={`clock ${clock.running && left < 15 ? 'urgent' : ''}`} role="timer" aria-label={label}>
      {clockTime(left)}
      {periods && <small>{periods}</small>}
    </div>
  )
}

/** Runs between two states; the server has the last word. */
function useTicking(clock: ClockView): number {
  const [left, setLeft] = useState(clock.left)
  useEffect(() => {
    setLeft(clock.left)
    if (!clock.running) return
    const start = performance.now()
    const timer = setInterval(() => setLeft(clock.left - (performance.now() - start) / 1000), 100)
    return () => clearInterval(timer)
  }, [clock])
  return left
}
