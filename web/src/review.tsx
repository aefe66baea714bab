// Analysing a whole game in the background, its biggest mistakes, and finding the better move oneself.

import { useState } from 'preact/hooks'
import type { Class, Color, Figures, Judgement, Move, PlayerFigures, Report, Review, State, TreeNode } from './protocol'
import { server } from './server'
import { boundsOf, CLASSES, className, colorName, isMistake, loss, percent, points } from './words'
import { t } from './text'

/** A move that lost points, and the position before it. */
export interface Mistake {
  node: number
  before: number
  number: number
  color: Color
  at: Move
  lost: number
  kind: Class
  better: Move[]
}

/** A mistake that is looked at. */
export interface Opened {
  mistake: Mistake
  /** The player looks for the better move. */
  isTrying: boolean
}

/** Mistakes that are listed at first. */
const MOST = 10
/** Points that a move may lose and still be as good as the best. */
const AS_GOOD = 0.5

/** The mistakes of the line, in the order of the game. */
export function mistakesOf(state: State, tree: Map<number, TreeNode>): Mistake[] {
  return state.line.flatMap((id, number) => {
    const node = tree.get(id)
    const before = state.line[number - 1]
    if (!node?.color || !node.at || node.lost === null || !isMistake(node.class) || before === undefined) return []
    const better = tree.get(before)?.expected ?? []
    return [{ node: id, before, number, color: node.color, at: node.at, lost: node.lost, kind: node.class!, better }]
  })
}

/** The mistake before or after the position shown, or the one made there if it is not open yet. */
export function nextMistake(
  state: State,
  tree: Map<number, TreeNode>,
  step: 1 | -1,
  opened: Opened | null,
): Mistake | undefined {
  const here = state.line.indexOf(server.node ?? state.node)
  const all = mistakesOf(state, tree)
  const isThere = (mistake: Mistake) =>
    (mistake.number - 1 - here) * step > 0 || (mistake.number - 1 === here && mistake.node !== opened?.mistake.node)
  return step > 0 ? all.find(isThere) : all.findLast(isThere)
}

interface Props {
  state: State
  tree: Map<number, TreeNode>
  review: Review | null
  /** What the last move that was tried costs. */
  judgement: Judgement | null
  opened: Opened | null
  open: (opened: Opened | null) => void
  /** The move with which the player tried again. */
  tried: Move | null
}

export function ReviewPanel({ state, tree, review, judgement, opened, open, tried }: Props) {
  const send = server.send.bind(server)
  const [isWhole, setWhole] = useState(false)
  if (state.line.length < 2 || !state.study) return null
  const mistakes = mistakesOf(state, tree)
  const worst = [...mistakes].sort((a, b) => b.lost - a.lost).slice(0, isWhole ? undefined : MOST)
  const isKnown = state.line.some((id) => tree.get(id)?.lost != null)
  return (
    <section class="panel review" aria-label={t('Review')}>
      <div class="heading">
        <h2>{t('Review')}</h2>
        {review?.running ? (
          <button class="quiet" onClick={() => send({ type: 'stop-review' })}>
            {t('Stop')}
          </button>
        ) : (
          <span class="buttons">
            {DEPTHS.map(([label, playouts]) => (
              <button key={label} onClick={() => send({ type: 'review', playouts })} title={t('{n} playouts a move', { n: playouts })}>
                {t(label)}
              </button>
            ))}
          </span>
        )}
      </div>
      {review?.running && (
        <progress max={review.total} value={review.done} aria-label={t('Progress of the review')}>
          {t('{range} of {total}', { range: review.done, total: review.total })}
        </progress>
      )}
      {opened && <OpenedMistake opened={opened} open={open} judgement={judgement} tried={tried} />}
      {review?.report && !review.running && <Moments report={review.report} mistakes={mistakes} open={open} />}
      {worst.length > 0 && (
        <ol class="mistakes">
          {worst.map((mistake) => (
            <li key={mistake.node}>
              <button
                class="link"
                aria-current={opened?.mistake.node === mistake.node ? 'true' : undefined}
                onClick={() => open({ mistake, isTrying: false })}
              >
                <span class={`stone ${mistake.color}`} aria-label={colorName(mistake.color)} />
                <b>
                  {mistake.number}. {mistake.at}
                </b>
                <span class={`class ${mistake.kind}`}>{className(mistake.kind)}</span>
                <span class="loss">{loss(mistake.lost)}</span>
                {mistake.better[0] && <span class="better">{t('better {move}', { move: mistake.better[0] })}</span>}
              </button>
            </li>
          ))}
        </ol>
      )}
      {mistakes.length > MOST && (
        <button class="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t('Only the {n} worst', { n: MOST }) : t('All {n} mistakes', { n: mistakes.length })}
        </button>
      )}
      {review?.report && !review.running && <Summary report={review.report} />}
      {isKnown && !review?.running && mistakes.length === 0 && <p class="empty">{t('No move lost 1.5 points or more.')}</p>}
      {!isKnown && !review?.running && (
        <p class="empty">{t('Looks at every move of the game and lists the ones that cost most.')}</p>
      )}
    </section>
  )
}

interface OpenedProps {
  opened: Opened
  open: (opened: Opened | null) => void
  judgement: Judgement | null
  tried: Move | null
}

