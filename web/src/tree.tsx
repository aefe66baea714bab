// The record as a tree: the game along the top, variations below.

import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { State, TreeNode } from './protocol'
import { server } from './server'
import { isMistake } from './words'
import { t } from './text'

const STEP = 22
const RADIUS = 7
/** Moves drawn before and after the one shown: a long record has thousands. */
const REACH = 80

interface Placed {
  node: TreeNode
  depth: number
  lane: number
  parent: Placed | null
}

export function Tree({ state, tree, isShown }: { state: State; tree: Map<number, TreeNode>; isShown: boolean }) {
  const placed = useMemo(() => place(tree), [tree])
  const frame = useRef<HTMLDivElement>(null)
  const here = placed.get(state.node)
  useEffect(() => {
    const element = frame.current
    if (!element || !here) return
    element.scrollLeft = here.depth * STEP - element.clientWidth / 2
    if (here.lane * STEP < element.scrollTop || here.lane * STEP + STEP > element.scrollTop + element.clientHeight) {
      element.scrollTop = here.lane * STEP - element.clientHeight / 2
    }
  }, [here])
  if (tree.size < 2) return null
  const near = [...placed.values()].filter((p) => Math.abs(p.depth - (here?.depth ?? 0)) <= REACH)
  const width = (Math.max(...near.map((p) => p.depth)) + 1) * STEP
  const height = (Math.max(...near.map((p) => p.lane)) + 1) * STEP
  const line = new Set(state.line)
  const x = (p: Placed) => p.depth * STEP + STEP / 2
  const y = (p: Placed) => p.lane * STEP + STEP / 2
  return (
    <section class="panel tree" aria-label={t('Variations')}>
      <div
        class="scroll"
        ref={frame}
        tabIndex={0}
        role="tree"
        aria-label={t('Moves. Up and down change to another variation.')}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
          if (!step) return
          event.preventDefault()
          event.stopPropagation()
          changeVariation(tree, server.node ?? state.node, step)
        }}
      >
        <svg width={width} height={height} role="presentation">
          {near.map((p) => p.parent && <path key={p.node.id} d={edge(x(p.parent), y(p.parent), x(p), y(p))} />)}
          {near.map((p) => (
            <g
              key={p.node.id}
              role="treeitem"
              aria-label={labelOf(p)}
              aria-selected={p.node.id === state.node}
              class={[
                'node',
                p.node.color ?? 'root',
                line.has(p.node.id) ? 'line' : '',
                p.node.id === state.node ? 'here' : '',
                p.node.comment ? 'comment' : '',
                isShown && isMistake(p.node.class) ? p.node.class : '',
              ].join(' ')}
              onClick={() => server.goto(p.node.id)}
            >
              <rect x={x(p) - STEP / 2} y={y(p) - STEP / 2} width={STEP} height={STEP} fill="transparent" />
              <circle cx={x(p)} cy={y(p)} r={RADIUS} />
              {isShown && isMistake(p.node.class) && <circle class="dot" cx={x(p) + 5} cy={y(p) - 5} r={3.5} />}
            </g>
          ))}
        </svg>
      </div>
    </section>
  )
}

function labelOf({ node, depth }: Placed): string {
  if (!node.at || !node.color) return t('Move {n}', { n: depth })
  const values = { n: depth, move: node.at === 'pass' ? t('pass') : node.at }
  return node.color === 'black' ? t('Move {n}, black {move}', values) : t('Move {n}, white {move}', values)
}

/** The same move in the variation above or below. */
function changeVariation(tree: Map<number, TreeNode>, id: number, step: number) {
  const node = tree.get(id)
  const siblings = [...tree.values()].filter((other) => other.parent === node?.parent && other.parent !== null)
  siblings.sort((a, b) => Number(b.main) - Number(a.main) || a.id - b.id)
  const next = siblings[siblings.findIndex((other) => other.id === id) + step]
  if (next) server.goto(next.id)
}

/** Along the row, then down into the variation. */
function edge(x1: number, y1: number, x2: number, y2: number): string {
  return y1 === y2 ? `M${x1} ${y1}H${x2}` : `M${x1} ${y1}V${y2 - (x2 - x1)}L${x2} ${y2}`
}

/** Gives each node a column and a row so that no two meet: the first continuation stays in its row, others go below. */
function place(tree: Map<number, TreeNode>): Map<number, Placed> {
  const children = new Map<number, TreeNode[]>()
  let root: TreeNode | null = null
  for (const node of tree.values()) {
    if (node.parent === null) root = node
    else children.set(node.parent, [...(children.get(node.parent) ?? []), node])
  }
  const placed = new Map<number, Placed>()
  if (!root) return placed
  /** The first free lane at each depth. */
  const free: number[] = []
  const todo: { node: TreeNode; parent: Placed | null; depth: number }[] = [{ node: root, parent: null, depth: 0 }]
  while (todo.length > 0) {
    const start = todo.pop()!
    // A variation runs to its end in one lane; it needs one that is free all the way.
    const run: TreeNode[] = [start.node]
    for (let next = first(children, start.node.id); next; next = first(children, next.id)) run.push(next)
    const lane = Math.max(
      start.parent ? start.parent.lane + 1 : 0,
      ...run.map((_, i) => free[start.depth + i] ?? 0),
    )
    let parent = start.parent
    run.forEach((node, i) => {
      const depth = start.depth + i
      const here: Placed = { node, depth, lane, parent }
      placed.set(node.id, here)
      free[depth] = lane + 1
      parent = here
      for (const other of children.get(node.id) ?? []) {
        if (other !== first(children, node.id)) todo.push({ node: other, parent: here, depth: depth + 1 })
      }
    })
    // The row above a variation must stay free for the stroke that leads to it.
    if (start.depth > 0) free[start.depth - 1] = Math.max(free[start.depth - 1] ?? 0, lane)
  }
  return placed
}

function first(children: Map<number, TreeNode[]>, id: number): TreeNode | undefined {
  const all = children.get(id)
  return all?.find((node) => node.main) ?? all?.[0]
}
