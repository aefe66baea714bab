// What the page and the server say to each other: crates/web/src/protocol.rs explains it.

export type Color = 'black' | 'white'
/** `D4` or `pass`. */
export type Move = string

export type Seat =
  | { kind: 'human' }
  | { kind: 'engine'; player: string; playouts?: number | null; seconds?: number | null }

export interface Seats {
  black: Seat
  white: Seat
}

export interface Settings {
  width: number
  height: number
  seats: Seats
  rules: string
  komi: number | null
  handicap: number
  time: string
}

export interface Hello {
  type: 'hello'
  version: string
  players: { name: string; about: string; external: boolean }[]
  rules: { name: string; komi: number }[]
  defaults: Settings
  token: string | null
}

export interface ClockView {
  left: number
  stones: number
  running: boolean
}

export interface CountView {
  dead: string[]
  owners: number[][]
  stones: [number, number]
  territory: [number, number]
  prisoners: [number, number]
  komi: number
  bonus: number
  outcome: string
  disputed: string[]
}

export interface State {
  type: 'state'
  game: string
  width: number
  height: number
  stones: (0 | 1 | -1)[][]
  to_play: Color
  last: Move | null
  number: number
  captures: [number, number]
  rules: string
  komi: number
  handicap: number
  seats: Seats
  names: [string, string]
  time: string
  clocks: [ClockView, ClockView] | null
  phase: 'play' | 'count' | 'over'
  paused: boolean
  thinking: boolean
  analysing: boolean
  node: number
  line: number[]
  count: CountView | null
  result: string | null
  comment: string | null
  notice: string | null
}

export interface TreeNode {
  id: number
  parent: number | null
  color: Color | null
  at: Move | null
  value: number | null
  score: number | null
  comment: boolean
  main: boolean
}

export interface MoveView {
  at: Move
  visits: number
  value: number
  score: number
  line: Move[]
}

export interface Analysis {
  type: 'analysis'
  by: Color | 'analyst'
  player: string
  node: number
  done: boolean
  to_play: Color
  visits: number
  playouts: number
  seconds: number
  value: number
  score: number
  moves: MoveView[]
  ownership: number[][]
  policy: number[][]
}

export interface Mistake {
  node: number
  number: number
  color: Color
  at: Move
  loss: number
  points: number
  better: Move[]
}

export interface Review {
  type: 'review'
  done: number
  total: number
  running: boolean
  mistakes: Mistake[]
}

export interface StoredGame {
  id: string
  name: string
  names: [string, string]
  size: [number, number]
  moves: number
  result: string | null
  time: number
}

export interface Games {
  type: 'games'
  games: StoredGame[]
  from: number
  total: number
}

/** Times are in seconds since 1970. */
export interface Search {
  text?: string
  result?: 'black' | 'white' | 'draw' | 'none'
  size?: number
  since?: number
  until?: number
}

export type Message =
  | Hello
  | State
  | { type: 'tree'; nodes: TreeNode[] }
  | { type: 'node'; node: TreeNode }
  | Analysis
  | Review
  | Games
  | { type: 'sgf'; name: string; text: string }
  | { type: 'error'; message: string }

export type Command =
  | { type: 'new'; settings: Settings }
  | { type: 'join'; game: string }
  | { type: 'list'; search: Search; from: number }
  | { type: 'rename'; game: string; name: string }
  | { type: 'delete'; game: string }
  | { type: 'play'; at: Move }
  | { type: 'goto'; node: number }
  | { type: 'seats'; seats: Seats }
  | { type: 'toggle-dead'; at: string }
  | { type: 'accept'; anyway: boolean }
  | { type: 'analyse'; on: boolean }
  | { type: 'review'; playouts: number }
  | { type: 'resign' | 'undo' | 'take-back' | 'pause' | 'continue' | 'take-proposal' | 'resume' | 'stop-review' | 'save' }
