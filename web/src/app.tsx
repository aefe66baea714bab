// The page as a whole. There are two rooms: in a game nothing tells what the engine thinks, unless the player asks; in a
// record, and after the end of a game, everything is shown, and what is tried there does not touch the game.

import { useEffect, useRef, useState } from 'preact/hooks'
import { AnalysisPanel } from './analysis'
import { Board, type Hint } from './board'
import { Controls, walk } from './controls'
import { Count } from './count'
import { AboutGame, applyTool, EditPanel, type Tool } from './edit'
import { Collection, OpenGame } from './games'
import { Graph } from './graph'
import { useKeys } from './keys'
import { ChangePlayers, NewGame } from './new_game'
import { Players } from './players'
import { ProblemPanel } from './problems'
import { usePreferences } from './preferences'
import type { Analysis, Color, Move, State, TreeNode } from './protocol'
import { Resume } from './resume'
import { nextMistake, ReviewPanel, type Opened } from './review'
import { server, useServer } from './server'
import { SettingsDialog } from './settings'
import { passSound, stoneSound, unlockSound } from './sound'
import { Tree } from './tree'
import { WarningPanel } from './warning'
import { Welcome } from './welcome'
import { canPlay, colorName, engines, isMyMove, isRevealed, other, statusOf } from './words'
import { t } from './text'

const LOCKED = 'This board asks for a token: open the whole address that tengen play has printed.'

const ALONE = 'tengen is not running on this machine: start it with “tengen play”, and the board appears here.'

type Window = 'new' | 'open' | 'players' | 'settings' | 'about' | null

/** Moves among which the second hint lets the player choose. */
const HINTED = 3

