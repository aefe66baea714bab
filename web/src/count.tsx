// The count after both have passed: what each point is worth, and what to do about it.

import { server } from './server'
import type { CountView, State } from './protocol'
import { resultInWords } from './words'
import { t } from './text'

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
    <section class="count panel" aria-label={t('Score')}>
      <h2>{resultInWords(count.outcome)}</h2>
      <table>
        <thead>
          <tr>
            <th />
            <th scope="col">{t('Black')}</th>
            <th scope="col">{t('White')}</th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter(([, points]) => points[0] !== 0 || points[1] !== 0)
            .map(([name, points]) => (
              <tr key={name}>
                <th scope="row">{t(name)}</th>
                <td>{points[0] || ''}</td>
                <td>{points[1] || ''}</td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('Total')}</th>
            <td>{total[0]}</td>
            <td>{total[1]}</td>
          </tr>
        </tfoot>
      </table>
      {state.phase === 'count' &&
        (count.disputed.length > 0 ? (
          <div class="dispute" role="alert">
            <p>
              {t('Your opponent sees it differently at {points}. Play on to settle it: what is dead can be captured.', {
                points: summary(count.disputed),
              })}
            </p>
            <div class="buttons">
              <button class="primary" onClick={() => send({ type: 'resume' })}>
                {t('Play on')}
              </button>
              <button onClick={() => send({ type: 'take-proposal' })}>{t('Your opponent is right')}</button>
              <button class="quiet" onClick={() => send({ type: 'accept', anyway: true })}>
                {t('Count it my way')}
              </button>
            </div>
          </div>
        ) : (
          <div class="buttons">
            <button class="primary" onClick={() => send({ type: 'accept', anyway: false })}>
              {t('Done')}
            </button>
            <button onClick={() => send({ type: 'resume' })}>{t('Play on')}</button>
          </div>
        ))}
    </section>
  )
}

function summary(points: string[]): string {
  const first = points.slice(0, 4).join(', ')
  return points.length > 4 ? t('{points} and {n} more', { points: first, n: points.length - 4 }) : first
}
