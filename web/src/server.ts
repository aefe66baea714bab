// The connection to the server, and what it has told so far. The page keeps nothing else.

import { useEffect, useState } from 'preact/hooks'
import type { Analysis, Command, Games, Hello, Message, Review, Search, State, TreeNode } from './protocol'
import { keepToken, token } from './token'

export interface View {
  connected: boolean
  /** Whether the server has refused us. */
  locked: boolean
  hello: Hello | null
  state: State | null
  tree: Map<number, TreeNode>
  /** What each searcher thought last. */
  analyses: Partial<Record<Analysis['by'], Analysis>>
  review: Review | null
  games: Games | null
  error: string | null
}

const SLOWEST_RETRY = 5000

class Server {
  private view: View = {
    connected: false,
    locked: false,
    hello: null,
    state: null,
    tree: new Map(),
    analyses: {},
    review: null,
    games: null,
    error: null,
  }
  private socket: WebSocket | null = null
  private retry = 250
  private isDue = false
  private listeners = new Set<(view: View) => void>()

  constructor() {
    this.connect()
    // Another address in the same tab is another game.
    addEventListener('hashchange', () => {
      const game = gameInAddress()
      if (game && game !== this.view.state?.game) this.send({ type: 'join', game })
    })
  }

  private connect() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const address = `/ws?${query({ token: token(), game: gameInAddress() })}`
    const socket = new WebSocket(`${scheme}://${location.host}${address}`)
    let wasOpen = false
    this.socket = socket
    socket.onopen = () => {
      wasOpen = true
      this.retry = 250
      this.change({ connected: true, locked: false })
    }
    socket.onmessage = (event) => this.receive(JSON.parse(event.data) as Message)
    socket.onclose = (event) => {
      this.change({ connected: false })
      if (event.reason) this.complain(event.reason)
      // A WebSocket does not say why it was refused.
      if (!wasOpen) void fetch(address).then((answer) => this.change({ locked: answer.status === 401 }), () => {})
      setTimeout(() => this.connect(), this.retry)
      this.retry = Math.min(this.retry * 2, SLOWEST_RETRY)
    }
  }

  private receive(message: Message) {
    switch (message.type) {
      case 'hello':
        if (message.token) keepToken(message.token)
        return this.change({ hello: message })
      case 'state': {
        if (message.game !== this.view.state?.game) {
          history.replaceState(null, '', `#${message.game}`)
          this.change({ analyses: {} })
        }
        const notice = message.notice ? { error: message.notice } : {}
        return this.change({ state: message, ...notice })
      }
      case 'tree':
        return this.change({ tree: new Map(message.nodes.map((node) => [node.id, node])), review: null })
      case 'node':
        return this.change({ tree: new Map(this.view.tree).set(message.node.id, message.node) })
      case 'analysis':
        return this.change({ analyses: { ...this.view.analyses, [message.by]: message } })
      case 'review':
        return this.change({ review: message })
      case 'games':
        return this.change({ games: message })
      case 'sgf':
        return download(message.name, new Blob([message.text], { type: 'application/x-go-sgf' }))
      case 'error':
        return this.change({ error: message.message })
    }
  }

  /** The page is drawn once for all the messages of a moment: a slow machine must not fall behind. */
  private change(changes: Partial<View>) {
    this.view = { ...this.view, ...changes }
    if (this.isDue) return
    this.isDue = true
    setTimeout(() => {
      this.isDue = false
      for (const listener of this.listeners) listener(this.view)
    }, 30)
  }

  send(command: Command) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command))
    else this.complain('The connection is lost; trying to restore it.')
  }

  async open(file: File) {
    if (file.size > 2 << 20) return this.complain('This file is too large: records have less than 2 MB.')
    const bytes = await file.arrayBuffer()
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(bytes)
  }

  /** The games that a search finds, as one file. */
  async export(search: Search) {
    try {
      const answer = await fetch(`/games.sgf?${query({ token: token(), search: JSON.stringify(search) })}`)
      if (answer.ok) download('games.sgf', await answer.blob())
      else this.complain(await answer.text())
    } catch {
      this.complain('The games could not be exported: the download has failed.')
    }
  }

  complain(error: string | null) {
    this.change({ error })
  }

  subscribe(listener: (view: View) => void): () => void {
    this.listeners.add(listener)
    listener(this.view)
    return () => this.listeners.delete(listener)
  }

  get current(): View {
    return this.view
  }
}

function gameInAddress(): string | null {
  return /^#([0-9a-zA-Z]{8,40})$/.exec(location.hash)?.[1] ?? null
}

/** What is not null, as a query. */
function query(values: Record<string, string | null>): string {
  return new URLSearchParams(Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== null)).toString()
}

function download(name: string, file: Blob) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

export const server = new Server()

export function useServer(): View {
  const [view, setView] = useState(server.current)
  useEffect(() => server.subscribe(setView), [])
  return view
}
