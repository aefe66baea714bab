// The board in a real browser, against the program as users get it.

import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { after, before, describe, test } from 'node:test'
import { Board, Server, findGnuGo, launch, reasonToSkip } from './harness.js'

const skip = reasonToSkip()
const gnugo = findGnuGo()
if (skip) console.log(skip)

describe('the board in the browser', { skip }, () => {
  let browser
  let server

  before(async () => {
    browser = await launch()
    server = await new Server(['--playouts', '150', '--threads', '1', '--seed', '1', '--engine', 'quick=rave,playouts=30']).start()
  })

  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  test('the first page is small, quick and asks nobody else', async () => {
    const start = performance.now()
    const board = await Board.open(browser, server.url)
    const seconds = (performance.now() - start) / 1000
    console.log(`usable after ${seconds.toFixed(2)} s`)
    let bytes = 0
    for (const url of board.requests) {
      assert.ok(url.startsWith(server.origin) || url.startsWith('data:'), `a request to ${url}`)
      if (url.startsWith(server.origin)) bytes += gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length
    }
    console.log(`${(bytes / 1000).toFixed(0)} kB compressed`)
    assert.ok(bytes > 10_000 && bytes < 300_000, `${bytes} bytes`)
    const answer = await fetch(`${server.origin}app.js`, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(answer.headers.get('content-encoding'), 'gzip')
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('a whole game on 9x9 is played to its score', async () => {
    const board = await Board.open(browser, server.url)
    // A wall across the board, as far as White lets us; then we pass until both have passed.
    const wanted = [4, 3, 5, 2, 6, 1, 7, 0, 8].map((x) => [x, 4])
    for (const [x, y] of wanted) {
      if ((await board.stones())[y * 9 + x] !== 0) continue
      const number = await board.moveNumber()
      await board.click(x, y)
      await board.moves(number + 2)
      if (!(await board.statusText()).includes('Your move')) break
    }
    await board.passUntilCounted()
    await board.disputeOwnStone()
    // Playing on settles it: what is dead gets captured, the rest lives.
    await board.button('Play on').click()
    await board.page.waitForFunction(() => !document.querySelector('.count'))
    await board.passUntilCounted()
    const result = await board.page.locator('.count h2').textContent()
    await board.disputeOwnStone()
    await board.button('Your opponent is right').click()
    await board.page.waitForFunction((text) => document.querySelector('.count h2').textContent === text, result)
    await board.button('Done').click()
    await board.status('wins by')
    assert.match((await board.save()).text, /RE\[[BW]\+[\d.]+\]/)
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('a finished record is counted point by point', async () => {
    const board = await Board.open(browser, server.url)
    await board.openFile(`(;GM[1]FF[4]SZ[9]KM[7.5]RU[Chinese]PB[Ada]PW[Grace]
      ;B[fd];W[fc];B[ed];W[gd];B[ge];W[gc];B[he];W[ec];B[dc];W[db];B[cc];W[cb];B[bb];W[bc];B[bd];W[dd];B[cd];W[de]
      ;B[df];W[fe];B[ff];W[ee];B[ce];W[ef];B[eg];W[fg];B[gf];W[dg];B[eh];W[cf];B[bf];W[bg];B[ag];W[ah];B[bh];W[af]
      ;B[be];W[ae];B[ac];W[ch];B[ci];W[bi];B[dh];W[di];B[fh];W[gg];B[hg];W[eb];B[gh];W[hd];B[id];W[ic];B[ie];W[]
      ;B[ei];W[ci];B[ad];W[ag];B[ca];W[da];B[ba];W[];B[])`)
    await board.page.getByText('Ada').waitFor()
    await board.page.keyboard.press('End')
    await board.status('Both passed')
    await board.page.waitForSelector('.shudan-paint')
    const rows = await board.page.locator('.count tbody th').allTextContents()
    assert.deepEqual(rows, ['Stones', 'Territory', 'Komi'])
    const total = (await board.page.locator('.count tfoot td').allTextContents()).map(Number)
    assert.equal(total[0] + total[1] - 7.5, 81, `every point belongs to somebody: ${total}`)
    await board.picture('count')
    await board.close()
  })

  test('moves are taken back, one or both, by button and by key', async () => {
    const board = await Board.open(browser, server.url)
    await board.click(4, 4)
    await board.moves(2)
    await board.click(2, 2).catch(() => {})
    await board.moves(4)
    await board.button('Undo').click()
    await board.moves(2)
    await board.button('Undo one stone').click()
    await board.moves(1)
    await board.status('Looking at move 1 of ')
    await board.button('Continue').click()
    await board.moves(2)
    await board.page.keyboard.press('u')
    await board.moves(0)
    assert.ok((await board.stones()).every((stone) => stone === 0))
    await board.page.keyboard.press('p')
    await board.moves(2)
    await board.page.keyboard.press('ArrowLeft')
    await board.moves(1)
    await board.page.keyboard.press('End')
    await board.moves(2)
    await board.close()
  })

  test('the board can be played by keyboard and read aloud', async () => {
    const board = await Board.open(browser, server.url)
    await board.page.locator('.board').focus()
    await board.page.keyboard.press('ArrowUp')
    await board.page.keyboard.press('ArrowLeft')
    assert.match(await board.page.locator('.board').getAttribute('aria-label'), /D6, empty/)
    await board.page.keyboard.press('Enter')
    await board.moves(2)
    assert.equal((await board.stones())[3 * 9 + 3], 1)
    const spoken = await board.page.locator('[aria-live=polite]').textContent()
    assert.match(spoken, /White (plays|passes).*Your move/)
    // Every control has a name.
    const nameless = await board.page.$$eval('button, input, select', (all) =>
      all.filter((e) => !(e.textContent.trim() || e.getAttribute('aria-label') || e.labels?.length)).map((e) => e.outerHTML),
    )
    assert.deepEqual(nameless, [])
    await board.close()
  })

  test('what the engine thinks is shown, hovered and switched', async () => {
    const board = await Board.open(browser, server.url)
    await board.click(4, 4)
    await board.moves(2)
    await board.click(6, 2).catch(() => {})
    await board.moves(4)
    await board.button('Analyse').click()
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-heatlabel').length > 1)
    const visits = async () => Number((await board.page.locator('.facts span').first().textContent()).replace(/\D/g, ''))
    const first = await visits()
    await board.page.waitForFunction(
      (n) => Number(document.querySelector('.facts span').textContent.replace(/\D/g, '')) > n + 500,
      first,
    )
    await board.picture('analysis')
    await board.page.locator('.moves tbody tr').first().hover()
    await board.page.waitForFunction(() => [...document.querySelectorAll('.shudan-marker')].some((m) => m.textContent === '1'))
    await board.page.mouse.move(5, 5)
    await board.button('Moves').click()
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-heatlabel').length === 0)
    await board.button('Ownership').click()
    await board.page.waitForSelector('.shudan-paint')
    await board.button('Ownership').click()
    await board.page.waitForFunction(() => !document.querySelector('.shudan-paint'))
    await board.button('Policy').click()
    await board.page.waitForFunction(() => document.querySelectorAll('[class*="shudan-heat_"]').length > 5)
    // The graph jumps.
    const plot = board.page.locator('.u-over')
    const box = await plot.boundingBox()
    await plot.click({ position: { x: 2, y: box.height / 2 } })
    await board.moves(0)
    await board.button('Analyse').click()
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('a record is opened with its variations, reviewed, saved and opened again', async () => {
    const board = await Board.open(browser, server.url)
    const sgf = `(;GM[1]FF[4]SZ[9]KM[7]PB[Ada]PW[Grace]RE[B+3]C[A short game];B[ee];W[ec];B[ge]
      (;W[ce];B[cc];W[gc])(;W[gg]C[instead];B[cg]))`
    await board.openFile(sgf)
    await board.page.getByText('Ada').waitFor()
    await board.comment('A short game')
    assert.equal(await board.page.locator('.tree .node').count(), 9)
    await board.page.keyboard.press('End')
    await board.moves(6)
    await board.page.getByRole('treeitem', { name: 'Move 4, white G3' }).click()
    await board.comment('instead')
    await board.page.getByRole('button', { name: 'Quick' }).click()
    await board.page.waitForFunction(() => {
      const review = document.querySelector('.review')
      return !review.querySelector('progress') && !review.textContent.includes('Looks at every move')
    })
    await board.page.keyboard.press('Home')
    await board.moves(0)
    await board.click(2, 2)
    await board.moves(1)
    const saved = await board.save()
    assert.equal(saved.name, 'Ada-Grace B+3.sgf')
    assert.ok((saved.text.match(/SBKV\[/g) ?? []).length >= 6, saved.text)
    assert.match(saved.text, /C\[instead\]/)
    assert.match(saved.text, /\(;B\[cc\]/, 'the move played here is a variation')
    await board.openFile(saved.text)
    await board.page.waitForFunction(() => document.querySelectorAll('.tree .node').length === 10)
    assert.equal((await board.save()).text, saved.text)
    // A record that is none leaves everything as it was.
    await board.openFile('hello', 'hello.txt')
    await board.page.getByRole('alert').waitFor()
    assert.equal(await board.page.locator('.tree .node').count(), 10)
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('a game has clocks, handicap, rules and another size', async () => {
    const board = await Board.open(browser, server.url)
    await board.button('New game').click()
    await board.page.getByText('13×13').click()
    await board.page.getByRole('combobox', { name: 'Opponent' }).selectOption('quick')
    await board.page.getByRole('combobox', { name: 'Rules' }).selectOption('japanese')
    await board.page.getByRole('combobox', { name: 'Handicap' }).selectOption('3')
    await board.page.getByText('White', { exact: true }).click()
    await board.page.getByRole('combobox', { name: 'Time' }).selectOption('byoyomi')
    await board.picture('new-game')
    await board.button('Begin').click()
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-vertex').length === 169)
    await board.status('Your move (white)')
    assert.equal((await board.stones()).filter((stone) => stone === 1).length, 3)
    await board.page.getByText('13×13, Japanese rules, komi 0.5, 3 handicap stones').waitFor()
    const clock = board.page.getByRole('timer', { name: "White's clock" })
    const left = await clock.textContent()
    await board.page.waitForFunction((text) => document.querySelectorAll('.clock')[1].textContent !== text, left)
    await board.click(6, 6)
    await board.moves(2)
    await board.close()
  })

  test('two engines play while one looks on', async () => {
    const board = await Board.open(browser, server.url, { colorScheme: 'dark' })
    await board.button('New game').click()
    await board.page.getByText('Two engines').click()
    await board.page.getByRole('combobox', { name: 'White' }).selectOption('quick')
    await board.button('Begin').click()
    await board.atLeast(8)
    await board.page.getByText('White: quick').waitFor()
    assert.equal(await board.page.locator('.thoughts').count(), 2)
    await board.button('Pause').click()
    await board.status('Paused')
    await board.picture('watch')
    await board.button('Continue').click()
    await board.atLeast(12)
    await board.close()
  })

  test('another program plays on the page', { skip: !gnugo && 'SKIPPED: GNU Go is not installed (Debian: gnugo)' }, async () => {
    const own = await new Server(['--playouts', '100', '--engine', `gnu=gtp:${gnugo} --mode gtp --level 1`]).start()
    const board = await Board.open(browser, own.url)
    await board.button('New game').click()
    await board.page.getByRole('combobox', { name: 'Opponent' }).selectOption('gnu')
    await board.button('Begin').click()
    await board.click(4, 4)
    await board.moves(2)
    await board.button('Undo').click()
    await board.moves(0)
    await board.click(2, 2)
    await board.moves(2)
    assert.equal((await board.stones()).filter((stone) => stone === -1).length, 1)
    assert.deepEqual(board.errors, [])
    await board.close()
    await own.stop()
  })

  test('everything fits on a phone', async () => {
    const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }
    const board = await Board.open(browser, server.url, phone)
    const width = await board.page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(width <= 360, `the page is ${width} pixels wide`)
    await board.point(4, 4).tap()
    await board.moves(2)
    const box = await board.page.locator('.shudan-goban').boundingBox()
    assert.ok(box.width > 330 && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box))
    await board.picture('phone')
    await board.button('New game').tap()
    await board.page.getByText('19×19').tap()
    await board.button('Begin').tap()
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-vertex').length === 361)
    assert.ok((await board.page.evaluate(() => document.documentElement.scrollWidth)) <= 360)
    await board.close()
  })

  test('two tabs play two games', async () => {
    const [a, b] = [await Board.open(browser, server.url), await Board.open(browser, server.url)]
    assert.notEqual(a.page.url(), b.page.url())
    await a.click(4, 4)
    await b.click(2, 2)
    await Promise.all([a.moves(2), b.moves(2)])
    assert.equal((await a.stones())[4 * 9 + 4], 1)
    assert.equal((await b.stones())[2 * 9 + 2], 1)
    await b.button('Undo').click()
    await b.moves(0)
    assert.equal(await a.moveNumber(), 2)
    await Promise.all([a.close(), b.close()])
  })

  test('a game survives a reload and the death of the server', async () => {
    const own = await new Server(['--playouts', '100']).start()
    const board = await Board.open(browser, own.url)
    await board.click(4, 4)
    await board.moves(2)
    const stones = await board.stones()
    await board.page.reload()
    await board.ready()
    assert.deepEqual(await board.stones(), stones)
    await own.kill()
    await board.status('Connection lost')
    await own.start()
    await board.status('Your move')
    assert.deepEqual(await board.stones(), stones)
    const free = stones.indexOf(0)
    await board.click(free % 9, Math.floor(free / 9))
    await board.moves(4)
    assert.deepEqual(board.errors, [])
    await board.close()
    await own.stop()
  })

  test('a page of another site gets no connection', async () => {
    const page = await (await browser.newContext()).newPage()
    await page.route('http://evil.example/', (route) => route.fulfill({ contentType: 'text/html', body: '<p>hello' }))
    await page.goto('http://evil.example/')
    const closed = await page.evaluate(
      (url) =>
        new Promise((done) => {
          const socket = new WebSocket(url)
          socket.onopen = () => done(false)
          socket.onerror = () => done(true)
        }),
      `${server.url.replace('http', 'ws').replace('/?', '/ws?')}`,
    )
    assert.ok(closed)
    await page.context().close()
  })
})
