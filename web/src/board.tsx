// The board: Shudan's, with what the server and the analysis say drawn on it.

import { Goban, type GhostStone, type HeatVertex, type Marker } from '@sabaki/shudan'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { letter, nameOf, pointOf, type Point } from './points'
import type { Preferences } from './preferences'
import type { Analysis, Class, Color, CountView, MarkKind, Move, State, TreeNode } from './protocol'
import { t } from './text'
import { isMistake, loss, percent, shortLead } from './words'

interface Props {
  state: State
  analysis: Analysis | null
  /** A line of play to be shown instead of the position's markers, and who begins it. */
  preview: { line: Move[]; first: Color } | null
  /** The move that was played here in the game, drawn faintly. */
  played: { at: Move; color: Color; kind: Class | null } | null
  /** How much of the best moves the player wants to be told. */
  hint: Hint | null
  /** The moves to this position, if their numbers are to be drawn. */
  numbered: TreeNode[] | null
  preferences: Preferences
  /** Whether a click plays a move. */
  canPlay: boolean
  onPoint: (name: string) => void
  /** The pointer is on this point, or on none. */
  onHover: (name: string | null) => void
  /** Whether the wheel was of use. */
  onWheel: (steps: 1 | -1) => boolean
}

/** A hint: where to look, some candidates, or the move. */
export interface Hint {
  step: 1 | 2 | 3
  moves: Move[]
}

/** Points around the best move in the first hint. */
const NEAR = 2
/** Below this size of a point a finger needs two taps. */
const SMALL_POINT = 30
/** Below this size two lines on a point cannot be read. */
const TWO_LINES = 26

const MARKERS: Record<MarkKind, Marker['type']> = {
  triangle: 'triangle',
  square: 'square',
  circle: 'circle',
  cross: 'cross',
  label: 'label',
}

