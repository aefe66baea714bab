// Numbers, names and results as people read them.

import type { Class, Color, Hello, LevelRank, Listed, State, StoredGame } from './protocol'
import { t } from './text'

export const percent = (share: number) => `${Math.round(share * 100)}%`

/** Points lost, as `−1.5`; nothing lost is `0`. */
export const loss = (points: number) => (points < 0.05 ? '0' : `−${points.toFixed(1)}`)

export const points = (number: number) =>
  number.toFixed(1) === '1.0' ? t('1 point') : t('{n} points', { n: number.toFixed(1) })

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The name of a colour. */
export const colorName = (color: Color) => (color === 'black' ? t('Black') : t('White'))

/** `B+3.5` in words. */
export function resultInWords(result: string): string {
  if (result === '0') return t('A draw')
  const [winner, by] = result.split('+')
  const who = colorName(winner === 'B' ? 'black' : 'white')
  if (by === 'R') return t('{who} wins by resignation', { who })
  if (by === 'T') return t('{who} wins on time', { who })
  if (by === 'F') return t('{who} wins by forfeit', { who })
  return by ? t('{who} wins by {points}', { who, points: by === '1' ? t('1 point') : t('{n} points', { n: by }) }) : t('{who} wins', { who })
}

/** A result that stands in a record. */
function recorded(result: string): string {
  if (result === '0') return t('A draw (recorded)')
  const [winner, by] = result.split('+')
  const who = colorName(winner === 'B' ? 'black' : 'white')
  if (by === 'R') return t('{who} won by resignation (recorded)', { who })
  return by && Number(by) > 0 ? t('{who} won by {n} (recorded)', { who, n: by }) : t('{who} won (recorded)', { who })
}

/** The lead of a side in points. */
export function lead(score: number): string {
  if (Math.abs(score) < 0.05) return t('even')
  return `${colorName(score > 0 ? 'black' : 'white')} +${Math.abs(score).toFixed(1)}`
}

