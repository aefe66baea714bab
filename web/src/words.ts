// Numbers and results as people read them.

import type { Color, State } from './protocol'

export const percent = (share: number) => `${Math.round(share * 100)}%`

export const signed = (number: number) => `${number > 0 ? '+' : number < 0 ? '−' : ''}${Math.abs(number).toFixed(1)}`

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `B+3.5` in words. */
export function resultInWords(result: string): string {
  if (result === '0') return 'A draw'
  const [winner, by] = result.split('+')
  const who = winner === 'B' ? 'Black' : 'White'
  if (by === 'R') return `${who} wins by resignation`
  if (by === 'T') return `${who} wins on time`
  if (by === 'F') return `${who} wins by forfeit`
  return by ? `${who} wins by ${by} point${by === '1' ? '' : 's'}` : `${who} wins`
}

/** The lead of a side in points. */
export function lead(score: number): string {
  if (Math.abs(score) < 0.05) return 'even'
  return `${score > 0 ? 'Black' : 'White'} +${Math.abs(score).toFixed(1)}`
}

/** Seconds as a clock shows them. */
export function clockTime(seconds: number): string {
  const left = Math.max(0, seconds)
  if (left < 10) return left.toFixed(1)
  const whole = Math.floor(left)
  const two = (n: number) => String(n).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

export const isEngine = (state: State, color: Color) => state.seats[color].kind === 'engine'

/** What happens, in a sentence. */
export function statusOf(state: State): string {
  const mover = capital(state.to_play)
  if (state.phase === 'over') return state.result ? `${resultInWords(state.result)}.` : 'The game is over.'
  if (state.phase === 'count') return 'Both passed. Click stones to mark them dead or alive.'
  if (state.paused) {
    if (isEngine(state, state.to_play)) return `Paused. ${mover} is to move.`
    return state.seats.black.kind === state.seats.white.kind ? `${mover} to move.` : `Paused. Your move (${state.to_play}).`
  }
  if (state.thinking || isEngine(state, state.to_play)) return `${mover} (${nameOfSide(state, state.to_play)}) is thinking…`
  const passed = state.last === 'pass' && state.number > 0 ? `${capital(other(state.to_play))} passed. ` : ''
  return passed + (state.seats.black.kind === state.seats.white.kind ? `${mover} to move.` : `Your move (${state.to_play}).`)
}

export const other = (color: Color): Color => (color === 'black' ? 'white' : 'black')

export const nameOfSide = (state: State, color: Color) => state.names[color === 'black' ? 0 : 1]
