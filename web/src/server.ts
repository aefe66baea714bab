// The connection to the server, and what it has told so far. The page keeps nothing else.

import { useEffect, useState } from 'preact/hooks'
import type { Analysis, Color, Command, Games, Hello, Judgement, Message, Review, Search, State, StoredGame, TreeNode } from './protocol'
import { t } from './text'
import { keepToken, token } from './token'

export interface View {
  connected: boolean
  /** Whether the server has refused us. */
  locked: boolean
  /** Whether no server answers. */
  isAlone: boolean
  hello: Hello | null
  state: State | null
  tree: Map<number, TreeNode>
  /** What was found out about each position. */
  analyses: Map<number, Analysis>
  /** What each side thought before its last move. */
  sides: Partial<Record<Color, Analysis>>
  review: Review | null
  /** Why the last move was not played yet. */
  warning: Judgement | null
  /** What the last move that was tried costs. */
  tried: Judgement | null
  games: Games | null
  /** The games of a file that has several. */
  collection: StoredGame[] | null
  /** The problems of the file, and which of them is open. */
  problems: { games: StoredGame[]; at: number } | null
  error: string | null
}

const SLOWEST_RETRY = 5000

class Server {
  private view: View = {
    connected: false,
    locked: false,
    isAlone: false,
    hello: null,
    state: null,
    tree: new Map(),
    analyses: new Map(),
    sides: {},
    review: null,
    warning: null,
    tried: null,
    games: null,
    collection: null,
    problems: null,
    error: null,
  }
  private socket: WebSocket | null = null
  private retry = 250
  private isDue = false
  /** The position to which the player is walking. */
  private target: number | null = null
  private isUnderWay = false
  /** The file that was opened last. */
  private file: ArrayBuffer | null = null
  private isCopying = false
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
      this.change({ connected: true, locked: false, isAlone: false })
    }
    socket.onmessage = (event) => this.receive(JSON.parse(event.data) as Message)
    socket.onclose = (event) => {
      this.isUnderWay = false
      this.change({ connected: false })
      if (event.reason) this.complain(event.reason)
      // A WebSocket does not say why it was refused.
      if (!wasOpen) {
        void fetch(address).then(
          (answer) => this.change({ locked: answer.status === 401 }),
          () => this.change({ isAlone: true }),
        )
      }
      setTimeout(() => this.connect(), this.retry)
      this.retry = Math.min(this.retry * 2, SLOWEST_RETRY)
    }
  }

  private receive(message: Message) {
    switch (message.type) {
      case 'hello':
        if (message.token) keepToken(message.token)
        if (message.has_problems && !this.view.hello && !gameInAddress()) this.send({ type: 'problems', set: 'given' })
        return this.change({ hello: message })
      case 'state': {
        if (message.game !== this.view.state?.game) {
          history.replaceState(null, '', `#${message.game}`)
          this.target = null
          this.change({ analyses: new Map(), sides: {}, warning: null, collection: null })
        }
        this.arrive(message)
        this.noteSolved(message)
        const notice = message.notice ? { error: message.notice } : {}
        return this.change({ state: message, ...notice })
      }
      case 'tree':
        // Its numbers may mean other positions than before.
        this.target = null
        return this.change({
          tree: new Map(message.nodes.map((node) => [node.id, node])),
          analyses: new Map(),
          review: null,
        })
      case 'node':
        return this.change({ tree: new Map(this.view.tree).set(message.node.id, message.node) })
      case 'analysis':
        return this.learn(message)
      case 'warning':
        return this.change({ warning: message })
      case 'tried':
        return this.change({ tried: message })
      case 'review':
        return this.change({ review: message })
      case 'games':
        return this.change({ games: message })
      case 'collection':
        return this.change({ collection: message.games })
      case 'problems':
        return this.paste(message.text)
      case 'sgf':
        if (this.isCopying) return void this.copied(message.text)
        return download(message.name, new Blob([message.text], { type: 'application/x-go-sgf' }))
      case 'error':
        this.target = null
        this.isUnderWay = false
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

  private learn(analysis: Analysis) {
    const before = this.view.analyses.get(analysis.node)
    const sides = analysis.by === 'analyst' ? {} : { sides: { ...this.view.sides, [analysis.by]: analysis } }
    // What was found out with more effort stays.
    const isBetter = !before?.done || analysis.visits >= before.visits
    this.change({ ...sides, ...(isBetter && { analyses: new Map(this.view.analyses).set(analysis.node, analysis) }) })
  }

  /** Where the player is, or will be once the server has followed. */
  get node(): number | null {
    return this.target ?? this.view.state?.node ?? null
  }

  /** Shows another position. One request is under way at a time; steps taken meanwhile go into the next. */
  goto(node: number) {
    this.target = node
    if (this.isUnderWay) return
    this.isUnderWay = true
    this.send({ type: 'goto', node })
  }

  private arrive(state: State) {
    this.isUnderWay = false
    if (this.target === null) return
    if (state.node === this.target) this.target = null
    else this.goto(this.target)
  }

  send(command: Command) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command))
    else this.complain(t('The connection is lost; trying to restore it.'))
  }

  async open(file: File) {
    if (file.size > 2 << 20) return this.complain(t('This file is too large: records have less than 2 MB.'))
    this.file = await file.arrayBuffer()
    this.sendFile()
  }

  /** Opens a record from a text. */
  paste(text: string) {
    this.file = new TextEncoder().encode(text).buffer as ArrayBuffer
    this.sendFile()
  }

  /** Opens one of the games of the file, to study it or to solve it. */
  choose(game: number, solve: boolean) {
    this.send({ type: 'choose', game, solve })
    this.sendFile()
    const games = this.view.collection ?? this.view.problems?.games ?? []
    this.change({ collection: null, problems: solve ? { games, at: game } : null })
  }

  /** Shows the list of problems again. */
  listProblems() {
    this.change({ collection: this.view.problems?.games ?? null })
  }

  private noteSolved(state: State) {
    const problems = this.view.problems
    if (!problems || state.problem?.state !== 'solved') return
    const games = problems.games.map((game, i) => (i === problems.at ? { ...game, solved: true } : game))
    this.change({ problems: { ...problems, games } })
  }

  private sendFile() {
    if (this.file && this.socket?.readyState === WebSocket.OPEN) this.socket.send(this.file)
  }

  /** Puts the record into the clipboard. */
  copy() {
    this.isCopying = true
    this.send({ type: 'save' })
  }

  private async copied(text: string) {
    this.isCopying = false
    try {
      await navigator.clipboard.writeText(text)
      this.complain(t('The record is in the clipboard.'))
    } catch {
      this.complain(t('This browser does not let the page use the clipboard: save the record instead.'))
    }
  }

  closeWarning() {
    this.change({ warning: null })
  }

  closeCollection() {
    this.change({ collection: null })
  }

  /** The games that a search finds, as one file. */
  async export(search: Search) {
    try {
      const answer = await fetch(`/games.sgf?${query({ token: token(), search: JSON.stringify(search) })}`)
      if (answer.ok) download('games.sgf', await answer.blob())
      else this.complain(await answer.text())
    } catch {
      this.complain(t('The games could not be exported: the download has failed.'))
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
