// The connection to the server, and what it has told so far. The page keeps nothing else.

import { useEffect, useState } from 'preact/hooks'
import type { Analysis, Command, Hello, Message, Review, State, StoredGame, TreeNode } from './protocol'

export interface View {
  connected: boolean
  hello: Hello | null
  state: State | null
  tree: Map<number, TreeNode>
  /** What each searcher thought last. */
  analyses: Partial<Record<Analysis['by'], Analysis>>
  review: Review | null
  games: StoredGame[] | null
  error: string | null
}

const SLOWEST_RETRY = 5000

class Server {
  private view: View = {
    connected: false,
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
    const game = gameInAddress()
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${location.host}/ws${game ? `?game=${game}` : ''}`)
    this.socket = socket
    socket.onopen = () => {
      this.retry = 250
      this.change({ connected: true })
    }
    socket.onmessage = (event) => this.receive(JSON.parse(event.data) as Message)
    socket.onclose = () => {
      this.change({ connected: false })
      setTimeout(() => this.connect(), this.retry)
      this.retry = Math.min(this.retry * 2, SLOWEST_RETRY)
    }
  }

  private receive(message: Message) {
    switch (message.type) {
      case 'hello':
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
        return this.change({ games: message.games })
      case 'sgf':
        return download(message.name, message.text)
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

function download(name: string, text: string) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/x-go-sgf' }))
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
