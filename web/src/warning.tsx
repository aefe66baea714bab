// The teaching seat: a move that would lose many points waits until the player has seen why.

import type { Judgement } from './protocol'
import { server } from './server'
import { points } from './words'
import { t } from './text'

export function WarningPanel({ warning }: { warning: Judgement }) {
  const playAnyway = () => {
    server.closeWarning()
    server.send({ type: 'play', at: warning.at, anyway: true })
  }
  return (
    <section class="panel warning" role="alert" aria-label={t('Warning')}>
      <p>
        {t('{move} would lose {points}.', { move: warning.at, points: points(warning.lost) })}{' '}
        {warning.line[0] && warning.line[0] !== 'pass' && t('The board shows the answer at {move}.', { move: warning.line[0] })}
      </p>
      <div class="buttons">
        <button class="primary" onClick={() => server.closeWarning()}>
          {t('Take back')}
        </button>
        <button onClick={playAnyway}>{t('Play anyway')}</button>
      </div>
    </section>
  )
}
