// Drives `tengen gtp` with @sabaki/gtp, the client that Sabaki uses: what it sends, in the order in which it sends it.
//
//   cargo build --release && cd tests/sabaki && npm install && npm test
//
// The binary is $TENGEN_BIN, or target/release/tengen.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const {afterEach, beforeEach, test} = require('node:test')
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const binary = process.env.TENGEN_BIN || path.join(__dirname, '../../target/release/tengen')
const args = ['gtp', '--preset', 'random', '--seed', '1']

let controller, tracker

/** Sends a command line and returns the content of the answer; fails on `?`. */
async function ask(line) {
  const response = await send(line)
  assert.equal(response.error, false, `${line}: ${response.content}`)
  return response.content
}

function send(line) {
  const [name, ...args] = line.split(' ')
  return controller.sendCommand({name, args})
}

async function stones(color) {
  return (await ask(`list_stones ${color}`)).split(' ').filter(Boolean).sort()
}

const play = (color, vertex) => ({name: 'play', args: [color, vertex]})

beforeEach(() => {
  assert.ok(fs.existsSync(binary), `${binary} does not exist: build it, or set TENGEN_BIN`)
  controller = new Controller(binary, args)
  tracker = new ControllerStateTracker(controller)
  controller.start()
})

afterEach(async () => {
  if (controller.process != null) await controller.stop()
})

test('introduces itself as Sabaki asks', async () => {
  assert.equal(await ask('name'), 'tengen')
  assert.match(await ask('version'), /^\d+\.\d+\.\d+/)
  assert.equal(await ask('protocol_version'), '2')
  const commands = (await ask('list_commands')).split('\n')
  for (const name of ['play', 'genmove', 'undo', 'komi', 'set_free_handicap', 'rectangular_boardsize', 'loadsgf']) {
    assert.ok(commands.includes(name), name)
    assert.equal(await tracker.knowsCommand(name), true, name)
  }
  assert.equal(await tracker.knowsCommand('make_coffee'), false)
})

test('repeats ids', async () => {
  const response = await controller.sendCommand({id: 4711, name: 'name'})
  assert.deepEqual({...response}, {id: 4711, content: 'tengen', error: false})
  const refused = await controller.sendCommand({id: 12, name: 'make_coffee'})
  assert.equal(refused.id, 12)
  assert.equal(refused.error, true)
})

test('follows a game that is synchronised', async () => {
  const history = [play('B', 'D4'), play('W', 'F6'), play('B', 'C7'), play('W', 'PASS')]
  await tracker.sync({boardsize: [9, 9], komi: 6.5, history})
  assert.deepEqual(await stones('black'), ['C7', 'D4'])
  assert.deepEqual(await stones('white'), ['F6'])
  assert.equal(await ask('get_komi'), '6.5')
})

test('goes back by undo and forward again', async () => {
  const history = ['A1', 'B1', 'C1', 'D1', 'E1', 'F1'].map((v, i) => play(i % 2 ? 'W' : 'B', v))
  await tracker.sync({boardsize: [9, 9], komi: 7, history})
  assert.equal(await tracker.knowsCommand('undo'), true)
  const sent = []
  controller.on('command-sent', ({command}) => sent.push(command.name))
  await tracker.sync({boardsize: [9, 9], komi: 7, history: [...history.slice(0, 4), play('B', 'G7')]})
  assert.deepEqual(sent, ['undo', 'undo', 'play'])
  assert.deepEqual(await stones('black'), ['A1', 'C1', 'G7'])
  assert.deepEqual(await stones('white'), ['B1', 'D1'])
})

test('takes handicap and rectangular boards', async () => {
  const history = [{name: 'set_free_handicap', args: ['D4', 'Q16', 'D16']}, play('W', 'Q4')]
  await tracker.sync({boardsize: [19, 19], komi: 0.5, history})
  assert.deepEqual(await stones('black'), ['D16', 'D4', 'Q16'])
  assert.deepEqual(await stones('white'), ['Q4'])
  assert.equal((await send('fixed_handicap 2')).error, true)

  await ask('clear_board')
  assert.equal((await ask('fixed_handicap 4')).split(' ').length, 4)
  assert.equal(tracker.state.history[0].args.length, 4)

  await tracker.sync({boardsize: [7, 5], komi: 0, history: [play('B', 'G5')]})
  assert.deepEqual(await stones('black'), ['G5'])
})

test('refuses what it cannot do, and goes on', async () => {
  await assert.rejects(tracker.sync({boardsize: [25, 25]}), /Board size/)
  await assert.rejects(tracker.sync({boardsize: [9, 9], history: [play('B', 'A1'), play('W', 'A1')]}), /replayed/)
  assert.equal(await ask('name'), 'tengen')
})