export function App() {
  const view = useServer()
  const [preferences, change] = usePreferences()
  const [open, setOpen] = useState<Window>(null)
  const [preview, setPreview] = useState<{ line: Move[]; first: Color; node: number } | null>(null)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [tried, setTried] = useState<Move | null>(null)
  const [asked, setAsked] = useState<{ node: number; step: 1 | 2 | 3 } | null>(null)
  const [tool, setTool] = useState<Tool | null>(null)
  const { state, hello, tree } = view
  useSounds(state, preferences.sound)
  useTitle(state)
  usePaste()
  const dropping = useDrop()
  useEffect(() => {
    setOpened(null)
    setTool(null)
    setAsked(null)
  }, [state?.game])

  const showMistake = (to: Opened | null) => {
    setOpened(to)
    setTried(null)
    if (to && to.mistake.before !== server.node) server.goto(to.mistake.before)
  }
  const onMistake = (step: 1 | -1) => {
    const mistake = state?.study && nextMistake(state, tree, step, opened)
    if (mistake) showMistake({ mistake, isTrying: false })
  }
  const onHint = () => {
    if (!state || state.study || state.phase !== 'play' || !canPlay(state)) return
    if (asked?.node === state.node) return setAsked({ node: state.node, step: asked.step === 1 ? 2 : 3 })
    server.send({ type: 'hint' })
    setAsked({ node: state.node, step: 1 })
  }
  useKeys({ state, preferences, change, onNew: () => setOpen('new'), onHint, onMistake })

  if (!state || !hello) {
    return (
      <main class="loading">
        <p>{view.locked ? t(LOCKED) : view.connected ? t('Setting up the board…') : view.isAlone ? t(ALONE) : t('Connecting…')}</p>
      </main>
    )
  }

  const known = view.analyses.get(state.node) ?? null
  const isShown = isRevealed(state)
  const shown = isShown ? known : null
  const sides = engines(state) === 2 && !state.paused ? bothSides(view.sides, tree) : []
  const isAtMistake = opened !== null && opened.mistake.before === state.node
  const isTrying = isAtMistake && opened.isTrying
  const isAsked = asked?.node === state.node && !state.analysing
  const hint: Hint | null =
    isAsked && known?.done ? { step: asked.step, moves: known.moves.slice(0, HINTED).map((move) => move.at) } : null
  // Marks would be hidden under it.
  const better = isAtMistake && !isTrying && !tool ? { line: opened.mistake.better, first: opened.mistake.color } : null
  /** The candidate move that is drawn at a point. */
  const candidateAt = (at: string | null) =>
    preferences.moves && !isTrying && shown?.node === state.node ? shown.moves.find((move) => move.at === at) : undefined
  /** A click on a line that is drawn keeps it, as far as the point, as a variation. */
  const keepLine = (moves: Move[]) => server.send({ type: 'add-line', moves })
  const onPoint = (at: string) => {
    if (state.phase === 'count') server.send({ type: 'toggle-dead', at })
    else if (tool) applyTool(tool, at, state)
    else if (better?.line.includes(at)) keepLine(better.line.slice(0, better.line.indexOf(at) + 1))
    else if (isTrying) tryMove(at)
    else if (canPlay(state) && !state.checking) {
      const line = state.study && candidateAt(at)?.line
      // What is drawn under the pointer is kept, and one move of it played.
      if (line) keepLine(line)
      play(at)
    }
  }
  const tryMove = (at: Move) => {
    setTried(at)
    server.send({ type: 'try', at })
  }
  const play = (at: Move) => {
    server.closeWarning()
    server.send({ type: 'play', at })
  }
  const onHover = (at: string | null) => {
    const move = candidateAt(at)
    setPreview(move && shown ? { line: move.line, first: shown.to_play, node: shown.node } : null)
  }
  const drawn = preview?.node === state.node && preview.line.length > 0 ? preview : null
  const warning = view.warning?.node === state.node ? view.warning : null
  const refutation = warning && { line: [warning.at, ...warning.line], first: state.to_play }
  const close = () => setOpen(null)

  return (
    <main class={dropping ? 'page dropping' : 'page'}>
      <header class="bar">
        <h1>tengen</h1>
        <nav aria-label={t('Game and record')}>
          <button onClick={() => setOpen('new')}>{t('New game')}</button>
          <button onClick={() => setOpen('open')}>{t('Open')}</button>
          <button onClick={() => server.send({ type: 'save' })} disabled={tree.size < 2}>
            {t('Save')}
          </button>
          <button onClick={() => setOpen('players')}>{t('Players')}</button>
          <button class="icon" onClick={() => setOpen('settings')} aria-label={t('Settings')} title={t('Settings')}>
            ⚙
          </button>
        </nav>
      </header>
      <div class="table">
        <Board
          state={state}
          analysis={isTrying ? null : shown}
          preview={drawn ?? refutation ?? (better && better.line.length > 0 ? better : null)}
          played={isTrying ? null : followedMove(state, tree, preferences.next || isAtMistake)}
          hint={hint}
          numbered={preferences.numbers ? movesTo(state, tree) : null}
          preferences={preferences}
          canPlay={canPlay(state) || tool !== null}
          onPoint={onPoint}
          onHover={onHover}
          onWheel={(steps) => {
            if (state.study || state.paused) walk(state, steps)
            return state.study || state.paused
          }}
        />
      </div>
      <aside class="side">
        <ProblemPanel state={state} problems={view.problems} />
        <Players state={state} />
        <Resume state={state} games={view.games} />
        <Welcome state={state} hello={hello} />
        <Controls state={state} view={view} hello={hello} hint={hint} isHintDue={isAsked && !hint} onHint={onHint} />
        {warning && <WarningPanel warning={warning} />}
        {state.count && <Count state={state} count={state.count} />}
        {state.problem?.state !== 'open' && (
          <AnalysisPanel
            state={state}
            shown={shown}
            stored={isShown ? tree.get(state.node) : undefined}
            sides={sides}
            preferences={preferences}
            change={change}
            onPreview={(analysis, line) =>
              setPreview(analysis && { line, first: analysis.to_play, node: analysis.node })
            }
          />
        )}
        {isShown && !state.problem && <Graph state={state} tree={tree} />}
        <Tree state={state} tree={tree} isShown={isShown} />
        {!state.problem && (
          <ReviewPanel
            state={state}
            tree={tree}
            review={view.review}
            judgement={view.tried}
            opened={isAtMistake ? opened : null}
            open={showMistake}
            tried={tried}
          />
        )}
        {state.problem ? null : state.study || engines(state) === 0 ? (
          <EditPanel state={state} tree={tree} tool={tool} setTool={setTool} onInfo={() => setOpen('about')} />
        ) : (
          <>
            {state.comment && <p class="panel comment">{state.comment}</p>}
            {state.line.length === 1 && (
              <details class="set-up">
                <summary>{t('Set up a position')}</summary>
                <EditPanel state={state} tree={tree} tool={tool} setTool={setTool} onInfo={() => setOpen('about')} />
              </details>
            )}
          </>
        )}
      </aside>
      <div class="hidden" role="status" aria-live="polite">
        {announcement(state)}
      </div>
      {view.error && <Toast message={view.error} />}
      {open === 'new' && <NewGame hello={hello} state={state} onClose={close} />}
      {open === 'players' && <ChangePlayers hello={hello} state={state} onClose={close} />}
      {open === 'open' && <OpenGame games={view.games} current={state.game} onClose={close} />}
      {open === 'about' && <AboutGame state={state} onClose={close} />}
      {open === 'settings' && (
        <SettingsDialog preferences={preferences} change={change} version={hello.version} onClose={close} />
      )}
      {view.collection && <Collection games={view.collection} />}
    </main>
  )
}

