// Choosing a game: board, players, rules, time.

import { useState } from 'preact/hooks'
import { Dialog } from './dialog'
import type { Hello, Listed, Seat, Seats, Settings, State } from './protocol'
import { server } from './server'
import { aboutPlayer, capital, levelOf, rulesName, titleOf, type Size } from './words'
import { t } from './text'

const SIZES = [9, 13, 19]

type Mode = 'play' | 'watch' | 'study'

/** A time control in the units people think in. */
interface Time {
  kind: 'none' | 'absolute' | 'byoyomi' | 'canadian' | 'fischer'
  minutes: number
  seconds: number
  count: number
}

export function NewGame({ hello, state, onClose }: { hello: Hello; state: State | null; onClose: () => void }) {
  const last = state ? settingsOf(state, hello) : hello.defaults
  const engine = engineOf(last.seats) ?? engineOf(hello.defaults.seats) ?? { kind: 'engine', player: 'default' }
  const engines = Number(last.seats.black.kind === 'engine') + Number(last.seats.white.kind === 'engine')
  const [mode, setMode] = useState<Mode>(engines === 2 ? 'watch' : 'play')
  const [color, setColor] = useState<'black' | 'white' | 'random'>(last.seats.white.kind === 'human' && engines === 1 ? 'white' : 'black')
  const [opponent, setOpponent] = useState<Seat>(last.auto ? { kind: 'engine', player: AUTO } : engine)
  const [second, setSecond] = useState<Seat>(engines === 2 ? last.seats.white : engine)
  const [width, setWidth] = useState(last.width)
  const [height, setHeight] = useState(last.height)
  const [other, setOther] = useState(!SIZES.includes(last.width) || last.width !== last.height)
  const [rules, setRules] = useState(last.rules)
  const [komi, setKomi] = useState(last.komi === null ? '' : String(last.komi))
  const [handicap, setHandicap] = useState(0)
  const [time, setTime] = useState<Time>(readTime(last.time))
  const [teach, setTeach] = useState(last.teach)
  const customary = customaryKomi(hello, rules, handicap)

  const begin = (event: Event) => {
    event.preventDefault()
    const human: Seat = { kind: 'human' }
    const side = color === 'random' ? (Math.random() < 0.5 ? 'black' : 'white') : color
    const seats: Seats =
      mode === 'study'
        ? { black: human, white: human }
        : mode === 'watch'
          ? { black: opponent, white: second }
          : side === 'black'
            ? { black: human, white: opponent }
            : { black: opponent, white: human }
    const number = Number(komi.replace(',', '.').replace('−', '-'))
    if (komi.trim() && !Number.isFinite(number)) return server.complain(t('Komi must be a number such as 6.5.'))
    const isPlayed = mode === 'play'
    const auto = isPlayed && opponent.kind === 'engine' && opponent.player === AUTO
    const settings = {
      width,
      height,
      seats,
      rules,
      handicap,
      komi: komi.trim() ? number : null,
      time: writeTime(time),
      teach: isPlayed ? teach : null,
      auto,
    }
    server.send({ type: 'new', settings: auto ? settingsFor(settings, AUTO) : settings })
    onClose()
  }

  return (
    <Dialog title={t('New game')} onClose={onClose}>
      <form class="form" onSubmit={begin}>
        <Choice
          label={t('Who plays')}
          value={mode}
          set={setMode}
          options={[
            ['play', 'Me and tengen'],
            ['watch', 'Two engines'],
            ['study', 'Two people'],
          ]}
        />
        <Choice
          label={t('Board')}
          value={other ? 'other' : String(width)}
          set={(value) => {
            setOther(value === 'other')
            if (value !== 'other') [setWidth, setHeight].forEach((set) => set(Number(value)))
          }}
          options={[...SIZES.map((n) => [String(n), `${n}×${n}`] as [string, string]), ['other', 'Other']]}
        />
        {other && (
          <div class="row">
            <NumberField label={t('Columns')} value={width} set={setWidth} low={2} high={19} />
            <NumberField label={t('Rows')} value={height} set={setHeight} low={2} high={19} />
          </div>
        )}
        {mode === 'play' && (
          <Choice
            label={t('Your stones')}
            value={color}
            set={setColor}
            options={[
              ['black', 'Black'],
              ['white', 'White'],
              ['random', 'Random'],
            ]}
          />
        )}
        {mode === 'play' && <EngineFields label={t('Opponent')} hello={hello} seat={opponent} size={{ width, height }} set={setOpponent} hasAuto />}
        {mode === 'watch' && (
          <>
            <EngineFields label={t('Black')} hello={hello} seat={opponent} size={{ width, height }} set={setOpponent} />
            <EngineFields label={t('White')} hello={hello} seat={second} size={{ width, height }} set={setSecond} />
          </>
        )}
        <div class="row">
          <label>
            {t('Rules')}
            <select value={rules} onChange={(event) => setRules(event.currentTarget.value)}>
              {hello.rules.map((set) => (
                <option key={set.name} value={set.name}>
                  {rulesName(set.name)}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t('Handicap')}
            <select value={handicap} onChange={(event) => setHandicap(Number(event.currentTarget.value))}>
              {[0, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => (
                <option key={n} value={n}>
                  {n === 0 ? t('None') : t('{n} stones', { n })}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t('Komi')}
            <input
              inputMode="decimal"
              value={komi}
              placeholder={String(customary)}
              onInput={(event) => setKomi(event.currentTarget.value)}
            />
          </label>
        </div>
        <TimeFields time={time} set={setTime} />
        {mode === 'play' && (
          <label>
            {t('Teaching')}
            <select value={teach ?? ''} onChange={(event) => setTeach(Number(event.currentTarget.value) || null)}>
              <option value="">{t('No warnings')}</option>
              {[1.5, 3, 6, 12].map((n) => (
                <option key={n} value={n}>
                  {t('Warn me before a move that loses more than {n} points', { n })}
                </option>
              ))}
            </select>
          </label>
        )}
        <footer>
          <button type="submit" class="primary">
            {t('Begin')}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/** Other players for the game that is on the board. */
export function ChangePlayers({ hello, state, onClose }: { hello: Hello; state: State; onClose: () => void }) {
  const [seats, setSeats] = useState(state.seats)
  const engine = engineOf(hello.defaults.seats) ?? { kind: 'engine', player: 'default' }
  const side = (color: 'black' | 'white') => {
    const seat = seats[color]
    return (
      <fieldset>
        <Choice
          label={capital(color)}
          value={seat.kind}
          set={(kind) => setSeats({ ...seats, [color]: kind === 'human' ? { kind } : engine })}
          options={[
            ['human', 'A person'],
            ['engine', 'An engine'],
          ]}
        />
        {seat.kind === 'engine' && (
          <EngineFields label={t('Which')} hello={hello} seat={seat} size={state} set={(to) => setSeats({ ...seats, [color]: to })} />
        )}
      </fieldset>
    )
  }
  return (
    <Dialog title={t('Play on from here')} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          server.send({ type: 'seats', seats })
          onClose()
        }}
      >
        {side('black')}
        {side('white')}
        <footer>
          <button type="submit" class="primary">
            {t('Play')}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  value: T
  set: (value: T) => void
  options: [T, string][]
}

function Choice<T extends string>({ label, value, set, options }: ChoiceProps<T>) {
  return (
    <fieldset class="choice">
      <legend>{t(label)}</legend>
      {options.map(([key, text]) => (
        <label key={key}>
          <input type="radio" name={label} checked={value === key} onChange={() => set(key)} />
          <span>{t(text)}</span>
        </label>
      ))}
    </fieldset>
  )
}

function NumberField(props: { label: string; value: number; set: (n: number) => void; low: number; high: number }) {
  return (
    <label>
      {t(props.label)}
      <input
        type="number"
        required
        min={props.low}
        max={props.high}
        value={props.value}
        onInput={(event) => props.set(event.currentTarget.valueAsNumber)}
      />
    </label>
  )
}

const GROUPS: [Listed['group'], string][] = [
  ['level', 'tengen'],
  ['technique', 'Techniques'],
  ['program', 'Other programs'],
]

/** The opponent whose level follows the player's results. */
const AUTO = 'auto'

/** Whether how long a player thinks belongs to what it is. */
const isLevel = (player: string) => player === AUTO || levelOf(player) !== null

/** The players of a group, the weakest level first. */
function Group({ label, players, size, hasAuto }: { label: string; players: Listed[]; size: Size; hasAuto: boolean }) {
  if (players.length === 0) return null
  const order = (player: Listed) => levelOf(player.name) ?? 100
  return (
    <optgroup label={t(label)}>
      {hasAuto && <option value={AUTO}>{t('tengen, at your level')}</option>}
      {[...players]
        .sort((a, b) => order(a) - order(b))
        .map((player) => (
          <option key={player.name} value={player.name}>
            {titleOf(player, size)}
          </option>
        ))}
    </optgroup>
  )
}

/** tengen's levels, and whatever player there is besides. */
export function LevelSelect(props: { hello: Hello; player: string; size: Size; set: (player: string) => void }) {
  const { hello, player, size, set } = props
  const levels = hello.players.filter(({ name, group }) => group === 'level' || name === player)
  return (
    <select value={player} onChange={(event) => set(event.currentTarget.value)}>
      <Group label="tengen" players={levels} size={size} hasAuto />
    </select>
  )
}

/** The same game against another engine. */
export function settingsFor(settings: Settings, player: string): Settings {
  const auto = player === AUTO
  return { ...settings, auto, seats: withEngine(settings.seats, { kind: 'engine', player: auto ? 'default' : player }) }
}

/** How long players think: playouts or seconds a move. */
const STRENGTHS = ['', 'p100', 'p1000', 'p10000', 'p100000', 's1', 's5', 's15']

function strengthInWords(key: string): string {
  const n = Number(key.slice(1)).toLocaleString(document.documentElement.lang || undefined)
  if (key === '') return t('its own')
  if (key === 's1') return t('1 second')
  return key.startsWith('p') ? t('{n} playouts', { n }) : t('{n} seconds', { n })
}

interface EngineProps {
  label: string
  hello: Hello
  seat: Seat
  /** The board. */
  size: Size
  set: (seat: Seat) => void
  /** Whether the level may follow the player's results. */
  hasAuto?: boolean
}

function EngineFields(props: EngineProps) {
  const seat = props.seat.kind === 'engine' ? props.seat : { kind: 'engine' as const, player: 'default' }
  const strength = seat.playouts ? `p${seat.playouts}` : seat.seconds ? `s${seat.seconds}` : ''
  const limits = (key: string) => ({
    playouts: key.startsWith('p') ? Number(key.slice(1)) : null,
    seconds: key.startsWith('s') ? Number(key.slice(1)) : null,
  })
  return (
    <div class="engine">
      <div class="row">
        <label class="wide">
          {t(props.label)}
          <select
            value={seat.player}
            onChange={(event) => {
              const player = event.currentTarget.value
              props.set(isLevel(player) ? { kind: 'engine', player } : { ...seat, player })
            }}
          >
            {GROUPS.map(([group, label]) => (
              <Group
                key={group}
                label={label}
                players={props.hello.players.filter((player) => player.group === group)}
                size={props.size}
                hasAuto={props.hasAuto === true && group === 'level'}
              />
            ))}
          </select>
        </label>
        {!isLevel(seat.player) && (
          <label>
            {t('Thinks for')}
            <select value={strength} onChange={(event) => props.set({ ...seat, ...limits(event.currentTarget.value) })}>
              {STRENGTHS.map((key) => (
                <option key={key} value={key}>
                  {strengthInWords(key)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <small>{aboutPlayer(props.hello, seat.player, props.size)}</small>
    </div>
  )
}

function TimeFields({ time, set }: { time: Time; set: (time: Time) => void }) {
  const field = (label: string, key: 'minutes' | 'seconds' | 'count', low: number, high: number) => (
    <NumberField label={label} value={time[key]} set={(n) => set({ ...time, [key]: n })} low={low} high={high} />
  )
  return (
    <div class="row">
      <label>
        {t('Time')}
        <select
          value={time.kind}
          onChange={(event) => set({ ...time, ...TIMES[event.currentTarget.value as Time['kind']] })}
        >
          <option value="none">{t('No limit')}</option>
          <option value="byoyomi">{t('Byo-yomi')}</option>
          <option value="fischer">{t('Fischer')}</option>
          <option value="canadian">{t('Canadian')}</option>
          <option value="absolute">{t('Absolute')}</option>
        </select>
      </label>
      {time.kind !== 'none' && field('Minutes', 'minutes', 0, 600)}
      {time.kind === 'byoyomi' && field('Seconds', 'seconds', 1, 600)}
      {time.kind === 'byoyomi' && field('Periods', 'count', 1, 50)}
      {time.kind === 'canadian' && field('Seconds', 'seconds', 1, 3600)}
      {time.kind === 'canadian' && field('Stones', 'count', 1, 50)}
      {time.kind === 'fischer' && field('Increment', 'seconds', 0, 600)}
    </div>
  )
}

const TIMES: Record<Time['kind'], Time> = {
  none: { kind: 'none', minutes: 0, seconds: 0, count: 0 },
  absolute: { kind: 'absolute', minutes: 15, seconds: 0, count: 0 },
  byoyomi: { kind: 'byoyomi', minutes: 10, seconds: 30, count: 5 },
  canadian: { kind: 'canadian', minutes: 10, seconds: 300, count: 20 },
  fischer: { kind: 'fischer', minutes: 5, seconds: 10, count: 0 },
}

function readTime(text: string): Time {
  const [kind, main = 0, seconds = 0, count = 0] = text.split(' ').map((word, i) => (i === 0 ? word : Number(word)))
  return kind !== 'none' && String(kind) in TIMES
    ? { kind: kind as Time['kind'], minutes: Number(main) / 60, seconds: Number(seconds), count: Number(count) }
    : TIMES.none
}

function writeTime({ kind, minutes, seconds, count }: Time): string {
  const main = Math.round(minutes * 60)
  if (kind === 'none') return 'none'
  if (kind === 'absolute') return `absolute ${main}`
  if (kind === 'fischer') return `fischer ${main} ${seconds}`
  return `${kind} ${main} ${seconds} ${count}`
}

export function engineOf(seats: Seats): Seat | undefined {
  return [seats.black, seats.white].find((seat) => seat.kind === 'engine')
}

/** The same seats with another engine. */
function withEngine(seats: Seats, engine: Seat): Seats {
  const other = (seat: Seat) => (seat.kind === 'engine' ? engine : seat)
  return { black: other(seats.black), white: other(seats.white) }
}

/** What another game like this one is played with; the customary komi need not be named. */
export function settingsOf(state: State, hello: Hello): Settings {
  const { width, height, seats, rules, handicap, time, teach, auto } = state
  const komi = state.komi === customaryKomi(hello, rules, handicap) ? null : state.komi
  return { width, height, seats, rules, handicap, time, teach, komi, auto }
}

function customaryKomi(hello: Hello, rules: string, handicap: number): number {
  return handicap > 0 ? 0.5 : (hello.rules.find((set) => set.name === rules)?.komi ?? 7.5)
}
