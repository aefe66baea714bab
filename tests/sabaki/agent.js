// An agent written in Python as an engine for Sabaki, driven by its client. python/tests runs this with $TENGEN_PYTHON.

const assert = require('node:assert/strict')
const {test} = require('node:test')
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const agent = `
import tengen
class Agent:
    name = "an agent"
    def new_game(self, seed):
        self.moves = iter(["C3", "pass"])
    def choose(self, board, state):
        return next(self.moves)
tengen.serve_gtp(Agent())
`

test('an agent is an engine of Sabaki', async () => {
  const controller = new Controller(process.env.TENGEN_PYTHON, ['-c', agent])
  const tracker = new ControllerStateTracker(controller)
  controller.start()
  const send = (name, ...args) => controller.sendCommand({name, args})
  const content = async (...words) => {
    const response = await send(...words)
    assert.equal(response.error, false, `${words}: ${response.content}`)
    return response.content
  }
  assert.match(await content('version'), /an agent/)
  assert.equal(await tracker.knowsCommand('genmove'), true)
  for (const game of [1, 2]) {
    await content('clear_board')
    await tracker.sync({boardsize: [5, 5], komi: 0.5, history: [{name: 'play', args: ['B', 'B2']}]})
    assert.equal((await content('genmove', 'W')).trim(), 'C3', `game ${game}`)
    await content('play', 'B', 'D4')
    assert.equal((await content('genmove', 'W')).trim().toLowerCase(), 'pass')
    await content('play', 'B', 'E5')
    const failure = await send('genmove', 'W')
    assert.equal(failure.error, true)
    assert.match(failure.content, /StopIteration/)
  }
  await controller.stop()
})