/** The same for tables and points of the board. */
export function shortLead(score: number): string {
  return Math.abs(score) < 0.05 ? '0' : `${score > 0 ? 'B' : 'W'}+${Math.abs(score).toFixed(1)}`
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

export const engines = (state: State) => Number(isEngine(state, 'black')) + Number(isEngine(state, 'white'))

/** Whether what the engine thinks is shown: in a game only if the player asks. */
export const isRevealed = (state: State) => state.problem?.state !== 'open' && isOpenTo(state)

const isOpenTo = (state: State) => state.study || state.analysing || engines(state) === 2

/** Whether a click on the board plays a move. */
export function canPlay(state: State): boolean {
  if (state.phase === 'over') return state.study && state.last !== 'pass'
  return state.phase === 'play' && (!isEngine(state, state.to_play) || state.paused)
}

/** Whether the game waits for the person at the page. */
export const isMyMove = (state: State) =>
  state.phase === 'play' && !state.paused && !state.study && engines(state) === 1 && !isEngine(state, state.to_play)

/** What happens, in a sentence. */
export function statusOf(state: State): string {
  const mover = colorName(state.to_play)
  const at = state.line.indexOf(state.node)
  const last = state.line.length - 1
  const looking = t('Looking at move {at} of {last}.', { at, last })
  if (state.problem) return ''
  if (state.phase === 'over') return state.result ? `${resultInWords(state.result)}.` : t('The game is over.')
  if (state.phase === 'count') return t('Both passed. Click stones to mark them dead or alive.')
  if (state.study && state.paused) {
    const result = state.result && engines(state) === 0 ? ` ${recorded(state.result)}.` : ''
    return `${looking}${result} ${t('Play here to try something.')}`
  }
  if (state.paused) {
    if (engines(state) === 2) return t('Paused. {mover} is to move.', { mover })
    return engines(state) === 0 && at === last ? t('{mover} to move.', { mover }) : `${looking} ${t('Play here to branch.')}`
  }
  if (state.checking) return t('Looking at your move…')
  if (state.thinking || isEngine(state, state.to_play)) {
    return t('{mover} ({name}) is thinking…', { mover, name: nameOfSide(state, state.to_play) })
  }
  const passed = state.last === 'pass' && state.number > 0 ? `${t('{mover} passed.', { mover: colorName(other(state.to_play)) })} ` : ''
  const yours = state.to_play === 'black' ? t('Your move (black).') : t('Your move (white).')
  return passed + (engines(state) === 1 ? yours : t('{mover} to move.', { mover }))
}

export const other = (color: Color): Color => (color === 'black' ? 'white' : 'black')

/** Who has a colour: the record's name, else the person at the page, else the colour. */
export function nameOfSide(state: State, color: Color): string {
  const name = state.names[color === 'black' ? 0 : 1]
  const level = /^tengen level (\d+)$/.exec(name)?.[1]
  if (level) return t('tengen level {n}', { n: level })
  if (name !== HUMAN || isEngine(state, color)) return name
  return isEngine(state, other(color)) ? t('You') : colorName(color)
}

/** What records call whoever sits at the page. */
const HUMAN = 'Player'
/** What the library calls a player whom the record does not name. */
const UNKNOWN = 'unknown'

/** The players of a stored game; nothing if none is told. */
export function playersOf(game: StoredGame): string {
  if (game.names.every((name) => name === UNKNOWN)) return ''
  const isOwn = game.names[0] !== game.names[1]
  const name = (i: 0 | 1) => (game.names[i] === UNKNOWN ? '?' : game.names[i] !== HUMAN ? game.names[i] : isOwn ? t('You') : colorName(i === 0 ? 'black' : 'white'))
  return `${name(0)} – ${name(1)}`
}

const RULES: Record<string, string> = {
  aga: 'AGA',
  goe: 'Ing',
  'chinese-ogs': 'Chinese (OGS)',
  'tromp-taylor': 'Tromp-Taylor',
  'new-zealand': 'New Zealand',
  'stone-scoring': 'Stone scoring',
  'ancient-territory': 'Ancient territory',
}

/** The name of a set of rules. */
export const rulesName = (name: string) => t(RULES[name] ?? capital(name))

/** What players of the list are like, for those who want to play and not to read papers. */
const PLAIN: Record<string, string> = {
  default: 'As strong as it gets on this machine',
  auto: 'One level up after a win, one down after a loss',
  classic: 'Strong, and without a neural network',
  zero: 'A neural network that reads ahead and trusts its own judgement',
  'zero-7x7': 'A neural network that taught itself 7x7, and knows no other board',
  'zero-9x9': 'A neural network that taught itself 9x9, and knows no larger board',
  policy: 'Plays by instinct, without reading ahead',
  holmes: 'Guesses a good move and tests it, again and again',
  gcmb: 'Reads ahead by trial games, and remembers which replies went well',
  'rave-lgrf': 'Reads ahead by trial games; learns good replies and forgets bad ones',
  'rave-lgr': 'Reads ahead by trial games; repeats replies that have worked',
  rave: 'Reads ahead by trial games; a move good anywhere is tried early',
  uct: 'Reads ahead by random trial games: the plain method',
  'mc-depth2': 'Looks two moves ahead, and no further',
  'mc-amaf': 'Counts who wins random games, without a tree',
  'mc-pp': 'Counts who wins random games, and drops hopeless moves',
  mc: 'Counts who wins random games after each move',
  gobble: 'The first of its kind, from 1993',
  random: 'Plays anywhere: for the very first game',
}

/** The number of a level. */
export const levelOf = (player: string): number | null => Number(/^level-(\d+)$/.exec(player)?.[1]) || null

/** A board, as ranks are measured on it. */
export interface Size {
  width: number
  height: number
}

const rankOn = (player: Listed | undefined, { width, height }: Size): LevelRank | undefined =>
  player?.ranks.find(({ size }) => size === width && size === height)

/** `12k` in words. */
function rankInWords(rank: string): string {
  const n = rank.slice(0, -1)
  return rank.endsWith('k') ? t('{n} kyu', { n }) : t('{n} dan', { n })
}

/** What a player of the list is called on such a board. */
export function titleOf(player: Listed, size: Size): string {
  const level = levelOf(player.name)
  const rank = rankOn(player, size)
  if (level) return t('tengen, level {n}', { n: level }) + (rank ? ` (${rankInWords(rank.rank)})` : '')
  return player.name === 'default' ? t('tengen at its best') : player.title
}

/** What a player is like on such a board, in a line or two. */
export function aboutPlayer(hello: Hello, name: string, size: Size): string {
  const plain = PLAIN[name]
  if (plain) return t(plain)
  const player = hello.players.find((player) => player.name === name)
  const level = levelOf(name)
  if (!level) return player?.about ?? ''
  const manner = t(level < 9 ? 'Chooses moves as people do, and reads a little more at each level' : 'Plays the best move it finds, in half a second')
  const rank = rankOn(player, size)
  if (!rank) return manner
  const [low, high] = [rankInWords(rank.low), rankInWords(rank.high)]
  return `${manner}. ${t('Its rank is estimated from games with GNU Go, taken for 8 kyu: from {low} to {high}.', { low, high })}`
}

export const CLASSES: Class[] = ['excellent', 'good', 'inaccuracy', 'mistake', 'big-mistake', 'blunder']

/** Whether a move of this class is worth a look. */
export const isMistake = (kind: Class | null) => kind !== null && CLASSES.indexOf(kind) >= 2

export const className = (kind: Class) => t(kind.replace('-', ' '))

const BOUNDS: Record<Class, string> = {
  excellent: 'less than 0.5 points',
  good: '0.5 to 1.5',
  inaccuracy: '1.5 to 3',
  mistake: '3 to 6',
  'big-mistake': '6 to 12',
  blunder: '12 or more',
}

/** The points lost that a class stands for. */
export const boundsOf = (kind: Class) => t(BOUNDS[kind])

/** Kinds of problems in the starter set. */
const KINDS = ['endgame', 'ko', 'ladder', 'life and death', 'nakade', 'net', 'seki', 'semeai', 'snapback']

/** The name of a problem: those of the starter set and of one's own mistakes are tengen's own. */
export function problemName(name: string): string {
  const [, kind = '', number] = /^(.*) (\d+)$/.exec(name) ?? []
  if (KINDS.includes(kind)) return `${t(kind)} ${number}`
  const [, move, lost, at] = /^(\S+) lost ([\d.]+) points \(move (\d+)\)$/.exec(name) ?? []
  return move && lost && at ? t('{move} lost {points} (move {n})', { move, points: points(Number(lost)), n: at }) : name
}

export const movesInWords = (n: number) => (n === 1 ? t('1 move') : t('{n} moves', { n }))
