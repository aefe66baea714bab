// The board: Shudan's, with what the server and the analysis say drawn on it.

import { Goban, type GhostStone, type HeatVertex, type Marker } from '@sabaki/shudan'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { letter, nameOf, pointOf, type Point } from './points'
import type { Preferences } from './preferences'
import type { Analysis, Color, CountView, Move, State } from './protocol'
import { percent } from './words'

interface Props {
  state: State
  analysis: Analysis | null
  /** A line of play to be shown instead of the position's markers, and who begins it. */
  preview: { line: Move[]; first: Color } | null
  preferences: Preferences
  /** Whether a click plays a move. */
  canPlay: boolean
  onPoint: (name: string) => void
}

export function Board({ state, analysis, preview, preferences, canPlay, onPoint }: Props) {
  const { width, height } = state
  const frame = useRef<HTMLDivElement>(null)
  const [vertexSize, gutter] = useSizes(frame, width, height, preferences.coordinates)
  const [hover, setHover] = useState<Point | null>(null)
  const [tapped, setTapped] = useState<Point | null>(null)
  const [cursor, setCursor] = useState<Point | null>(null)
  useEffect(() => setTapped(null), [state.node, state.game])

  const empty = <T,>(value: T): T[][] => Array.from({ length: height }, () => Array<T>(width).fill(value))
  const signs = state.stones.map((row) => [...row])
  const markers = empty<Marker | null>(null)
  const ghosts = empty<GhostStone | null>(null)
  let heat: (HeatVertex | null)[][] | undefined
  let paint: number[][] | undefined

  if (preview) {
    drawLine(preview, signs, markers, height)
  } else {
    const last = state.last && pointOf(state.last, height)
    if (last) markers[last[1]]![last[0]] = { type: 'point' }
    const analysed = analysis?.node === state.node ? analysis : null
    if (analysed && state.phase === 'play') {
      if (preferences.policy) heat = policyHeat(analysed)
      else if (preferences.moves) heat = moveHeat(analysed, width, height)
    }
    if (analysed && preferences.ownership && state.phase === 'play') {
      // Shudan halves it.
      paint = analysed.ownership.map((row) => row.map((share) => (Math.abs(share) < 10 ? 0 : share / 55)))
    }
    const sign = state.to_play === 'black' ? 1 : -1
    const shown = tapped ?? (canPlay ? hover : null)
    if (shown && state.stones[shown[1]]?.[shown[0]] === 0 && canPlay) ghosts[shown[1]]![shown[0]] = { sign }
  }
  if (state.count) paint = territory(state, state.count)
  const dead = (state.count?.dead ?? []).map((name) => pointOf(name, height)).filter((point) => point !== null)
  for (const name of state.count?.disputed ?? []) {
    const point = pointOf(name, height)
    if (point) markers[point[1]]![point[0]] = { type: 'cross' }
  }

  const choose = (point: Point) => {
    const name = nameOf(point, height)
    const isStone = state.stones[point[1]]?.[point[0]] !== 0
    if (canPlay && preferences.confirm && !isStone && tapped?.join() !== point.join()) return setTapped(point)
    setTapped(null)
    onPoint(name)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const at = cursor ?? ([width >> 1, height >> 1] as Point)
    const steps: Record<string, Point> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    }
    const step = steps[event.key]
    if (step && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const clamp = (n: number, most: number) => Math.min(Math.max(n, 0), most - 1)
      setCursor([clamp(at[0] + step[0], width), clamp(at[1] + step[1], height)])
    } else if ((event.key === 'Enter' || event.key === ' ') && cursor) {
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
      class="board"
      ref={frame}
      tabIndex={0}
      role="application"
      aria-roledescription="Go board"
      aria-label={`Board, ${width} by ${height}. Arrow keys move the cursor, Enter plays. ${
        cursor ? describe(state, cursor) : ''
      }`}
      onKeyDown={onKeyDown}
      onFocus={() => frame.current?.matches(':focus-visible') && setCursor((at) => at ?? [width >> 1, height >> 1])}
      onBlur={() => setCursor(null)}
      onMouseLeave={() => setHover(null)}
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
        onVertexMouseEnter={(_, point) => setHover(point)}
        onVertexMouseLeave={() => setHover(null)}
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

/** Candidate moves: the colour tells the share of visits, the text the mover's winning chances. */
function moveHeat(analysis: Analysis, width: number, height: number): (HeatVertex | null)[][] {
  const heat = Array.from({ length: height }, () => Array<HeatVertex | null>(width).fill(null))
  const most = Math.max(...analysis.moves.map((move) => move.visits), 1)
  for (const move of analysis.moves) {
    const point = pointOf(move.at, height)
    const share = move.visits / most
    if (!point || share < 0.02) continue
    const value = analysis.to_play === 'black' ? move.value : 1 - move.value
    heat[point[1]]![point[0]] = { strength: Math.max(1, Math.round(share * 9)), text: percent(value) }
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
  const what = stone === 1 ? 'black stone' : stone === -1 ? 'white stone' : 'empty'
  return `${nameOf(point, state.height)}, ${what}`
}
