// Problems: from files, from the starter set, and from one's own mistakes.

import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { Board, Server, launch, reasonToSkip } from './harness.js'

const skip = reasonToSkip()

/** Two moves to find, with an answer in between, and a wrong one that the file refutes. */
const FIRST = `(;GM[1]SZ[9]GN[the first]AB[cc][dc]AW[cd][dd]PL[B]C[Black to live]
  (;B[ee];W[ef](;B[fe]C[RIGHT])(;B[ff]))(;B[gg];W[gf]))`
const SECOND = '(;GM[1]SZ[9]GN[the second]AB[cc]AW[dd]PL[W];W[ee]TE[2])'

/** Black throws a game away with a move on the edge. */
const GAME = `(;GM[1]FF[4]SZ[9]KM[7]PB[Ada]PW[Grace]RE[W+R]
  ;B[ee];W[ec];B[ge];W[ce];B[gc];W[cc];B[ai];W[gb];B[ia];W[hc];B[aa];W[gd])`

describe('problems', { skip }, () => {
  let browser
  let server

  before(async () => {
    browser = await launch()
    server = await new Server(['--playouts', '150', '--threads', '1', '--seed', '1']).start()
  })

  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const verdict = (board, text) => board.page.locator('.problem .verdict', { hasText: text }).waitFor()

  test('a right answer is answered until the problem is solved, and progress is kept', async () => {
    const board = await Board.open(browser, server.url)
    await board.openFile(FIRST + SECOND)
    await board.page.getByText('0 of 2 solved').waitFor()
    await board.page.getByRole('button', { name: /the first/ }).first().click()
    await verdict(board, 'Black to play')
    await board.page.getByText('Black to live').waitFor()
    assert.equal(await board.page.locator('.tree .node').count(), 0, 'the solution is not told')
    await board.picture('problem')
    await board.click(4, 4)
    await board.moves(2)
    await verdict(board, 'Black to play')
    await board.click(5, 4)
    await verdict(board, 'Right!')
    await board.button('Next problem').click()
    await verdict(board, 'White to play')
    // What is not in the file is refuted by the engine.
    await board.click(0, 8)
    await verdict(board, 'Wrong.')
    await board.moves(2)
    await board.picture('problem-wrong')
    await board.page.getByRole('button', { name: 'Try again' }).click()
    await verdict(board, 'White to play')
    await board.button('Show the solution').click()
    await verdict(board, 'This is the solution.')
    await board.moves(1)
    await board.close()
    // After a reload, too, and in another file.
    const again = await Board.open(browser, server.url)
    await again.openFile(FIRST + SECOND)
    await again.page.getByText('1 of 2 solved').waitFor()
    assert.deepEqual(again.errors, [])
    await again.close()
  })

  test('a wrong move is refuted by the file where it can be', async () => {
    const board = await Board.open(browser, server.url)
    await board.openFile(FIRST)
    await board.page.getByRole('button', { name: /the first/ }).first().click()
    await verdict(board, 'Black to play')
    await board.click(6, 6)
    await verdict(board, 'Wrong.')
    await board.moves(2)
    assert.equal((await board.stones())[5 * 9 + 6], -1, 'White has answered at G4')
    await board.close()
  })

  test('the starter set has problems of every kind, also on a phone', async () => {
    const board = await Board.open(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    await board.button('Open').click()
    await board.button('Starter set').click()
    await board.page.getByText('of 63 solved').waitFor()
    for (const kind of ['ladder', 'net', 'snapback', 'seki', 'ko', 'nakade', 'semeai', 'life and death', 'endgame']) {
      assert.ok((await board.page.getByRole('button', { name: new RegExp(`^${kind} 1`) }).count()) > 0, kind)
    }
    await board.picture('problems-phone')
    await board.page.getByRole('button', { name: /^ladder 1/ }).click()
    await board.page.locator('.problem .verdict').waitFor()
    await board.picture('problem-phone')
    // The last of each kind take several moves.
    await board.page.getByRole('button', { name: 'of 63 solved' }).click()
    await board.page.getByRole('button', { name: /^ladder 7/ }).click()
    await board.page.getByRole('heading', { name: 'ladder 7' }).waitFor()
    await board.button('Show the solution').click()
    await board.atLeast(3)
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('mistakes in a reviewed game become problems', async () => {
    const board = await Board.open(browser, server.url)
    await board.openFile(GAME)
    await board.page.locator('.who strong', { hasText: 'Ada' }).waitFor()
    await board.review()
    await board.page.waitForSelector('.mistakes button')
    await board.page.waitForTimeout(500)
    await board.button('Open').click()
    await board.button('My mistakes').click()
    await board.page.getByRole('dialog').getByRole('button', { name: /^[A-J]\d lost \d+\.\d points/ }).first().click()
    await board.page.locator('.problem .verdict', { hasText: 'to play: find the best move.' }).waitFor()
    assert.equal(await board.page.locator('.graph, .mistakes').count(), 0)
    await board.close()
  })

  test('a file from the command line is opened first', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'tengen-problems-')), 'two.sgf')
    writeFileSync(file, FIRST + SECOND)
    const own = await new Server(['--playouts', '50', '--problems', file]).start()
    const board = await Board.open(browser, own.url)
    await board.page.getByText('0 of 2 solved').waitFor()
    await board.close()
    await own.stop()
  })
})