test('plays a whole game, and the tracker agrees with the board', async () => {
  await tracker.sync({boardsize: [5, 5], komi: 0.5, history: []})
  let passes = 0
  for (let move = 0; move < 200 && passes < 2; move++) {
    const vertex = await ask(`genmove ${move % 2 ? 'W' : 'B'}`)
    assert.match(vertex, /^([A-E][1-5]|pass)$/)
    passes = vertex === 'pass' ? passes + 1 : 0
  }
  assert.equal(passes, 2)
  assert.equal((await ask('move_history')).split('\n').length, tracker.state.history.length)
  assert.match(await ask('final_score'), /^([BW]\+\d+(\.\d+)?|0)$/)
  assert.match(await ask('showboard'), /A B C D E/)

  // The position that the tracker remembers is the one on the board.
  const before = [await stones('black'), await stones('white')]
  const {history} = tracker.state
  await ask('clear_board')
  await tracker.sync({history})
  assert.deepEqual([await stones('black'), await stones('white')], before)
})

test('answers commands that are sent without waiting, in order', async () => {
  await ask('boardsize 9')
  const lines = ['play B E5', 'genmove W', 'protocol_version', 'undo', 'undo', 'last_move']
  const responses = await Promise.all(lines.map(send))
  assert.deepEqual(responses.map(response => response.error), [false, false, false, false, false, true])
  assert.equal(responses[2].content, '2')
})

test('aborts as Sabaki does, by any command, and by stop', async () => {
  const genmove = send('genmove B')
  assert.equal(await ask('protocol_version'), '2')
  assert.equal((await genmove).error, false)
  await ask('stop')
  await ask('gogui-interrupt')
})

/** One `info` of an analysis, read as Sabaki's engineSyncer reads it: keys, values, and `pv` to the end. */
function readInfo(text) {
  const [head, pv] = text.split(' pv ')
  const words = head.trim().split(/\s+/)
  const info = {pv: pv.trim().split(/\s+/)}
  for (let i = 0; i < words.length - 1; i += 2) info[words[i]] = words[i + 1]
  // A whole number is a win rate times 10,000, one with a point a fraction.
  info.percent = info.winrate.includes('.') ? +info.winrate * 100 : +info.winrate / 100
  return info
}

async function searching() {
  await controller.stop()
  controller = new Controller(binary, ['gtp', '--preset', 'rave', '--seed', '1', '--playouts', '500'])
  controller.start()
  await ask('boardsize 9')
}

test('analyses until Sabaki aborts it', async () => {
  await searching()
  const commands = (await ask('list_commands')).split('\n')
  for (const name of ['analyze', 'kata-analyze', 'lz-analyze']) {
    assert.ok(commands.includes(name), name)
    const lines = []
    let enough
    const shown = new Promise(resolve => (enough = resolve))
    const args = name === 'lz-analyze' ? ['B', '5'] : ['B', 'interval', '5', 'ownership', 'true']
    const analysis = controller.sendCommand({name, args}, ({line}) => {
      if (line.startsWith('info ') && lines.push(line) === 3) enough()
    })
    await shown
    assert.equal(await ask('protocol_version'), '2')
    assert.equal((await analysis).error, false)

    const [infos, ownership] = lines.at(-1).split(' ownership ')
    const moves = infos.split('info ').slice(1).map(readInfo)
    assert.ok(moves.length > 0)
    for (const info of moves) {
      assert.match(info.move, /^([A-HJ][1-9]|pass)$/)
      assert.equal(info.pv[0], info.move)
      assert.ok(info.percent >= 0 && info.percent <= 100 && +info.visits > 0, JSON.stringify(info))
      if (name !== 'lz-analyze') assert.ok(Math.abs(+info.scoreLead) <= 81 + 7.5)
    }
    if (name !== 'lz-analyze') assert.equal(ownership.trim().split(/\s+/).length, 81)
  }
})

test('shows what it thinks while it chooses a move', async () => {
  await searching()
  for (const name of ['genmove_analyze', 'kata-genmove_analyze', 'lz-genmove_analyze']) {
    const lines = []
    const {content} = await controller.sendCommand({name, args: ['B', '5']}, ({line}) => lines.push(line))
    const played = lines.map(line => /^play (\S+)$/.exec(line.trim())).find(Boolean)
    assert.ok(played, content)
    assert.ok(lines.some(line => line.startsWith('info move ')))
    assert.match(await ask('last_move'), new RegExp(`black ${played[1]}`, 'i'))
  }
})

test('ends by quit, and when it is killed', async () => {
  await ask('name')
  await controller.stop()
  assert.equal(controller.process, null)
  controller.start()
  await ask('name')
  await controller.kill()
  assert.equal(controller.process, null)
})
