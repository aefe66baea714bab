// What the engine thinks: winning chances, lead, the best moves with their lines.

import type { Preferences } from './preferences'
import type { Analysis, Move, State } from './protocol'
import { server } from './server'
import { capital, lead, percent } from './words'

interface Props {
  state: State
  /** What is shown on the board, and what each side thought last. */
  shown: Analysis | null
  sides: Analysis[]
  preferences: Preferences
  change: (changes: Partial<Preferences>) => void
  onPreview: (analysis: Analysis | null, line: Move[]) => void
}

export function AnalysisPanel({ state, shown, sides, preferences, change, onPreview }: Props) {
  return (
    <section class="panel analysis" aria-label="Analysis">
      <div class="toggles">
        <Toggle on={state.analysing} set={(on) => server.send({ type: 'analyse', on })} title="Analyse positions (A)">
          Analyse
        </Toggle>
        <Toggle on={preferences.moves} set={(moves) => change({ moves })} title="Best moves on the board (M)">
          Moves
        </Toggle>
        <Toggle on={preferences.ownership} set={(ownership) => change({ ownership })} title="Who will own what (O)">
          Ownership
        </Toggle>
        <Toggle on={preferences.policy} set={(policy) => change({ policy })} title="Likely moves before any search (L)">
          Policy
        </Toggle>
      </div>
      {sides.length > 1 ? (
        sides.map((analysis) => <Thoughts key={analysis.by} analysis={analysis} onPreview={onPreview} most={4} named />)
      ) : shown ? (
        <Thoughts analysis={shown} onPreview={onPreview} most={6} />
      ) : (
        <p class="empty">
          {state.analysing ? 'Thinking…' : 'Switch on Analyse, or watch here while the engine thinks about its move.'}
        </p>
      )}
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

interface ThoughtsProps {
  analysis: Analysis
  most: number
  named?: boolean
  onPreview: Props['onPreview']
}

function Thoughts({ analysis, most, named, onPreview }: ThoughtsProps) {
  const forMover = (value: number) => (analysis.to_play === 'black' ? value : 1 - value)
  const speed = analysis.seconds > 0.05 ? analysis.playouts / analysis.seconds : 0
  return (
    <div class="thoughts">
      {named && (
        <h3>
          <span class={`stone ${analysis.to_play}`} aria-hidden="true" /> {capital(analysis.to_play)}: {analysis.player}
        </h3>
      )}
      <div class="chances" role="img" aria-label={`Black's winning chances ${percent(analysis.value)}`}>
        <div style={{ width: percent(analysis.value) }}>{analysis.value >= 0.2 && percent(analysis.value)}</div>
        <span>{analysis.value <= 0.8 && percent(1 - analysis.value)}</span>
      </div>
      <p class="facts">
        <b>{lead(analysis.score)}</b>
        <span>{analysis.visits.toLocaleString('en')} visits</span>
        {speed > 0 && <span>{Math.round(speed).toLocaleString('en')} / s</span>}
      </p>
      <table class="moves" onMouseLeave={() => onPreview(null, [])}>
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col">Wins</th>
            <th scope="col">Lead</th>
            <th scope="col">Visits</th>
          </tr>
        </thead>
        <tbody>
          {analysis.moves.slice(0, most).map((move) => (
            <tr
              key={move.at}
              tabIndex={0}
              title={move.line.join(' ')}
              onMouseEnter={() => onPreview(analysis, move.line)}
              onFocus={() => onPreview(analysis, move.line)}
              onBlur={() => onPreview(null, [])}
            >
              <th scope="row">{move.at}</th>
              <td>{percent(forMover(move.value))}</td>
              <td>{lead(move.score).replace('Black', 'B').replace('White', 'W')}</td>
              <td>{move.visits.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
