// Winning chances and lead over the game; a click jumps there.

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { State, TreeNode } from './protocol'
import { server } from './server'
import { isMistake } from './words'
import { t } from './text'

export function Graph({ state, tree }: { state: State; tree: Map<number, TreeNode> }) {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  // The plot's own event handlers live longer than one state.
  const current = useRef({ state, tree })
  current.current = { state, tree }

  useEffect(() => {
    const element = frame.current
    if (!element) return
    const color = (name: string) => getComputedStyle(element).getPropertyValue(name).trim()
    const make = () => {
      plot.current?.destroy()
      const axis = { stroke: color('--quiet'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } }
      plot.current = new uPlot(
        {
          width: element.clientWidth,
          height: element.clientHeight,
          legend: { show: false },
          cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
          padding: [8, 0, 0, 0],
          scales: {
            x: { time: false },
            value: { range: [0, 100] },
            score: { range: (_, low, high) => symmetric(low, high) },
          },
          axes: [
            { ...axis, size: 22, grid: { show: false }, incrs: [1, 2, 5, 10, 20, 50, 100, 200] },
            { ...axis, scale: 'value', size: 38, values: (_, ticks) => ticks.map((t) => `${t}%`), splits: [0, 50, 100] },
            {
              ...axis,
              scale: 'score',
              side: 1,
              size: 34,
              grid: { show: false },
              values: (_, ticks) => ticks.map(points),
              splits: (_self, _axis, low, high) => ticks(low, high),
            },
          ],
          series: [
            {},
            { scale: 'value', stroke: color('--accent'), width: 2, spanGaps: true, points: { show: true, size: 4, fill: color('--accent') } },
            { scale: 'score', stroke: color('--second'), width: 1.5, dash: [4, 3], spanGaps: true, points: { show: false } },
          ],
          hooks: {
            draw: [
              (self) => drawMistakes(self, current.current.state, current.current.tree, color),
              (self) => drawPosition(self, current.current.state, color('--text')),
            ],
          },
        },
        data(current.current.state, current.current.tree),
        element,
      )
      plot.current.over.addEventListener('click', (event) => {
        const self = plot.current
        if (!self) return
        const move = Math.round(self.posToVal(event.offsetX, 'x'))
        const { line } = current.current.state
        const node = line[Math.min(Math.max(move, 0), line.length - 1)]
        if (node !== undefined) server.goto(node)
      })
    }
    make()
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const themes = new MutationObserver(make)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    dark.addEventListener('change', make)
    return () => {
      observer.disconnect()
      themes.disconnect()
      dark.removeEventListener('change', make)
      plot.current?.destroy()
      plot.current = null
    }
  }, [])

  useEffect(() => plot.current?.setData(data(state, tree)), [state, tree])

  const known = state.line.some((id) => tree.get(id)?.value != null)
  return (
    <section class="panel graph" aria-label={t('Winning chances and lead over the game')}>
      <div
        class="plot"
        ref={frame}
        tabIndex={0}
        role="slider"
        aria-label={t('Move, chosen with the arrow keys')}
        aria-valuemin={0}
        aria-valuemax={state.line.length - 1}
        aria-valuenow={Math.max(0, state.line.indexOf(state.node))}
      />
      {!known && <p class="empty over">{t('Black’s winning chances and lead appear here once they are known.')}</p>}
    </section>
  )
}

function data(state: State, tree: Map<number, TreeNode>): uPlot.AlignedData {
  const nodes = state.line.map((id) => tree.get(id))
  const xs = nodes.map((_, i) => i)
  const values = nodes.map((node) => (node?.value != null ? node.value * 100 : null))
  const scores = nodes.map((node) => node?.score ?? null)
  // A single point has no width.
  if (xs.length < 2) return [[0, 1], [values[0] ?? null, null], [scores[0] ?? null, null]]
  return [xs, values, scores]
}

function symmetric(low: number | null, high: number | null): [number, number] {
  const most = Math.max(Math.abs(low ?? 0), Math.abs(high ?? 0), 5)
  return [-most * 1.1, most * 1.1]
}

/** Round numbers of points, on both sides of nothing. */
function ticks(low: number, high: number): number[] {
  const most = Math.min(-low, high)
  const step = [100, 50, 20, 10, 5, 2, 1].find((size) => size <= most) ?? 1
  return [-step, 0, step]
}

/** Dots for the moves that lost points. */
function drawMistakes(self: uPlot, state: State, tree: Map<number, TreeNode>, color: (name: string) => string) {
  const { ctx } = self
  ctx.save()
  state.line.forEach((id, i) => {
    const node = tree.get(id)
    if (!node || node.value === null || !isMistake(node.class)) return
    ctx.fillStyle = color(`--${node.class}`)
    ctx.beginPath()
    ctx.arc(self.valToPos(i, 'x', true), self.valToPos(node.value * 100, 'value', true), 4 * devicePixelRatio, 0, 2 * Math.PI)
    ctx.fill()
  })
  ctx.restore()
}

function points(tick: number): string {
  return tick === 0 ? '0' : `${tick > 0 ? 'B' : 'W'}${Math.abs(Math.round(tick))}`
}

function drawPosition(self: uPlot, state: State, color: string) {
  const x = self.valToPos(Math.max(0, state.line.indexOf(state.node)), 'x', true)
  const { ctx, bbox } = self
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = devicePixelRatio
  ctx.beginPath()
  ctx.moveTo(x, bbox.top)
  ctx.lineTo(x, bbox.top + bbox.height)
  ctx.stroke()
  ctx.restore()
}