function OpenedMistake({ opened, open, judgement, tried }: OpenedProps) {
  const { mistake, isTrying } = opened
  return (
    <div class="opened" role="status">
      <p>
        <b class={`class ${mistake.kind}`}>{className(mistake.kind)}</b> {inWords(mistake, isTrying)}
      </p>
      {isTrying && <p>{tried ? verdict(tried, mistake, judgement) : t('Play the better move on the board.')}</p>}
      <div class="buttons">
        {isTrying ? (
          <button onClick={() => open({ mistake, isTrying: false })}>{t('Show it')}</button>
        ) : (
          <button class="primary" onClick={() => open({ mistake, isTrying: true })}>
            {t('Try again')}
          </button>
        )}
        {!isTrying && mistake.better.length > 0 && (
          <KeepLine key={mistake.node} line={mistake.better} />
        )}
        <button class="quiet" onClick={() => open(null)}>
          {t('Close')}
        </button>
      </div>
    </div>
  )
}

/** What a move lost, and, unless the player looks for it, what was better. */
function inWords(mistake: Mistake, isTrying = false): string {
  const told = { who: colorName(mistake.color), number: mistake.number, move: mistake.at, points: points(mistake.lost) }
  const better = mistake.better[0]
  return isTrying || !better
    ? t('{who} {number} {move} lost {points}.', told)
    : t('{who} {number} {move} lost {points}: {better} was better.', { ...told, better })
}

/** Turns the better line into a variation of the record. */
function KeepLine({ line }: { line: Move[] }) {
  const [isKept, setKept] = useState(false)
  const keep = () => {
    server.send({ type: 'add-line', moves: line })
    setKept(true)
  }
  return (
    <button disabled={isKept} onClick={keep}>
      {isKept ? t('Kept as a variation') : t('Keep the line')}
    </button>
  )
}

function verdict(tried: Move, mistake: Mistake, judgement: Judgement | null): string {
  if (tried === mistake.better[0]) return t('Yes: {move} is the better move.', { move: tried })
  if (tried === mistake.at) return t('{move} is what was played. Try another one.', { move: tried })
  if (judgement?.at !== tried || judgement.node !== mistake.before) return t('Looking at {move}…', { move: tried })
  return judgement.lost < AS_GOOD
    ? t('Yes: {move} is as good as the best move.', { move: tried })
    : t('{move} loses {points}. Try another one.', { move: tried, points: points(judgement.lost) })
}

/** The moments that mattered most, each in a sentence. */
function Moments({ report, mistakes, open }: { report: Report; mistakes: Mistake[]; open: (opened: Opened) => void }) {
  const moments = report.moments.flatMap(({ number }) => mistakes.filter((mistake) => mistake.number === number))
  if (moments.length === 0) return null
  return (
    <div class="moments">
      <h3>{t('What mattered most')}</h3>
      <ul>
        {moments.map((mistake) => (
          <li key={mistake.node}>
            <button class="link" onClick={() => open({ mistake, isTrying: false })}>
              {inWords(mistake)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Both players' figures, as `tengen review` has them. */
function Summary({ report }: { report: Report }) {
  const sides = [report.players.black, report.players.white]
  const accuracy = (figures: Figures) => figures.accuracy?.toFixed(1) ?? '–'
  const lost = (figures: Figures) => figures.mean_loss?.toFixed(1) ?? '–'
  const first = (figures: Figures) => (figures.first_choices === null ? '–' : percent(figures.first_choices))
  const inPhase = (figures: Figures) => (figures.moves ? `${accuracy(figures)}, ${lost(figures)}, ${first(figures)}` : '–')
  const rank = ({ rank, rank_ci95 }: PlayerFigures) => (rank && rank_ci95 ? `${rank} (${rank_ci95.join(' – ')})` : '–')
  const row = (label: string, value: (side: PlayerFigures) => string | number, note = '') => (
    <tr key={label}>
      <th scope="row">
        {label} {note && <small>{note}</small>}
      </th>
      {sides.map((side) => (
        <td>{value(side)}</td>
      ))}
    </tr>
  )
  return (
    <>
      <table class="summary">
        <thead>
          <tr>
            <th />
            <th scope="col">{t('Black')}</th>
            <th scope="col">{t('White')}</th>
          </tr>
        </thead>
        <tbody>
          {row(t('Accuracy'), accuracy)}
          {row(t('Points lost a move'), lost)}
          {row(t('First choices'), first)}
          {sides.some((side) => side.rank) && row(t('Estimated rank'), rank, t('95% interval'))}
          {PHASES.map(([phase, label]) =>
            row(t(label), (side) => inPhase(side.phases[phase]), t('accuracy, points lost, first choices')),
          )}
          {CLASSES.map((kind) => (
            <tr key={kind}>
              <th scope="row">
                <span class={`class ${kind}`}>{className(kind)}</span> <small>{boundsOf(kind)}</small>
              </th>
              {sides.map((side) => (
                <td>{side.classes[kind] || ''}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="formula">{t(FORMULA)}</p>
    </>
  )
}

/** How thorough reviews are: playouts in the first pass, and eight times as many where points were lost. */
const DEPTHS: [string, number][] = [
  ['Quick', 50],
  ['Thorough', 400],
]

const PHASES: ['opening' | 'middle_game' | 'endgame', string][] = [
  ['opening', 'Opening'],
  ['middle_game', 'Middle game'],
  ['endgame', 'Endgame'],
]

const FORMULA =
  'Accuracy is 100 · 0.75^(mean of the points lost); moves count more where much could be lost, from 0.05 to 1 (KaTrain’s formula).'
