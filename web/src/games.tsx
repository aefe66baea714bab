// Opening a record from a file, or a game that is stored.

import { useEffect } from 'preact/hooks'
import { Dialog } from './dialog'
import type { StoredGame } from './protocol'
import { server } from './server'

export function OpenGame({ games, onClose }: { games: StoredGame[] | null; onClose: () => void }) {
  useEffect(() => server.send({ type: 'list' }), [])
  return (
    <Dialog title="Open" onClose={onClose}>
      <label class="file">
        <input
          type="file"
          accept=".sgf,.SGF,application/x-go-sgf,text/plain"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0]
            if (file) void server.open(file)
            onClose()
          }}
        />
        <span class="button primary">Choose an SGF file…</span>
        <small>or drop one anywhere on the page</small>
      </label>
      <h3>Recent games</h3>
      {games?.length ? (
        <ul class="games">
          {games.map((game) => (
            <li key={game.id}>
              <button
                class="link"
                onClick={() => {
                  server.send({ type: 'join', game: game.id })
                  onClose()
                }}
              >
                <b>
                  {game.names[0]} – {game.names[1]}
                </b>
                <span>
                  {game.size.join('×')}, {game.moves} move{game.moves === 1 ? '' : 's'}
                  {game.result ? `, ${game.result}` : ''}
                </span>
                <time>{new Date(game.time * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}</time>
              </button>
            </li>
          ))}
        </ul>
      ) : (
        <p class="empty">{games ? 'Games appear here once a move is played.' : 'Looking…'}</p>
      )}
    </Dialog>
  )
}
