// Analysing a whole game in the background, and its biggest mistakes.

import type { Color, Move, Review, State } from './protocol'
import { server } from './server'
import { percent, signed } from './words'

interface Props {
  state: State
  review: Review | null
  onPreview: (line: Move[], first: Color) => void
}

export function ReviewPanel({ state, review, onPreview }: Props) {
  const send = server.send.bind(server)
  if (state.line.length < 2) return null
  return (
    <section class="panel review" aria-label="Review">
      <div class="heading">
        <h2>Review</h2>
        {review?.running ? (
          <button class="quiet" onClick={() => send({ type: 'stop-review' })}>
            Stop
          </button>
        ) : (
          <span class="buttons">
            <button onClick={() => send({ type: 'review', playouts: 500 })} title="500 playouts a move">
              Quick
            </button>
            <button onClick={() => send({ type: 'review', playouts: 5000 })} title="5,000 playouts a move">
              Thorough
            </button>
          </span>
        )}
      </div>
      {review?.running && (
        <progress max={review.total} value={review.done} aria-label="Progress of the review">
          {review.done} of {review.total}
        </progress>
      )}
      {review && review.mistakes.length > 0 && (
        <ol class="mistakes" onMouseLeave={() => onPreview([], 'black')}>
          {review.mistakes.map((mistake) => (
            <li key={mistake.node}>
              <button
                class="link"
                onClick={() => goBefore(state, mistake.node)}
                onMouseEnter={() => onPreview(mistake.better, mistake.color)}
                onFocus={() => onPreview(mistake.better, mistake.color)}
                onBlur={() => onPreview([], 'black')}
              >
                <span class={`stone ${mistake.color}`} aria-label={mistake.color} />
                <b>
                  {mistake.number}. {mistake.at}
                </b>
                <span class="loss">−{percent(mistake.loss)}</span>
                <span class="quiet">{signed(-mistake.points)} points</span>
                {mistake.better[0] && <span class="better">better {mistake.better[0]}</span>}
              </button>
            </li>
          ))}
        </ol>
      )}
      {review && !review.running && review.done >= review.total && review.mistakes.length === 0 && (
        <p class="empty">No move lost much.</p>
      )}
      {!review && <p class="empty">Looks at every move of the game and lists the ones that cost most.</p>}
    </section>
  )
}

/** Shows the position in which the better move was there. */
function goBefore(state: State, node: number) {
  const before = state.line[state.line.indexOf(node) - 1]
  if (before !== undefined) server.send({ type: 'goto', node: before })
}
