// What is left of games when the disk is full, the server dies, or two of them share a folder; and who gets in.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Board, Server, launch, reasonToSkip } from './harness.js'

const skip = reasonToSkip()

describe('stored games', { skip }, () => {
  let browser

  before(async () => {
    browser = await launch()
  })

  after(async () => {
    await browser?.close()
  })

  test('a move on a full disk is refused, and the page says so', async () => {
    // Files may grow to 200 kB, as if the disk were full then.
    const limited = ['bash', '-c', 'trap "" XFSZ; ulimit -f 200; exec "$@"', 'bash']
    const server = await new Server(['--preset', 'random', '--size', '19'], limited).start()
    const board = await Board.open(browser, server.url)
    let refused = false
    for (let i = 0; i < 180 && !refused; i++) {
      const stones = await board.stones()
      const free = stones.indexOf(0)
      const number = await board.moveNumber()
      await board.click(free % 19, Math.floor(free / 19))
      await board.page.waitForFunction(
        (n) => document.querySelector('.toast') || Number.parseInt(document.querySelector('.walk .number').textContent, 10) >= n,
        number + 2,
      )
      refused = (await board.page.locator('.toast').count()) > 0
    }
    assert.ok(refused, 'the disk was never full')
    await board.page.getByText('This could not be saved').waitFor()
    const shown = await board.stones()
    await server.kill()
    await server.start()
    await board.page.reload()
    await board.ready()
    assert.deepEqual(await board.stones(), shown, 'what is shown is what is stored')
    assert.deepEqual(board.errors, [])
    await board.close()
    await server.stop()
  })

  test('a server that is told to end says so and leaves nothing behind', async () => {
    const server = await new Server(['--playouts', '100']).start()
    const board = await Board.open(browser, server.url)
    await board.click(4, 4)
    await board.moves(2)
    const stones = await board.stones()
    assert.equal(await server.kill('SIGTERM'), 0)
    await board.page.getByText('The server has ended.').waitFor()
    await server.start()
    await board.status('Your move')
    assert.deepEqual(await board.stones(), stones)
    await board.close()
    await server.stop()
  })

  test('games are found, named, exported and deleted', async () => {
    const server = await new Server(['--preset', 'random']).start()
    const board = await Board.open(browser, server.url)
    await board.click(4, 4)
    await board.moves(2)
    await board.openFile('(;GM[1]SZ[13]PB[Ada]PW[Grace]RE[B+2.5];B[dd];W[jj])')
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-vertex').length === 169)
    await board.button('One move forward').click()
    await board.moves(1)
    await board.page.waitForTimeout(500)
    const rows = board.page.locator('.games li')
    await board.button('Open').click()
    await board.page.waitForFunction(() => document.querySelectorAll('.games li').length === 2)
    await board.page.getByRole('searchbox').fill('grace')
    await board.page.waitForFunction(() => document.querySelectorAll('.games li').length === 1)
    await board.button('Rename Ada – Grace').click()
    await board.page.getByLabel('Name of the game').fill('The final')
    await board.button('Rename').click()
    await rows.getByText('The final').waitFor()
    await board.picture('library')
    const [download] = await Promise.all([board.page.waitForEvent('download'), board.button('Export all 1').click()])
    const chunks = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk)
    assert.match(Buffer.concat(chunks).toString(), /^\(;[^(]*GN\[The final\]/)
    assert.ok(await board.button('Delete The final').isDisabled(), 'it is open')
    await board.page.getByRole('searchbox').fill('')
    await board.button('Delete You – random').click()
    await board.button('Delete').click()
    await board.page.waitForFunction(() => document.querySelectorAll('.games li').length === 1)
    assert.deepEqual(board.errors, [])
    await board.close()
    await server.stop()
  })

  test('who does not know the token is told where to find it', async () => {
    const server = await new Server(['--playouts', '100']).start()
    const page = await (await browser.newContext()).newPage()
    await page.goto(server.origin)
    await page.getByText('open the whole address').waitFor()
    await page.goto(server.url)
    await page.waitForSelector('.shudan-vertex')
    assert.ok(!page.url().includes('token'), page.url())
    await page.reload()
    await page.waitForSelector('.shudan-vertex')
    await page.context().close()
    await server.stop()
  })
})