/** What both engines thought before their last moves. */
function bothSides(sides: Partial<Record<Color, Analysis>>, tree: Map<number, TreeNode>) {
  const numberOf = (id: number) => {
    let number = 1
    for (let node = tree.get(id); node && node.parent !== null; node = tree.get(node.parent)) number++
    return number
  }
  return [sides.black, sides.white]
    .filter((analysis) => analysis !== undefined)
    .map((analysis) => ({ analysis, number: numberOf(analysis.node) }))
}

/** The move that follows in the record. */
function followedMove(state: State, tree: Map<number, TreeNode>, isWanted: boolean) {
  const id = state.line[state.line.indexOf(state.node) + 1]
  const next = isWanted && state.study && id !== undefined ? tree.get(id) : undefined
  return next?.at && next.color ? { at: next.at, color: next.color, kind: next.class } : null
}

/** The moves from the beginning to the position shown. */
function movesTo(state: State, tree: Map<number, TreeNode>): TreeNode[] {
  const ids = state.line.slice(0, state.line.indexOf(state.node) + 1)
  return ids.map((id) => tree.get(id)).filter((node) => node?.at != null) as TreeNode[]
}

function announcement(state: State): string {
  const mover = other(state.to_play)
  const who = colorName(mover)
  if (!state.last || state.number === 0) return statusOf(state)
  const move = state.last === 'pass' ? t('{who} passes.', { who }) : t('{who} plays {move}.', { who, move: state.last })
  return `${move} ${statusOf(state)}`
}

function Toast({ message }: { message: string }) {
  useEffect(() => {
    const timer = setTimeout(() => server.complain(null), 6000)
    return () => clearTimeout(timer)
  }, [message])
  return (
    <div class="toast" role="alert">
      {message}
      <button class="icon" aria-label={t('Close')} onClick={() => server.complain(null)}>
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

/** The tab says when it is the player's turn. */
function useTitle(state: State | null) {
  const isMine = state !== null && isMyMove(state)
  useEffect(() => {
    document.title = isMine ? t('Your move – tengen') : 'tengen'
  }, [isMine])
}

/** Records can be pasted anywhere but into fields. */
function usePaste() {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const isField = event.target instanceof HTMLElement && event.target.matches('input, select, textarea')
      const text = event.clipboardData?.getData('text') ?? ''
      if (!isField && text.includes('(;')) server.paste(text)
    }
    addEventListener('paste', paste)
    return () => removeEventListener('paste', paste)
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
