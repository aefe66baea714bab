// Winning chances and lead over the game; a click jumps there.

import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { State, TreeNode } from './protocol'
import { server } from './server'

export function Graph({ state, tree }: { state: State; tree: Map<number, TreeNode> }) {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  // The plot's own event handlers live longer than one state.
  const current = useRef(state)
  current.current = state

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
            { ...axis, scale: 'score', side: 1, size: 34, grid: { show: false }, values: (_, ticks) => ticks.map(points) },
          ],
          series: [
            {},
            { scale: 'value', stroke: color('--accent'), width: 2, spanGaps: true, points: { show: true, size: 4, fill: color('--accent') } },
            { scale: 'score', stroke: color('--second'), width: 1.5, dash: [4, 3], spanGaps: true, points: { show: false } },
          ],
          hooks: { draw: [(self) => drawPosition(self, current.current, color('--text'))] },
        },
        data(current.current, tree),
        element,
      )
      plot.current.over.addEventListener('click', (event) => {
        const self = plot.current
        if (!self) return
        const move = Math.round(self.posToVal(event.offsetX, 'x'))
        const node = current.current.line[Math.min(Math.max(move, 0), current.current.line.length - 1)]
        if (node !== undefined) server.send({ type: 'goto', node })
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
    <section class="panel graph" aria-label="Winning chances and lead over the game">
      <div class="plot" ref={frame} />
      {!known && <p class="empty over">Black’s winning chances and lead appear here during the game.</p>}
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
