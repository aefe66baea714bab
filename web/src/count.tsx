// The count after both have passed: what each point is worth, and what to do about it.

import { server } from './server'
import type { CountView, State } from './protocol'
import { resultInWords } from './words'

export function Count({ state, count }: { state: State; count: CountView }) {
  const send = server.send.bind(server)
  const rows: [string, [number, number]][] = [
    ['Stones', count.stones],
    ['Territory', count.territory],
    ['Prisoners', count.prisoners],
    ['Handicap', [0, count.bonus]],
    ['Komi', count.komi < 0 ? [-count.komi, 0] : [0, count.komi]],
  ]
  const total = [0, 1].map((i) => rows.reduce((sum, [, points]) => sum + points[i]!, 0))
  return (
    <section class="count panel" aria-label="Score">
      <h2>{resultInWords(count.outcome)}</h2>
      <table>
        <thead>
          <tr>
            <th />
            <th scope="col">Black</th>
            <th scope="col">White</th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter(([, points]) => points[0] !== 0 || points[1] !== 0)
            .map(([name, points]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{points[0] || ''}</td>
                <td>{points[1] || ''}</td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <td>{total[0]}</td>
            <td>{total[1]}</td>
          </tr>
        </tfoot>
      </table>
      {state.phase === 'count' &&
        (count.disputed.length > 0 ? (
          <div class="dispute" role="alert">
            <p>
              Your opponent sees it differently at <b>{summary(count.disputed)}</b>. Play on to settle it: what is dead
              can be captured.
            </p>
            <div class="buttons">
              <button class="primary" onClick={() => send({ type: 'resume' })}>
                Play on
              </button>
              <button onClick={() => send({ type: 'take-proposal' })}>Your opponent is right</button>
              <button class="quiet" onClick={() => send({ type: 'accept', anyway: true })}>
                Count it my way
              </button>
            </div>
          </div>
        ) : (
          <div class="buttons">
            <button class="primary" onClick={() => send({ type: 'accept', anyway: false })}>
              Done
            </button>
            <button onClick={() => send({ type: 'resume' })}>Play on</button>
          </div>
        ))}
    </section>
  )
}

function summary(points: string[]): string {
  return points.length > 4 ? `${points.slice(0, 4).join(', ')} and ${points.length - 4} more` : points.join(', ')
}