export function Board(props: Props) {
  const { state, analysis, preview, played, hint, numbered, preferences, canPlay, onPoint, onHover, onWheel } = props
  const { width, height } = state
  const frame = useRef<HTMLDivElement>(null)
  const [vertexSize, gutter] = useSizes(frame, width, height, preferences.coordinates)
  const [hover, setHover] = useState<Point | null>(null)
  const [tapped, setTapped] = useState<Point | null>(null)
  const [cursor, setCursor] = useState<Point | null>(null)
  useEffect(() => setTapped(null), [state.node, state.game])

  const hovered = (point: Point | null) => {
    setHover(point)
    onHover(point && nameOf(point, height))
  }

  const empty = <T,>(value: T): T[][] => Array.from({ length: height }, () => Array<T>(width).fill(value))
  const signs = state.stones.map((row) => [...row])
  const markers = empty<Marker | null>(null)
  const ghosts = empty<GhostStone | null>(null)
  let heat: (HeatVertex | null)[][] | undefined
  let paint: number[][] | undefined

  const at = <T,>(map: T[][], name: string, value: T) => {
    const point = pointOf(name, height)
    if (point) map[point[1]]![point[0]] = value
  }
  const isBad = isMistake(played?.kind ?? null)
  if (played) at(ghosts, played.at, { sign: played.color === 'black' ? 1 : -1, type: isBad ? 'bad' : undefined, faint: true })
  if (preview) {
    drawLine(preview, signs, markers, height)
  } else {
    if (state.last) at(markers, state.last, { type: 'point' })
    if (numbered) drawNumbers(numbered, state, markers)
    for (const mark of state.marks) at(markers, mark.at, { type: MARKERS[mark.kind], label: mark.label })
    if (hint) paint = drawHint(hint, state, markers)
    const analysed = analysis?.node === state.node ? analysis : null
    if (analysed && state.phase === 'play') {
      if (preferences.policy) heat = policyHeat(analysed)
      else if (preferences.moves) heat = moveHeat(analysed, state, vertexSize < TWO_LINES)
    }
    if (analysed && preferences.ownership && state.phase === 'play') {
      // Shudan halves it.
      paint = analysed.ownership.map((row) => row.map((share) => (Math.abs(share) < 10 ? 0 : share / 55)))
    }
    const sign = state.to_play === 'black' ? 1 : -1
    const shown = tapped ?? (canPlay ? hover : null)
    if (shown && state.stones[shown[1]]?.[shown[0]] === 0 && canPlay && !heat?.[shown[1]]?.[shown[0]]) ghosts[shown[1]]![shown[0]] = { sign }
  }
  if (state.count) paint = territory(state, state.count)
  const dead = (state.count?.dead ?? []).map((name) => pointOf(name, height)).filter((point) => point !== null)
  for (const name of state.count?.disputed ?? []) {
    const point = pointOf(name, height)
    if (point) markers[point[1]]![point[0]] = { type: 'cross' }
  }

  const isConfirmed =
    preferences.confirm === 'small' ? vertexSize < SMALL_POINT && matchMedia('(pointer: coarse)').matches : preferences.confirm === 'always'
  const choose = (point: Point) => {
    const name = nameOf(point, height)
    const isStone = state.stones[point[1]]?.[point[0]] !== 0
    if (canPlay && isConfirmed && !isStone && tapped?.join() !== point.join()) return setTapped(point)
    setTapped(null)
    onPoint(name)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    // Without its cursor, as after a click, the board leaves the keys to the page.
    if (!cursor) return
    const steps: Record<string, Point> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    }
    const step = steps[event.key]
    if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const clamp = (n: number, most: number) => Math.min(Math.max(n, 0), most - 1)
      setCursor([clamp(cursor[0] + step[0], width), clamp(cursor[1] + step[1], height)])
    } else if (event.key === 'Enter' || event.key === ' ') {
      onPoint(nameOf(cursor, height))
    } else if (event.key === 'Escape') {
      frame.current?.blur()
    } else {
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      class={preferences.policy ? 'board policy' : 'board'}
      style={isBad ? { '--ring': `var(--${played?.kind})` } : undefined}
      ref={frame}
      tabIndex={0}
      role="application"
      aria-roledescription="Go board"
      aria-label={`${t('Board, {width} by {height}. Arrow keys move the cursor, Enter plays.', { width, height })} ${
        cursor ? describe(state, cursor) : ''
      }`}
      onKeyDown={onKeyDown}
      onFocus={() => frame.current?.matches(':focus-visible') && setCursor((at) => at ?? [width >> 1, height >> 1])}
      onBlur={() => setCursor(null)}
      onPointerDown={() => setCursor(null)}
      onMouseLeave={() => hovered(null)}
      onWheel={(event) => {
        if (onWheel(event.deltaY > 0 ? 1 : -1)) event.preventDefault()
      }}
    >
      <Goban
        vertexSize={vertexSize}
        signMap={signs}
        markerMap={markers}
        ghostStoneMap={ghosts}
        heatMap={heat as HeatVertex[][] | undefined}
        paintMap={paint as (0 | 1 | -1)[][] | undefined}
        dimmedVertices={dead}
        selectedVertices={cursor ? [cursor] : []}
        showCoordinates={preferences.coordinates}
        style={frameOf(gutter, preferences.coordinates)}
        coordX={letter}
        coordY={(y: number) => height - y}
        onVertexClick={(_, point) => choose(point)}
        onVertexMouseEnter={(_, point) => hovered(point)}
        onVertexMouseLeave={() => hovered(null)}
        innerProps={{ 'aria-hidden': 'true' }}
      />
      <span class="hidden" role="status">
        {cursor && describe(state, cursor)}
      </span>
    </div>
  )
}

/** The largest size of a point at which the board fits into its frame, and the room for coordinates. */
function useSizes(frame: { current: HTMLElement | null }, width: number, height: number, coordinates: boolean) {
  const [sizes, setSizes] = useState<[number, number]>([24, 14])
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const measure = () => {
      const { clientWidth, clientHeight } = element
      const gutter = coordinates ? (Math.min(clientWidth, clientHeight) < 420 ? 13 : 22) : 4
      const fits = Math.min((clientWidth - 2 * gutter) / width, (clientHeight - 2 * gutter) / height)
      setSizes([Math.max(8, Math.floor(fits)), gutter])
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [width, height, coordinates])
  return sizes
}

