// What the engine thinks: winning chances, lead, the best moves with their lines.

import type { Preferences } from './preferences'
import type { Analysis, Color, Move, State, TreeNode } from './protocol'
import { server } from './server'
import { boundsOf, CLASSES, className, colorName, isMistake, isRevealed, lead, loss, percent, shortLead } from './words'
import { t } from './text'

interface Props {
  state: State
  /** What is known about the position on the board: from a search, or as it stands in the record. */
  shown: Analysis | null
  stored: TreeNode | undefined
  /** What each side thought before its last move, and the number of that move. */
  sides: { analysis: Analysis; number: number }[]
  preferences: Preferences
  change: (changes: Partial<Preferences>) => void
  onPreview: (analysis: Analysis | null, line: Move[]) => void
}

export function AnalysisPanel({ state, shown, stored, sides, preferences, change, onPreview }: Props) {
  const isShown = isRevealed(state)
  return (
    <section class="panel analysis" aria-label={t('Analysis')}>
      <div class="toggles">
        <Toggle on={state.analysing} set={(on) => server.send({ type: 'analyse', on })} title={t('Analyse positions (A)')}>
          {t('Analyse')}
        </Toggle>
        {isShown && (
          <>
            <Toggle on={preferences.moves} set={(moves) => change({ moves })} title={t('Best moves on the board (M)')}>
              {t('Moves')}
            </Toggle>
            <Toggle on={preferences.ownership} set={(ownership) => change({ ownership })} title={t('Who will own what (O)')}>
              {t('Ownership')}
            </Toggle>
            <Toggle on={preferences.policy} set={(policy) => change({ policy })} title={t('Likely moves before any search (L)')}>
              {t('Policy')}
            </Toggle>
          </>
        )}
      </div>
      {!isShown ? (
        <p class="empty">{t('Winning chances and best moves appear after the game, or now if you switch on Analyse.')}</p>
      ) : sides.length > 1 ? (
        sides.map(({ analysis, number }) => (
          <Thoughts key={analysis.by} state={state} analysis={analysis} number={number} onPreview={onPreview} most={4} />
        ))
      ) : shown ? (
        <Thoughts state={state} analysis={shown} onPreview={onPreview} most={6} />
      ) : stored?.value != null && stored.score != null ? (
        <Stored state={state} value={stored.value} score={stored.score} expected={stored.expected} />
      ) : (
        <p class="empty">
          {state.analysing && state.phase === 'play'
            ? t('Thinking…')
            : t('Nothing is known about this position yet: switch on Analyse, or have the game reviewed.')}
        </p>
      )}
      {isShown && (shown || sides.length > 0 || stored?.value != null) && <Legend />}
    </section>
  )
}

function Toggle(props: { on: boolean; set: (on: boolean) => void; title: string; children: string }) {
  return (
    <button class="toggle" aria-pressed={props.on} title={props.title} onClick={() => props.set(!props.on)}>
      {props.children}
    </button>
  )
}

function Legend() {
  return (
    <details class="legend">
      <summary>{t('What the numbers mean')}</summary>
      <p>
        {t('On the board: the winning chances of whoever is to move, and the points that the move loses beside the best one. The stronger the colour, the more it was looked at. In the graph: Black’s winning chances (solid), the lead (dashed), and dots for moves that lost 1.5 points or more.')}
      </p>
      <p>{t('The colours of dots and rings, by the points that a move lost:')}</p>
      <ul>
        {CLASSES.filter(isMistake).map((kind) => (
          <li key={kind}>
            <span class={`class ${kind}`}>● {className(kind)}</span> {boundsOf(kind)}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Whose winning chances they are is written in the bar. */
function Chances({ value }: { value: number }) {
  return (
    <div class="chances" role="img" aria-label={t('Winning chances: Black {black}, White {white}', { black: percent(value), white: percent(1 - value) })}>
      <div style={{ width: percent(value) }}>{value >= 0.3 && `${t('Black')} ${percent(value)}`}</div>
      <span>{value <= 0.7 && `${t('White')} ${percent(1 - value)}`}</span>
    </div>
  )
}

/** An evaluation that stands in the record. */
function Stored(props: { state: State; value: number; score: number; expected: Move[] }) {
  return (
    <div class="thoughts">
      <Chances value={props.value} />
      <p class="facts">
        <b>{lead(props.score)}</b>
        <span>{t('from the record')}</span>
        {props.expected.length > 0 && <span>{t('expected {moves}', { moves: props.expected.slice(0, 5).join(' ') })}</span>}
      </p>
    </div>
  )
}

interface ThoughtsProps {
  state: State
  analysis: Analysis
  most: number
  /** The number of the move it was about, if that is not the position shown. */
  number?: number
  onPreview: Props['onPreview']
}

function Thoughts({ state, analysis, most, number, onPreview }: ThoughtsProps) {
  const forMover = (value: number) => forColor(value, analysis.to_play)
  const speed = analysis.seconds > 0.05 ? analysis.playouts / analysis.seconds : 0
  const isHere = analysis.node === state.node
  return (
    <div class="thoughts">
      {number !== undefined && (
        <h3>
          <span class={`stone ${analysis.to_play}`} aria-hidden="true" /> {colorName(analysis.to_play)}: {analysis.player}
          <small>{t('before move {number}', { number })}</small>
        </h3>
      )}
      <Chances value={analysis.value} />
      <p class="facts">
        <b>{lead(analysis.score)}</b>
        <span>{t('{n} visits', { n: analysis.visits.toLocaleString('en') })}</span>
        {speed > 0 && <span>{Math.round(speed).toLocaleString('en')} / s</span>}
      </p>
      <table class="moves" onMouseLeave={() => onPreview(null, [])}>
        <thead>
          <tr>
            <th scope="col">{t('Move')}</th>
            <th scope="col" title={t('Winning chances of the player to move')}>
              {t('{who} wins', { who: colorName(analysis.to_play) })}
            </th>
            <th scope="col" title={t('Points lost beside the best move')}>
              {t('Loses')}
            </th>
            <th scope="col">{t('Lead')}</th>
            <th scope="col">{t('Visits')}</th>
          </tr>
        </thead>
        <tbody>
          {analysis.moves.slice(0, most).map((move) => (
            <tr
              key={move.at}
              tabIndex={0}
              title={state.study && isHere ? `${move.line.join(' ')} – ${t('click to keep it as a variation')}` : move.line.join(' ')}
              onClick={() => state.study && isHere && server.send({ type: 'add-line', moves: move.line })}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && state.study && isHere) server.send({ type: 'add-line', moves: move.line })
              }}
              onMouseEnter={() => onPreview(analysis, move.line)}
              onFocus={() => onPreview(analysis, move.line)}
              onBlur={() => onPreview(null, [])}
            >
              <th scope="row">{move.at}</th>
              <td>{percent(forMover(move.value))}</td>
              <td>{loss(move.lost)}</td>
              <td>{shortLead(move.score)}</td>
              <td>{move.visits.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const forColor = (value: number, color: Color) => (color === 'black' ? value : 1 - value)
