// Opening a record from a file, and the library: stored games are found, opened, renamed, deleted and exported.

import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog'
import type { Games, Search, StoredGame } from './protocol'
import { server } from './server'

/** Games on a page of the list, as the server sends them. */
const PAGE = 20

interface Props {
  games: Games | null
  /** The game at which the page sits. */
  current: string
  onClose: () => void
}

export function OpenGame({ games, current, onClose }: Props) {
  const [search, setSearch] = useState<Search>({})
  const [from, setFrom] = useState(0)
  const list = () => server.send({ type: 'list', search, from })
  useEffect(list, [search, from])
  const change = (changes: Search) => {
    setSearch((before) => ({ ...before, ...changes }))
    setFrom(0)
  }
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
      <h3>Stored games</h3>
      <Filters change={change} />
      {games?.games.length ? (
        <ul class="games">
          {games.games.map((game) => (
            <Row key={game.id} game={game} isOpen={game.id === current} list={list} onClose={onClose} />
          ))}
        </ul>
      ) : (
        <p class="empty">{emptyText(games, search)}</p>
      )}
      {games && games.total > 0 && (
        <footer class="pager">
          <button disabled={games.from === 0} onClick={() => setFrom(Math.max(0, from - PAGE))}>
            Later
          </button>
          <span>
            {games.from + 1}–{games.from + games.games.length} of {games.total}
          </span>
          <button disabled={games.from + PAGE >= games.total} onClick={() => setFrom(from + PAGE)}>
            Earlier
          </button>
          <button onClick={() => void server.export(search)}>Export all {games.total}</button>
        </footer>
      )}
    </Dialog>
  )
}

function emptyText(games: Games | null, search: Search): string {
  if (!games) return 'Looking…'
  const isFiltered = Object.values(search).some((value) => value !== undefined && value !== '')
  return isFiltered ? 'No stored game is like that.' : 'Games appear here once a move is played.'
}

function Filters({ change }: { change: (changes: Search) => void }) {
  /** Midnight at the beginning of a day, or of the one after it. */
  const day = (text: string, later = 0) => {
    const date = new Date(`${text}T00:00`)
    date.setDate(date.getDate() + later)
    return text ? Math.floor(date.getTime() / 1000) : undefined
  }
  return (
    <div class="filters" role="search">
      <input
        type="search"
        placeholder="Player or name"
        aria-label="Player or name"
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      <select aria-label="Board" onChange={(event) => change({ size: Number(event.currentTarget.value) || undefined })}>
        <option value="">any board</option>
        {[9, 13, 19].map((size) => (
          <option value={size}>
            {size}×{size}
          </option>
        ))}
      </select>
      <select
        aria-label="Result"
        onChange={(event) => change({ result: (event.currentTarget.value || undefined) as Search['result'] })}
      >
        <option value="">any result</option>
        <option value="black">Black won</option>
        <option value="white">White won</option>
        <option value="draw">draw</option>
        <option value="none">no result</option>
      </select>
      <label>
        from <input type="date" onChange={(event) => change({ since: day(event.currentTarget.value) })} />
      </label>
      <label>
        to <input type="date" onChange={(event) => change({ until: day(event.currentTarget.value, 1) })} />
      </label>
    </div>
  )
}

function Row(props: { game: StoredGame; isOpen: boolean; list: () => void; onClose: () => void }) {
  const { game, isOpen, list, onClose } = props
  const [doing, setDoing] = useState<'naming' | 'deleting' | null>(null)
  const players = `${game.names[0]} – ${game.names[1]}`
  const title = game.name || players
  if (doing === 'naming') {
    const rename = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
      event.preventDefault()
      server.send({ type: 'rename', game: game.id, name: String(new FormData(event.currentTarget).get('name')) })
      setDoing(null)
      list()
    }
    return (
      <li>
        <form class="naming" onSubmit={rename}>
          <input name="name" aria-label="Name of the game" defaultValue={game.name} maxLength={100} autofocus />
          <button class="primary">Rename</button>
          <button type="button" onClick={() => setDoing(null)}>
            Cancel
          </button>
        </form>
      </li>
    )
  }
  if (doing === 'deleting') {
    const remove = () => {
      server.send({ type: 'delete', game: game.id })
      list()
    }
    return (
      <li class="naming">
        <span>Delete “{title}” for good?</span>
        <button class="danger" onClick={remove}>
          Delete
        </button>
        <button onClick={() => setDoing(null)}>Keep</button>
      </li>
    )
  }
  const open = () => {
    server.send({ type: 'join', game: game.id })
    onClose()
  }
  return (
    <li class="stored">
      <button class="link" onClick={open}>
        <b>{title}</b>
        <span>
          {game.name ? `${players}, ` : ''}
          {game.size.join('×')}, {game.moves} move{game.moves === 1 ? '' : 's'}
          {game.result ? `, ${game.result}` : ''}
        </span>
        <time>{new Date(game.time * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}</time>
      </button>
      <button class="icon" title="Rename" aria-label={`Rename ${title}`} onClick={() => setDoing('naming')}>
        ✎
      </button>
      <button
        class="icon"
        title={isOpen ? 'This game is open' : 'Delete'}
        aria-label={`Delete ${title}`}
        disabled={isOpen}
        onClick={() => setDoing('deleting')}
      >
        ✕
      </button>
    </li>
  )
}
