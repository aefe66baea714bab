// Writing in a record: comments, marks, stones that are set up, and what is told about the game.

import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog'
import type { InfoKey, MarkKind, State, TreeNode } from './protocol'
import { server } from './server'
import { engines, other } from './words'
import { t } from './text'

/** What a click on the board does besides playing. */
export type Tool = MarkKind | 'black' | 'white' | 'empty'

const TOOLS: [Tool, string, string][] = [
  ['triangle', '△', 'Triangle'],
  ['square', '□', 'Square'],
  ['circle', '○', 'Circle'],
  ['cross', '✕', 'Cross'],
  ['label', 'A', 'Letter'],
  ['black', '●', 'Set up a black stone'],
  ['white', '◯', 'Set up a white stone'],
  ['empty', '⌫', 'Take a stone away'],
]

/** Uses a tool on a point. */
export function applyTool(tool: Tool, at: string, state: State) {
  if (tool === 'black' || tool === 'white') server.send({ type: 'set-up', at, color: tool })
  else if (tool === 'empty') server.send({ type: 'set-up', at, color: null })
  else server.send({ type: 'mark', at, kind: tool, label: tool === 'label' ? nextLetter(state) : '' })
}

function nextLetter(state: State): string {
  const used = new Set(state.marks.map((mark) => mark.label))
  return [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].find((letter) => !used.has(letter)) ?? 'Z'
}

interface Props {
  state: State
  tree: Map<number, TreeNode>
  tool: Tool | null
  setTool: (tool: Tool | null) => void
  onInfo: () => void
}

export function EditPanel({ state, tree, tool, setTool, onInfo }: Props) {
  // A game that was played here stays as it was played.
  const isRecord = state.study && engines(state) === 0
  const isVariation = state.line.slice(0, state.line.indexOf(state.node) + 1).some((id) => tree.get(id)?.main === false)
  return (
    <section class="panel edit" aria-label={t('Edit')}>
      <Comment key={`${state.game} ${state.node}`} text={state.comment ?? ''} />
      <div class="tools" role="toolbar" aria-label={t('Marks and stones')}>
        {TOOLS.map(([key, sign, name]) => (
          <button
            key={key}
            class="icon toggle"
            aria-pressed={tool === key}
            aria-label={t(name)}
            title={t(name)}
            onClick={() => setTool(tool === key ? null : key)}
          >
            {sign}
          </button>
        ))}
      </div>
      <div class="buttons">
        <button onClick={() => server.send({ type: 'to-play', color: other(state.to_play) })}>
          {state.to_play === 'black' ? t('Let White play first') : t('Let Black play first')}
        </button>
        <button onClick={onInfo}>{t('About the game…')}</button>
        <button onClick={() => server.copy()}>{t('Copy SGF')}</button>
        {isVariation && isRecord && <button onClick={() => server.send({ type: 'promote' })}>{t('Make this the main line')}</button>}
        {(isVariation || (isRecord && state.number > 0)) && (
          <button
            class="quiet"
            onClick={() => confirm(t('Delete this move and all that follows it?')) && server.send({ type: 'delete-line' })}
          >
            {t('Delete from here')}
          </button>
        )}
      </div>
    </section>
  )
}

/** Sent when the field is left, and a moment after the last key. */
function Comment({ text }: { text: string }) {
  const [value, setValue] = useState(text)
  const [sent, setSent] = useState(text)
  const send = () => {
    if (value === sent) return
    server.send({ type: 'comment', text: value })
    setSent(value)
  }
  useEffect(() => {
    const timer = setTimeout(send, 800)
    return () => clearTimeout(timer)
  }, [value])
  return (
    <textarea
      class="comment"
      rows={value.length > 120 ? 6 : 3}
      placeholder={t('Write a comment')}
      aria-label={t('Comment')}
      maxLength={10000}
      value={value}
      onInput={(event) => setValue(event.currentTarget.value)}
      onBlur={send}
    />
  )
}

const FIELDS: [InfoKey, string][] = [
  ['PB', 'Black'],
  ['BR', 'Rank'],
  ['PW', 'White'],
  ['WR', 'Rank'],
  ['DT', 'Date'],
  ['RE', 'Result'],
  ['PC', 'Place'],
  ['EV', 'Event'],
  ['GN', 'Name of the game'],
]

/** Names, ranks, date, result and place. */
export function AboutGame({ state, onClose }: { state: State; onClose: () => void }) {
  const save = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const changed = FIELDS.map(([key]) => [key, String(fields.get(key) ?? '').trim()] as const)
      .filter(([key, text]) => text !== (state.info[key] ?? ''))
    if (changed.length > 0) server.send({ type: 'info', info: Object.fromEntries(changed) })
    onClose()
  }
  return (
    <Dialog title={t('About the game')} onClose={onClose}>
      <form class="form about" onSubmit={save}>
        {FIELDS.map(([key, label]) => (
          <label key={key}>
            {t(label)}
            <input
              name={key}
              maxLength={200}
              defaultValue={state.info[key] ?? ''}
              placeholder={key === 'DT' ? '2026-01-31' : key === 'RE' ? 'B+3.5' : ''}
            />
          </label>
        ))}
        <footer>
          <button type="submit" class="primary">
            {t('Save')}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
