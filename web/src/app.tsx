// The page as a whole.

import { useEffect, useRef, useState } from 'preact/hooks'
import { AnalysisPanel } from './analysis'
import { Board } from './board'
import { Controls } from './controls'
import { Count } from './count'
import { OpenGame } from './games'
import { Graph } from './graph'
import { useKeys } from './keys'
import { ChangePlayers, NewGame } from './new_game'
import { Players } from './players'
import { usePreferences } from './preferences'
import type { Analysis, Color, Move, State } from './protocol'
import { ReviewPanel } from './review'
import { server, useServer } from './server'
import { SettingsDialog } from './settings'
import { passSound, stoneSound, unlockSound } from './sound'
import { Tree } from './tree'
import { capital, isEngine, other, statusOf } from './words'

const LOCKED = 'This board asks for a token: open the whole address that tengen play has printed.'

type Open = 'new' | 'open' | 'players' | 'settings' | null

export function App() {
  const view = useServer()
  const [preferences, change] = usePreferences()
  const [open, setOpen] = useState<Open>(null)
  const [preview, setPreview] = useState<{ line: Move[]; first: Color; node: number } | null>(null)
  const { state, hello } = view
  useSounds(state, preferences.sound)
  useKeys({ state, preferences, change, isBusy: open !== null, onNew: () => setOpen('new') })
  const dropping = useDrop()

  if (!state || !hello) {
    return (
      <main class="loading">
        <p>{view.locked ? LOCKED : view.connected ? 'Setting up the board…' : 'Connecting…'}</p>
      </main>
    )
  }

  const canPlay = state.phase === 'play' && (!isEngine(state, state.to_play) || state.paused)
  const shown = shownAnalysis(state, view.analyses)
  const sides = isEngine(state, 'black') && isEngine(state, 'white') ? bothSides(view.analyses) : []
  const onPoint = (at: string) => {
    if (state.phase === 'count') server.send({ type: 'toggle-dead', at })
    else if (canPlay) server.send({ type: 'play', at })
  }
  const isPreviewed = preview && preview.line.length > 0 && (preview.node === state.node || preview.node === -1)
  const close = () => setOpen(null)

  return (
    <main class={dropping ? 'page dropping' : 'page'}>
      <header class="bar">
        <h1>tengen</h1>
        <nav aria-label="Game and record">
          <button onClick={() => setOpen('new')}>New game</button>
          <button onClick={() => setOpen('open')}>Open</button>
          <button onClick={() => server.send({ type: 'save' })} disabled={view.tree.size < 2}>
            Save
          </button>
          <button onClick={() => setOpen('players')}>Players</button>
          <button class="icon" onClick={() => setOpen('settings')} aria-label="Settings" title="Settings">
            ⚙
          </button>
        </nav>
      </header>
      <div class="table">
        <Board
          state={state}
          analysis={shown}
          preview={isPreviewed ? preview : null}
          preferences={preferences}
          canPlay={canPlay}
          onPoint={onPoint}
        />
      </div>
      <aside class="side">
        <Players state={state} />
        <Controls state={state} view={view} />
        {state.count && <Count state={state} count={state.count} />}
        {state.comment && <p class="panel comment">{state.comment}</p>}
        <AnalysisPanel
          state={state}
          shown={shown}
          sides={sides}
          preferences={preferences}
          change={change}
          onPreview={(analysis, line) =>
            setPreview(analysis && { line, first: analysis.to_play, node: analysis.node })
          }
        />
        <Graph state={state} tree={view.tree} />
        <Tree state={state} tree={view.tree} />
        <ReviewPanel
          state={state}
          review={view.review}
          onPreview={(line, first) => setPreview(line.length ? { line, first, node: state.node } : null)}
        />
      </aside>
      <div class="hidden" role="status" aria-live="polite">
        {announcement(state)}
      </div>
      {view.error && <Toast message={view.error} />}
      {open === 'new' && <NewGame hello={hello} state={state} onClose={close} />}
      {open === 'players' && <ChangePlayers hello={hello} state={state} onClose={close} />}
      {open === 'open' && <OpenGame games={view.games} current={state.game} onClose={close} />}
      {open === 'settings' && (
        <SettingsDialog preferences={preferences} change={change} version={hello.version} onClose={close} />
      )}
    </main>
  )
}

/** The latest thoughts about the position on the board. */
function shownAnalysis(state: State, analyses: Partial<Record<Analysis['by'], Analysis>>): Analysis | null {
  const here = Object.values(analyses).filter((analysis) => analysis.node === state.node)
  const latest = here.find((analysis) => analysis.by === state.to_play) ?? here[0]
  if (latest) return latest
  // While nothing is known about this position: what the opponent thought before its move.
  return analyses[other(state.to_play)] ?? null
}

function bothSides(analyses: Partial<Record<Analysis['by'], Analysis>>): Analysis[] {
  return [analyses.black, analyses.white].filter((analysis) => analysis !== undefined)
}

function announcement(state: State): string {
  const mover = other(state.to_play)
  const move = state.last && state.number > 0 ? `${capital(mover)} ${state.last === 'pass' ? 'passes' : `plays ${state.last}`}. ` : ''
  return move + statusOf(state)
}

function Toast({ message }: { message: string }) {
  useEffect(() => {
    const timer = setTimeout(() => server.complain(null), 6000)
    return () => clearTimeout(timer)
  }, [message])
  return (
    <div class="toast" role="alert">
      {message}
      <button class="icon" aria-label="Close" onClick={() => server.complain(null)}>
        ✕
      </button>
    </div>
  )
}

/** A stone that is put down is heard. */
function useSounds(state: State | null, isOn: boolean) {
  const before = useRef<State | null>(null)
  useEffect(() => {
    const last = before.current
    before.current = state
    if (!isOn || !state || !last || last.game !== state.game || state.number <= last.number) return
    const total = (s: State) => s.captures[0] + s.captures[1]
    if (state.last === 'pass') passSound()
    else stoneSound(total(state) > total(last))
  }, [state])
  useEffect(() => {
    addEventListener('pointerdown', unlockSound, { once: true })
    addEventListener('keydown', unlockSound, { once: true })
  }, [])
}

/** Records can be dropped anywhere. */
function useDrop(): boolean {
  const [dropping, setDropping] = useState(false)
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault()
      setDropping(true)
    }
    const leave = (event: DragEvent) => event.relatedTarget === null && setDropping(false)
    const drop = (event: DragEvent) => {
      event.preventDefault()
      setDropping(false)
      const file = event.dataTransfer?.files[0]
      if (file) void server.open(file)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return dropping
}