function frameOf(gutter: number, coordinates: boolean) {
  const tracks = `${gutter}px 1fr ${gutter}px`
  return coordinates ? { gridTemplateRows: tracks, gridTemplateColumns: tracks } : { padding: `${gutter}px` }
}

function drawLine(
  preview: { line: Move[]; first: Color },
  signs: number[][],
  markers: (Marker | null)[][],
  height: number,
) {
  let sign = preview.first === 'black' ? 1 : -1
  preview.line.forEach((move, i) => {
    const point = pointOf(move, height)
    if (point) {
      signs[point[1]]![point[0]] = sign
      markers[point[1]]![point[0]] = { type: 'label', label: String(i + 1) }
    }
    sign = -sign
  })
}

/** The numbers of the moves on the points where their stones still are. */
function drawNumbers(moves: TreeNode[], state: State, markers: (Marker | null)[][]) {
  moves.forEach((node, i) => {
    const point = node.at && pointOf(node.at, state.height)
    const sign = node.color === 'black' ? 1 : -1
    if (point && state.stones[point[1]]?.[point[0]] === sign) {
      markers[point[1]]![point[0]] = { type: 'label', label: String(i + 1) }
    }
  })
}

/** Where to look, some candidates, or the move. */
function drawHint(hint: Hint, state: State, markers: (Marker | null)[][]): number[][] | undefined {
  const points = hint.moves.map((move) => pointOf(move, state.height)).filter((point) => point !== null)
  const best = points[0]
  if (!best) return undefined
  if (hint.step === 1) {
    const isNear = (x: number, y: number) => Math.max(Math.abs(x - best[0]), Math.abs(y - best[1])) <= NEAR
    const sign = state.to_play === 'black' ? 1 : -1
    return state.stones.map((row, y) => row.map((stone, x) => (stone === 0 && isNear(x, y) ? sign : 0)))
  }
  const shown = hint.step === 2 ? points : points.slice(0, 1)
  // In the order of the board, so that the first letter does not give the best one away.
  const sorted = [...shown].sort((a, b) => a[1] - b[1] || a[0] - b[0])
  sorted.forEach(([x, y], i) => (markers[y]![x] = hint.step === 2 ? { type: 'label', label: 'ABC'[i] } : { type: 'circle' }))
  return undefined
}

/** Candidate moves: the colour tells the share of visits, the text the mover's winning chances and the points lost; on small points only
 * these. */
function moveHeat(analysis: Analysis, { width, height }: State, isSmall: boolean): (HeatVertex | null)[][] {
  const heat = Array.from({ length: height }, () => Array<HeatVertex | null>(width).fill(null))
  const most = Math.max(...analysis.moves.map((move) => move.visits), 1)
  for (const move of analysis.moves) {
    const point = pointOf(move.at, height)
    const share = move.visits / most
    if (!point || share < 0.02) continue
    const value = analysis.to_play === 'black' ? move.value : 1 - move.value
    const below = move === analysis.moves[0] ? shortLead(move.score) : loss(move.lost)
    const text = isSmall ? loss(move.lost) : `${percent(value)}\n${below}`
    heat[point[1]]![point[0]] = { strength: Math.max(1, Math.round(share * 9)), text }
  }
  return heat
}

function policyHeat(analysis: Analysis): (HeatVertex | null)[][] {
  const strength = (share: number) => Math.round(9 * Math.sqrt(share / 1000))
  return analysis.policy.map((row) => row.map((share) => (strength(share) > 0 ? { strength: strength(share) } : null)))
}

/** Points that count: those without a living stone. Shudan halves the strength. */
function territory(state: State, count: CountView): number[][] {
  const dead = new Set(count.dead)
  const isShown = (x: number, y: number) =>
    state.stones[y]![x] === 0 || dead.has(nameOf([x, y], state.height))
  return count.owners.map((row, y) => row.map((owner, x) => (isShown(x, y) ? owner * 1.9 : 0)))
}

function describe(state: State, point: Point): string {
  const stone = state.stones[point[1]]?.[point[0]]
  const what = stone === 1 ? t('black stone') : stone === -1 ? t('white stone') : t('empty')
  return `${nameOf(point, state.height)}, ${what}`
}
