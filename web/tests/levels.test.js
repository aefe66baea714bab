// Levels: the first choice in a new game, quick at every one, and one that follows the player.

import assert from 'node:assert/strict'
import { cpus, loadavg } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { Board, Server, launch, reasonToSkip } from './harness.js'

const skip = reasonToSkip()

/** How many times longer everything takes because others use the machine, too. */
const busy = () => Math.max(1, loadavg()[0] / cpus().length)

describe('levels', { skip }, () => {
  let browser
  let server

  before(async () => {
    browser = await launch()
    server = await new Server().start()
  })

  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Begins a game against an opponent of the list. */
  const begin = async (board, opponent) => {
    await board.button('New game').click()
    await board.page.getByRole('combobox', { name: 'Opponent' }).selectOption(opponent)
    await board.button('Begin').click()
    await board.page.getByRole('dialog').waitFor({ state: 'hidden' })
    await board.moves(0)
  }

  test('levels are the first choice, and how long they think belongs to them', async () => {
    const board = await Board.open(browser, server.url)
    await board.button('New game').click()
    const opponent = board.page.getByRole('combobox', { name: 'Opponent' })
    const titles = await opponent.locator('option').allTextContents()
    const withoutRanks = titles.map((title) => title.replace(/ \(.*/, ''))
    assert.deepEqual(withoutRanks.slice(0, 3), ['tengen, at your level', 'tengen, level 1', 'tengen, level 2'])
    assert.deepEqual(withoutRanks.slice(10, 12), ['tengen, level 10', 'tengen at its best'])
    await opponent.selectOption('default')
    assert.equal(await board.page.getByLabel('Thinks for').count(), 1)
    await opponent.selectOption('level-5')
    assert.equal(await board.page.getByLabel('Thinks for').count(), 0)
    await board.picture('new-game-levels')
    await board.close()
  })

  test('levels have ranks on the boards on which they were measured', async () => {
    const board = await Board.open(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await board.button('New game').click()
    const opponent = board.page.getByRole('combobox', { name: 'Opponent' })
    const title = () => opponent.locator('option[value=level-4]').textContent()
    assert.match(await title(), /^tengen, level 4 \(\d+ (kyu|dan)\)$/)
    await opponent.selectOption('level-4')
    await board.page.getByText(/from games with GNU Go, taken for 8 kyu: from \d+ (kyu|dan) to \d+ (kyu|dan)/).waitFor()
    const [choice, form] = await Promise.all([opponent.boundingBox(), board.page.locator('.form').boundingBox()])
    assert.ok(choice.width > form.width - 4, 'the names have the whole width')
    await board.picture('new-game-phone')
    await board.page.getByText('Other', { exact: true }).click()
    await board.page.getByLabel('Columns').fill('7')
    assert.equal(await title(), 'tengen, level 4')
    await board.close()
  })

  test('the first screen asks at which level to play', async () => {
    const board = await Board.open(browser, server.url)
    const choice = board.page.getByRole('combobox', { name: 'Play against' })
    assert.equal(await choice.inputValue(), 'auto')
    await board.page.getByText('One level up after a win, one down after a loss').waitFor()
    await board.picture('welcome')
    await choice.selectOption('level-2')
    await board.page.locator('.who strong', { hasText: 'tengen level 2' }).waitFor()
    await board.click(4, 4)
    await board.moves(2)
    assert.equal(await board.page.locator('.welcome').count(), 0, 'the game has begun')
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('a move takes less than half a second', async () => {
    const board = await Board.open(browser, server.url)
    for (const level of [1, 5, 8]) {
      await begin(board, `level-${level}`)
      await board.page.locator('.who strong', { hasText: `tengen level ${level}` }).waitFor()
      const times = []
      for (const [i, [x, y]] of [[4, 4], [2, 2], [6, 6], [2, 6], [6, 2]].entries()) {
        if ((await board.stones())[y * 9 + x] !== 0) continue
        const number = await board.moveNumber()
        const start = Date.now()
        await board.click(x, y)
        await board.moves(number + 2)
        // The first move also starts the player.
        if (i > 0) times.push(Date.now() - start)
      }
      const middle = times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
      assert.ok(middle < 500 * busy(), `level ${level}: ${times} ms`)
    }
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('a level follows the player’s results', async () => {
    const board = await Board.open(browser, server.url)
    board.page.on('dialog', (dialog) => dialog.accept())
    await begin(board, 'auto')
    await board.page.locator('.who strong', { hasText: 'tengen level 3' }).waitFor()
    await board.click(4, 4)
    await board.moves(2)
    await board.button('Resign').click()
    await board.status('White wins by resignation')
    await board.button('Rematch').click()
    await board.moves(0)
    await board.page.locator('.who strong', { hasText: 'tengen level 2' }).waitFor()
    await board.close()
  })

  test('a rematch keeps the komi', async () => {
    const board = await Board.open(browser, server.url)
    board.page.on('dialog', (dialog) => dialog.accept())
    await board.button('New game').click()
    await board.page.getByRole('combobox', { name: 'Opponent' }).selectOption('level-1')
    await board.page.getByLabel('Komi').fill('3.5')
    await board.button('Begin').click()
    await board.page.getByText('komi 3.5').waitFor()
    await board.click(4, 4)
    await board.moves(2)
    await board.button('Resign').click()
    await board.status('White wins by resignation')
    await board.button('Rematch').click()
    await board.moves(0)
    await board.page.getByText('komi 3.5').waitFor()
    await board.close()
  })
})
