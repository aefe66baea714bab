// Writing in records, teaching, and reaching everything by keyboard and on a phone.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Board, Server, launch, reasonToSkip } from './harness.js'

const skip = reasonToSkip()
const RECORD = '(;GM[1]FF[4]SZ[9]KM[7]PB[Ada]PW[Grace];B[ee];W[ec](;B[ge];W[ce])(;B[cg]))'

describe('records and their readers', { skip }, () => {
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

  const open = async (sgf, options) => {
    const board = await Board.open(browser, server.url, options)
    await board.openFile(sgf)
    await board.page.locator('.who strong', { hasText: 'Ada' }).waitFor()
    return board
  }

  test('comments, marks, names and stones are written into the record', async () => {
    const board = await open(RECORD)
    await board.page.locator('textarea.comment').fill('a good start')
    await board.button('Triangle').click()
    await board.click(3, 3)
    await board.page.waitForSelector('.shudan-marker_triangle')
    await board.button('Letter').click()
    await board.click(4, 3)
    await board.page.waitForSelector('.shudan-marker_label[title="A"]')
    await board.click(5, 3)
    await board.page.waitForSelector('.shudan-marker_label[title="B"]')
    await board.button('Letter').click()
    await board.button('About the game…').click()
    await board.page.getByLabel('Black', { exact: true }).fill('Ada Lovelace')
    await board.page.getByLabel('Place').fill('London')
    await board.page.getByLabel('Result').fill('B+2.5')
    await board.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await board.page.locator('.who strong', { hasText: 'Ada Lovelace' }).waitFor()
    await board.button('Set up a black stone').click()
    await board.click(0, 0)
    await board.page.waitForFunction(() => document.querySelector('.shudan-vertex').classList.contains('shudan-sign_1'))
    const { text } = await board.save()
    for (const part of ['C[a good start]', 'TR[dd]', 'LB[ed:A][fd:B]', 'PB[Ada Lovelace]', 'PC[London]', 'RE[B+2.5]', 'AB[aa]']) {
      assert.ok(text.includes(part), `${part} in ${text}`)
    }
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('two people write on a fresh board, and a position is set up before a game', async () => {
    const board = await Board.open(browser, server.url)
    await board.button('New game').click()
    await board.page.getByText('Two people').click()
    await board.button('Begin').click()
    await board.status('Black to move')
    await board.button('Set up a black stone').click()
    await board.click(2, 2)
    await board.page.waitForFunction(() => document.querySelector('.shudan-vertex[data-x="2"][data-y="2"]').classList.contains('shudan-sign_1'))
    await board.button('Set up a black stone').click()
    await board.button('Let White play first').click()
    await board.status('White to move')
    await board.page.locator('textarea.comment').fill('from the club')
    await board.click(6, 6)
    await board.moves(1)
    const { text } = await board.save()
    for (const part of ['AB[cc]', 'PL[W]', 'C[from the club]', 'W[gg]']) assert.ok(text.includes(part), `${part} in ${text}`)
    await board.button('New game').click()
    await board.page.getByText('Me and tengen').click()
    await board.button('Begin').click()
    await board.status('Your move (black)')
    await board.page.getByText('Set up a position').click()
    await board.button('Set up a white stone').click()
    await board.click(4, 4)
    await board.page.waitForFunction(() => document.querySelector('.shudan-vertex[data-x="4"][data-y="4"]').classList.contains('shudan-sign_-1'))
    await board.button('Set up a white stone').click()
    await board.click(2, 2)
    await board.moves(2)
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('variations are made from lines, become the main line, and are deleted', async () => {
    const board = await open(RECORD)
    board.page.on('dialog', (dialog) => dialog.accept())
    await board.page.getByRole('treeitem', { name: 'Move 3, black C3' }).click()
    await board.moves(3)
    await board.button('Make this the main line').click()
    await board.page.waitForFunction(() => ![...document.querySelectorAll('button')].some((b) => b.textContent === 'Make this the main line'))
    assert.match((await board.save()).text, /\(;B\[cg\]\)\s*\(;B\[ge\];W\[ce\]\)/)
    await board.button('Delete from here').click()
    await board.moves(2)
    await board.page.waitForFunction(() => document.querySelectorAll('.tree .node').length === 5)
    assert.ok(!(await board.save()).text.includes('B[cg]'))
    await board.button('Analyse').click()
    await board.page.waitForSelector('.moves tbody tr')
    await board.button('Analyse').click()
    await board.page.locator('.moves tbody tr').first().click()
    await board.page.waitForFunction(() => document.querySelectorAll('.tree .node').length > 5)
    // The tree by keyboard: up and down change the variation.
    await board.page.getByRole('treeitem', { name: 'Move 3, black G5' }).click()
    await board.moves(3)
    await board.page.getByRole('tree').focus()
    await board.page.keyboard.press('ArrowDown')
    await board.page.waitForFunction(() => !document.querySelector('.tree .here').ariaLabel.includes('black G5'))
    await board.close()
  })

  test('a record is pasted, numbered and found again', async () => {
    const own = await new Server(['--preset', 'random']).start()
    const board = await Board.open(browser, own.url)
    await board.click(4, 4)
    await board.moves(2)
    await board.page.evaluate((text) => {
      const data = new DataTransfer()
      data.setData('text', text)
      dispatchEvent(new ClipboardEvent('paste', { clipboardData: data }))
    }, RECORD)
    await board.page.locator('.who strong', { hasText: 'Ada' }).waitFor()
    await board.button('Settings').click()
    await board.page.getByLabel('Numbers of the moves').check()
    await board.closeDialog()
    await board.page.keyboard.press('End')
    await board.page.waitForSelector('.shudan-marker_label[title="4"]')
    // A fresh page offers the game that was not finished.
    const fresh = await Board.open(browser, own.url)
    await fresh.page.getByRole('button', { name: /^Resume/ }).click()
    await fresh.page.waitForFunction(() => document.querySelectorAll('.tree .node').length > 2)
    await board.close()
    await fresh.close()
    await own.stop()
  })

  test('the teaching seat warns before a bad move', async () => {
    const board = await Board.open(browser, server.url)
    await board.button('New game').click()
    await board.page.getByRole('combobox', { name: 'Teaching' }).selectOption('3')
    await board.button('Begin').click()
    await board.click(0, 0)
    await board.page.getByRole('alert').getByText('A9').waitFor()
    await board.page.waitForSelector('.shudan-marker_label[title="1"]')
    await board.picture('warning')
    assert.equal(await board.moveNumber(), 0)
    await board.button('Take back').click()
    await board.page.waitForFunction(() => !document.querySelector('.warning'))
    // Who insists may.
    await board.click(0, 0)
    await board.button('Play anyway').click()
    await board.moves(2)
    assert.equal((await board.stones())[0], 1)
    assert.equal(await board.page.locator('.warning').count(), 0)
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('opponents have names and plain descriptions', async () => {
    const board = await Board.open(browser, server.url)
    assert.deepEqual(await board.page.locator('.who strong').allTextContents(), ['You', 'tengen'])
    await board.button('New game').click()
    // The window begins with its first field.
    assert.equal(await board.page.evaluate(() => document.activeElement.name), 'Who plays')
    await board.page.getByRole('combobox', { name: 'Opponent' }).selectOption('policy')
    await board.page.getByText('Plays by instinct, without reading ahead').waitFor()
    const groups = await board.page.$$eval('dialog optgroup', (all) => all.map((group) => group.label))
    assert.deepEqual(groups.slice(0, 2), ['tengen', 'Techniques'])
    const rules = await board.page.getByRole('combobox', { name: 'Rules' }).locator('option').allTextContents()
    for (const name of ['AGA', 'Ing', 'Chinese (OGS)']) assert.ok(rules.includes(name), rules.join())
    await board.close()
  })

  test('on a phone small points take two taps, and the page can be installed', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }
    const board = await Board.open(browser, server.url, phone)
    await board.button('New game').tap()
    await board.page.getByText('19×19').tap()
    await board.button('Begin').tap()
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-vertex').length === 361)
    await board.point(3, 3).tap()
    await board.page.waitForSelector('.shudan-ghost_1')
    assert.equal(await board.moveNumber(), 0)
    await board.point(3, 3).tap()
    await board.atLeast(1)
    await board.picture('phone-19')
    const manifest = await (await fetch(`${server.origin}manifest.webmanifest`)).json()
    for (const icon of manifest.icons) assert.equal((await fetch(`${server.origin}${icon.src}`)).status, 200)
    assert.ok(manifest.icons.some((icon) => icon.type === 'image/png' && icon.sizes === '512x512'))
    await board.close()
  })

  test('without tengen the installed page says what to do', async () => {
    const own = await new Server(['--preset', 'random']).start()
    const board = await Board.open(browser, own.url)
    await board.page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await board.page.waitForTimeout(500)
    await own.kill()
    await board.page.reload()
    await board.page.getByText('tengen is not running on this machine').waitFor()
    await own.start()
    await board.page.waitForSelector('.shudan-vertex')
    await board.close()
    await own.stop()
  })
})
