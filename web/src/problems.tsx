// Problems: a verdict after every move, and the way to the next one.

import type { State } from './protocol'
import type { View } from './server'
import { server } from './server'
import { t } from './text'
import { problemName } from './words'

export function ProblemPanel({ state, problems }: { state: State; problems: View['problems'] }) {
  const problem = state.problem
  if (!problem) return null
  const { state: stage, to_play } = problem
  const next = problems && nextOpen(problems)
  const solved = problems?.games.filter((game) => game.solved).length ?? 0
  return (
    <section class={`panel problem ${stage}`} aria-label={t('Problem')}>
      <div class="heading">
        <h2>{problemName((problems && problems.games[problems.at]?.name) || t('Problem'))}</h2>
        {problems && problems.games.length > 1 && (
          <button class="quiet" onClick={() => server.listProblems()}>
            {t('{n} of {total} solved', { n: solved, total: problems.games.length })}
          </button>
        )}
      </div>
      <p class="verdict" role="status">
        {stage === 'open' && state.checking && t('Looking at your move…')}
        {stage === 'open' && !state.checking && (to_play === 'black' ? t('Black to play: find the best move.') : t('White to play: find the best move.'))}
        {stage === 'wrong' && t('Wrong. See how it is answered, and try again.')}
        {stage === 'solved' && t('Right!')}
        {stage === 'shown' && t('This is the solution.')}
      </p>
      {state.comment && <p class="comment">{state.comment}</p>}
      <div class="buttons">
        {stage === 'open' ? (
          <button class="quiet" onClick={() => server.send({ type: 'solution' })}>
            {t('Show the solution')}
          </button>
        ) : (
          <button class={stage === 'solved' ? '' : 'primary'} onClick={() => server.send({ type: 'try-again' })}>
            {t('Try again')}
          </button>
        )}
        {problems && next !== null && next !== undefined && (
          <button class={stage === 'solved' ? 'primary' : 'quiet'} onClick={() => server.choose(next, true)}>
            {t('Next problem')}
          </button>
        )}
      </div>
    </section>
  )
}

/** The next problem that is not solved, or just the next. */
function nextOpen({ games, at }: NonNullable<View['problems']>): number | null {
  const order = games.map((_, i) => (at + 1 + i) % games.length).filter((i) => i !== at && games[i]!.solved !== null)
  return order.find((i) => !games[i]!.solved) ?? order[0] ?? null
}
