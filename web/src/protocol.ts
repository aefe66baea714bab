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
  /** Points that a move may lose without a warning; none for no warnings. */
  teach: number | null
  /** The engine's level follows the player's results. */
  auto: boolean
}

/** A player to choose from. */
export interface Listed {
  name: string
  title: string
  about: string
  group: 'level' | 'technique' | 'program'
  ranks: LevelRank[]
}

/** What a level is worth on boards of one size, such as `12k`, and the interval at 95%. */
export interface LevelRank {
  size: number
  rank: string
  low: string
  high: string
}

export interface Hello {
  type: 'hello'
  version: string
  players: Listed[]
  rules: { name: string; komi: number }[]
  defaults: Settings
  /** Problems were named on the command line. */
  has_problems: boolean
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
  /** Moves are only tried: in a record, and after the end of a game. */
  study: boolean
  teach: number | null
  /** The opponent's level follows the player's results. */
  auto: boolean
  /** A move is looked at before it is played. */
  checking: boolean
  node: number
  line: number[]
  count: CountView | null
  result: string | null
  comment: string | null
  marks: Mark[]
  info: Partial<Record<InfoKey, string>>
  problem: { state: 'open' | 'wrong' | 'solved' | 'shown'; to_play: Color } | null
  notice: string | null
}

export type MarkKind = 'triangle' | 'square' | 'circle' | 'cross' | 'label'

export interface Mark {
  at: string
  kind: MarkKind
  label: string
}

export type ProblemSet = 'starter' | 'mistakes' | 'given'

/** Properties of a record's root. */
export type InfoKey = 'PB' | 'BR' | 'PW' | 'WR' | 'DT' | 'PC' | 'EV' | 'GN' | 'RE'

/** How bad a move is, by the points that it loses. */
export type Class = 'excellent' | 'good' | 'inaccuracy' | 'mistake' | 'big-mistake' | 'blunder'

export interface TreeNode {
  id: number
  parent: number | null
  color: Color | null
  at: Move | null
  value: number | null
  score: number | null
  lost: number | null
  class: Class | null
  expected: Move[]
  comment: boolean
  main: boolean
}

export interface MoveView {
  at: Move
  visits: number
  value: number
  score: number
  lost: number
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

/** What a move costs that is not played yet. */
export interface Judgement {
  node: number
  at: Move
  lost: number
  class: Class
  /** How the opponent would answer. */
  line: Move[]
}

export interface Review {
  type: 'review'
  done: number
  total: number
  running: boolean
  report: Report | null
}

/** What a review comes to. */
export interface Report {
  analyst: string
  players: Record<Color, PlayerFigures>
  moments: { number: number }[]
}

export interface Figures {
  moves: number
  mean_loss: number | null
  accuracy: number | null
  first_choices: number | null
}

export interface PlayerFigures extends Figures {
  /** An estimate, with its interval at 95%. */
  rank?: string | null
  rank_ci95?: [string, string] | null
  classes: Record<Class, number>
  phases: Record<'opening' | 'middle_game' | 'endgame', Figures>
}

export interface StoredGame {
  id: string
  name: string
  names: [string, string]
  size: [number, number]
  moves: number
  result: string | null
  time: number
  /** For a problem, whether it was solved. */
  solved: boolean | null
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
  | ({ type: 'warning' | 'tried' } & Judgement)
  | Games
  | { type: 'collection'; games: StoredGame[] }
  | { type: 'problems'; text: string }
  | { type: 'sgf'; name: string; text: string }
  | { type: 'error'; message: string }

export type Command =
  | { type: 'new'; settings: Settings }
  | { type: 'join'; game: string }
  | { type: 'list'; search: Search; from: number }
  | { type: 'choose'; game: number; solve: boolean }
  | { type: 'problems'; set: ProblemSet }
  | { type: 'rename'; game: string; name: string }
  | { type: 'delete'; game: string }
  | { type: 'play'; at: Move; anyway?: boolean }
  | { type: 'goto'; node: number }
  | { type: 'seats'; seats: Seats }
  | { type: 'toggle-dead'; at: string }
  | { type: 'accept'; anyway: boolean }
  | { type: 'analyse'; on: boolean }
  | { type: 'try'; at: Move }
  | { type: 'review'; playouts: number }
  | { type: 'comment'; text: string }
  | { type: 'mark'; at: string; kind: MarkKind; label: string }
  | { type: 'info'; info: Partial<Record<InfoKey, string>> }
  | { type: 'set-up'; at: string; color: Color | null }
  | { type: 'to-play'; color: Color }
  | { type: 'add-line'; moves: Move[] }
  | { type: 'hint' | 'promote' | 'delete-line' | 'try-again' | 'solution' }
  | { type: 'resign' | 'undo' | 'take-back' | 'pause' | 'continue' | 'take-proposal' | 'resume' | 'stop-review' | 'save' }
