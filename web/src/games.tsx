// Opening a record from a file, and the library: stored games are found, opened, renamed, deleted and exported.

import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog'
import type { Games, ProblemSet, Search, StoredGame } from './protocol'
import { server } from './server'
import { movesInWords, playersOf, problemName } from './words'
import { t } from './text'

/** The games or problems of a file that has several. */
export function Collection({ games }: { games: StoredGame[] }) {
  const problems = games.filter((game) => game.solved !== null).length
  const title =
    problems === 0
      ? t('{n} games in this file', { n: games.length })
      : t('{n} of {total} solved', { n: games.filter((game) => game.solved).length, total: problems })
  return (
    <Dialog title={title} onClose={() => server.closeCollection()}>
      <ol class={problems > 0 ? 'games problems' : 'games'}>
        {games.map((game, number) => (game.solved === null ? <Listing game={game} number={number} /> : <Exercise game={game} number={number} />))}
      </ol>
    </Dialog>
  )
}

function Listing({ game, number }: { game: StoredGame; number: number }) {
  const players = playersOf(game)
  return (
    <li>
      <button class="link" onClick={() => server.choose(number, false)}>
        <b>{game.name || players || t('Game {n}', { n: number + 1 })}</b>
        <span>
          {game.name && players ? `${players}, ` : ''}
          {game.size.join('×')}, {movesInWords(game.moves)}
          {game.result ? `, ${game.result}` : ''}
        </span>
      </button>
    </li>
  )
}

function Exercise({ game, number }: { game: StoredGame; number: number }) {
  const name = problemName(game.name)
  return (
    <li class="stored">
      <button class="link" onClick={() => server.choose(number, true)}>
        <b>{name || t('Problem {n}', { n: number + 1 })}</b>
        <span>
          {game.size.join('×')}
          {game.solved ? `, ${t('solved')} ✓` : ''}
        </span>
      </button>
      <button class="quiet" aria-label={t('Study {title}', { title: name || number + 1 })} onClick={() => server.choose(number, false)}>
        {t('Study')}
      </button>
    </li>
  )
}

/** Sets of problems that need no file. */
const SETS: [ProblemSet, string][] = [
  ['starter', 'Starter set'],
  ['mistakes', 'My mistakes'],
]

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
    <Dialog title={t('Open')} onClose={onClose}>
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
        <span class="button primary">{t('Choose an SGF file…')}</span>
        <small>{t('or drop one anywhere on the page, or paste a record there')}</small>
      </label>
      <div class="buttons sets" role="group" aria-label={t('Problems')}>
        <h3>{t('Problems')}</h3>
        {SETS.map(([set, label]) => (
          <button
            key={set}
            onClick={() => {
              server.send({ type: 'problems', set })
              onClose()
            }}
          >
            {t(label)}
          </button>
        ))}
      </div>
      <h3>{t('Stored games')}</h3>
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
            {t('Later')}
          </button>
          <span>
            {t('{range} of {total}', { range: `${games.from + 1}–${games.from + games.games.length}`, total: games.total })}
          </span>
          <button disabled={games.from + PAGE >= games.total} onClick={() => setFrom(from + PAGE)}>
            {t('Earlier')}
          </button>
          <button onClick={() => void server.export(search)}>{t('Export all {n}', { n: games.total })}</button>
        </footer>
      )}
    </Dialog>
  )
}

function emptyText(games: Games | null, search: Search): string {
  if (!games) return t('Looking…')
  const isFiltered = Object.values(search).some((value) => value !== undefined && value !== '')
  return isFiltered ? t('No stored game is like that.') : t('Games appear here once a move is played.')
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
        placeholder={t('Player or name')}
        aria-label={t('Player or name')}
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      <select aria-label={t('Board')} onChange={(event) => change({ size: Number(event.currentTarget.value) || undefined })}>
        <option value="">{t('any board')}</option>
        {[9, 13, 19].map((size) => (
          <option value={size}>
            {size}×{size}
          </option>
        ))}
      </select>
      <select
        aria-label={t('Result')}
        onChange={(event) => change({ result: (event.currentTarget.value || undefined) as Search['result'] })}
      >
        <option value="">{t('any result')}</option>
        <option value="black">{t('Black won')}</option>
        <option value="white">{t('White won')}</option>
        <option value="draw">{t('draw')}</option>
        <option value="none">{t('no result')}</option>
      </select>
      <label>
        {t('from')} <input type="date" onChange={(event) => change({ since: day(event.currentTarget.value) })} />
      </label>
      <label>
        {t('to')} <input type="date" onChange={(event) => change({ until: day(event.currentTarget.value, 1) })} />
      </label>
    </div>
  )
}

function Row(props: { game: StoredGame; isOpen: boolean; list: () => void; onClose: () => void }) {
  const { game, isOpen, list, onClose } = props
  const [doing, setDoing] = useState<'naming' | 'deleting' | null>(null)
  const players = playersOf(game)
  const title = game.name || players || t('Game without names')
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
          <input name="name" aria-label={t('Name of the game')} defaultValue={game.name} maxLength={100} autofocus />
          <button class="primary">{t('Rename')}</button>
          <button type="button" onClick={() => setDoing(null)}>
            {t('Cancel')}
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
        <span>{t('Delete “{title}” for good?', { title })}</span>
        <button class="danger" onClick={remove}>
          {t('Delete')}
        </button>
        <button onClick={() => setDoing(null)}>{t('Keep')}</button>
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
          {game.name && players ? `${players}, ` : ''}
          {game.size.join('×')}, {movesInWords(game.moves)}
          {game.result ? `, ${game.result}` : ''}
        </span>
        <time>{new Date(game.time * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}</time>
      </button>
      <button class="icon" title={t('Rename')} aria-label={t('Rename {title}', { title })} onClick={() => setDoing('naming')}>
        ✎
      </button>
      <button
        class="icon"
        title={isOpen ? t('This game is open') : t('Delete')}
        aria-label={t('Delete {title}', { title })}
        disabled={isOpen}
        onClick={() => setDoing('deleting')}
      >
        ✕
      </button>
    </li>
  )
}
