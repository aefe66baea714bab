// Studying: what the graph, the board and the review tell, by mouse and by keyboard.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Board, Server, contrast, launch, numbers, reasonToSkip } from './harness.js'

const skip = reasonToSkip()

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

/** Black throws a game away with moves on the edge. */
const GAME = `(;GM[1]FF[4]SZ[9]KM[7]PB[Ada]PW[Grace]RE[W+R]
  ;B[ee];W[ec];B[ge];W[ce];B[gc];W[cc];B[ai];W[gb];B[ia];W[hc];B[aa];W[gd])`

/** Every move is a mistake, as another program tells. */
const MISTAKES = `(;GM[1]FF[4]SZ[9]KM[7]PB[Ada]PW[Grace]SBKV[50]V[0]${Array.from({ length: 12 }, (_, i) => {
  const point = `${'abcdefghi'[i % 9]}${'ai'[Math.floor(i / 9)]}`
  return i % 2 ? `;W[${point}]SBKV[50]V[0]` : `;B[${point}]SBKV[${20 - i}]V[-${2 + i}]`
}).join('')})`

describe('studying', { skip }, () => {
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

  test('mistakes have the colours of their classes, in the graph and on the board', async () => {
    const board = await open(GAME)
    await board.review()
    const kinds = await board.page.$$eval('.mistakes .class', (all) => all.map((one) => one.className.replace('class ', '')))
    assert.ok(kinds.length > 0)
    await board.page.waitForTimeout(300)
    for (const kind of new Set(kinds)) {
      const dots = await board.page.$eval(
        '.plot canvas',
        (canvas, kind) => {
          const color = getComputedStyle(document.documentElement).getPropertyValue(`--${kind}`).trim()
          const wanted = color.slice(1).match(/../g).map((digits) => Number.parseInt(digits, 16))
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
          let found = 0
          for (let i = 0; i < data.length; i += 4) found += wanted.every((value, j) => Math.abs(data[i + j] - value) < 3) ? 1 : 0
          return found
        },
        kind,
      )
      assert.ok(dots > 5, `${kind}: ${dots} points of its colour`)
    }
    // The panel names the class, and the ring around the stone has its colour.
    await board.page.locator('.mistakes button').first().click()
    await board.page.waitForSelector('.shudan-ghost_faint')
    const name = kinds[0].replace('-', ' ')
    assert.equal(await board.page.locator('.opened .class').textContent(), name)
    const [ring, own] = await board.page.$eval(
      '.shudan-ghost_bad .shudan-ghost',
      (ghost, kind) => {
        const probe = document.body.appendChild(document.createElement('i'))
        probe.style.color = `var(--${kind})`
        return [getComputedStyle(ghost, '::before').borderTopColor, getComputedStyle(probe).color]
      },
      kinds[0],
    )
    assert.equal(ring, own)
    // Phases tell accuracy, points lost and first choices.
    const cells = await board.page.locator('.summary tr', { hasText: 'Opening' }).first().locator('td').allTextContents()
    for (const cell of cells) assert.match(cell, /^\d+\.\d, \d+\.\d, \d+%$/)
    const ranks = await board.page.locator('.summary tr', { hasText: 'Estimated rank' }).locator('td').allTextContents()
    for (const cell of ranks) assert.match(cell, /^(\d+[kd] \(\d+[kd] – \d+[kd]\)|–)$/)
    await board.picture('studying')
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('from mistake to mistake by key, forwards and backwards', async () => {
    const board = await open(MISTAKES)
    const opened = async (number) => {
      await board.moves(number - 1)
      await board.page.waitForFunction((n) => document.querySelector('.opened')?.textContent.includes(` ${n} `), number)
    }
    for (const number of [1, 2, 3]) {
      await board.page.keyboard.press('e')
      await opened(number)
    }
    for (const number of [2, 1]) {
      await board.page.keyboard.press('Shift+E')
      await opened(number)
    }
    await board.close()
  })

  test('every mistake can be listed, and the legend is there without a search', async () => {
    const board = await open(MISTAKES)
    assert.equal(await board.page.locator('.mistakes li').count(), 10)
    await board.button('All 12 mistakes').click()
    assert.equal(await board.page.locator('.mistakes li').count(), 12)
    await board.button('Only the 10 worst').click()
    assert.equal(await board.page.locator('.mistakes li').count(), 10)
    await board.page.getByText('from the record').waitFor()
    await board.page.getByText('What the numbers mean').click()
    const legend = await board.page.locator('.legend').textContent()
    for (const word of ['inaccuracy', 'blunder', '12 or more']) assert.ok(legend.includes(word), legend)
    await board.close()
  })

  test('candidates tell points lost beside chances, and a click keeps the line', async () => {
    const board = await open(GAME)
    await board.button('Analyse').click()
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-heatlabel').length > 1)
    await board.page.waitForTimeout(1500)
    await board.button('Analyse').click()
    await board.page.waitForTimeout(500)
    const labels = await board.page.locator('.shudan-heatlabel').allTextContents()
    assert.ok(labels.length > 1 && labels.every((text) => /^\d+%\n(0|−\d+\.\d|[BW]\+\d+\.\d)$/.test(text)), JSON.stringify(labels))
    assert.ok(labels.some((text) => /\n(0|−\d+\.\d)$/.test(text)), 'other moves than the best lose points')
    const best = await board.page.locator('.moves tbody th').first().textContent()
    const before = await board.page.locator('.tree .node').count()
    const [x, y] = ['ABCDEFGHJ'.indexOf(best[0]), 9 - Number(best.slice(1))]
    await board.point(x, y).hover()
    await board.page.waitForSelector('.shudan-marker_label[title="2"]')
    await board.click(x, y)
    await board.moves(1)
    await board.page.waitForFunction((n) => document.querySelectorAll('.tree .node').length > n + 1, before)
    await board.close()
  })

  test('squares, circles and crosses are written, and the record is copied', async () => {
    const board = await open(GAME, { permissions: ['clipboard-read', 'clipboard-write'] })
    for (const [i, [name, kind]] of [['Square', 'square'], ['Circle', 'circle'], ['Cross', 'cross']].entries()) {
      await board.button(name).click()
      await board.click(2 + i, 3)
      await board.page.waitForSelector(`.shudan-marker_${kind}`)
    }
    await board.button('Copy SGF').click()
    await board.page.getByText('The record is in the clipboard.').waitFor()
    const text = await board.page.evaluate(() => navigator.clipboard.readText())
    for (const part of ['SQ[cd]', 'CR[dd]', 'MA[ed]']) assert.ok(text.includes(part), `${part} in ${text}`)
    await board.close()
  })

  test('graph and windows by keyboard, and the focus can be seen', async () => {
    const board = await open(GAME)
    await board.review()
    const focused = () =>
      board.page.evaluate(() => {
        const element = document.activeElement
        const { outlineStyle, outlineWidth } = getComputedStyle(element)
        const isSeen = element === document.body || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1)
        return { tag: element.tagName, name: element.className, isSeen }
      })
    await board.page.keyboard.press('Home')
    await board.moves(0)
    for (let i = 0; i < 60 && (await focused()).name !== 'plot'; i++) {
      await board.page.keyboard.press('Tab')
      assert.ok((await focused()).isSeen, JSON.stringify(await focused()))
    }
    assert.equal((await focused()).name, 'plot')
    await board.page.keyboard.press('ArrowRight')
    await board.moves(1)
    await board.page.keyboard.press('End')
    await board.moves(12)
    assert.equal(await board.page.locator('.plot').getAttribute('aria-valuenow'), '12')
    await board.page.keyboard.press('n')
    await board.page.getByRole('dialog').waitFor()
    assert.equal(await board.page.evaluate(() => document.activeElement.closest('dialog') !== null), true)
    await board.page.keyboard.press('Tab')
    assert.ok((await focused()).isSeen)
    await board.page.keyboard.press('Escape')
    await board.page.getByRole('dialog').waitFor({ state: 'hidden' })
    await board.close()
  })

  test('coordinates can be read', async () => {
    for (const colorScheme of ['light', 'dark']) {
      const board = await Board.open(browser, server.url, { colorScheme })
      const [text, opacity, wood, deep] = await board.page.$eval('.shudan-coordx span', (span) => {
        const root = getComputedStyle(document.documentElement)
        const { color, opacity } = getComputedStyle(span)
        return [color, Number(opacity), root.getPropertyValue('--board'), root.getPropertyValue('--board-deep')]
      })
      for (const behind of [wood, deep].map(numbers)) {
        const ink = numbers(text).map((value, i) => value * opacity + behind[i] * (1 - opacity))
        assert.ok(contrast(ink, behind) >= 4.5, `${text} ${opacity} on ${behind}: ${contrast(ink, behind)}`)
      }
      await board.close()
    }
  })

  test('a move that is as good as the file’s solves one’s own mistake', async () => {
    // The position is told to be worth less, or more, than it is: then every move is good enough, or none.
    const problem = (score) =>
      `(;GM[1]SZ[9]KM[7]GN[C3 lost 3.0 points (move 7)]AB[ee][ge]AW[ec][ce]PL[B]SBKV[50]V[${score}]BY[distilled]PV[gc];B[gc]TE[1])`
    for (const [score, verdict] of [[-60, 'Right!'], [60, 'Wrong.']]) {
      const board = await Board.open(browser, server.url)
      await board.openFile(problem(score) + problem(score))
      await board.page.getByText('of 2 solved').waitFor()
      await board.page.getByRole('button', { name: /^C3 lost/ }).first().click()
      await board.page.locator('.problem .verdict', { hasText: 'Black to play' }).waitFor()
      await board.click(4, 6)
      await board.page.locator('.problem .verdict', { hasText: verdict }).waitFor()
      if (verdict === 'Wrong.') await board.moves(2)
      assert.deepEqual(board.errors, [])
      await board.close()
    }
  })

  test('on a phone the board stays in sight of its mistakes', async () => {
    const board = await open(GAME, PHONE)
    await board.review()
    await board.page.locator('.mistakes button').last().click()
    await board.page.waitForSelector('.opened')
    const box = await board.page.locator('.board').boundingBox()
    assert.ok(box.y >= 0 && box.y + box.height <= 844, JSON.stringify(box))
    await board.button('Try again').click()
    await board.page.getByText('Play the better move on the board.').waitFor()
    await board.picture('mistake-phone')
    await board.close()
  })

  test('on small points candidates tell what they lose, and nothing that cannot be read', async () => {
    const board = await open('(;GM[1]FF[4]SZ[19]KM[7]PB[Ada];B[pd];W[dp];B[pp];W[dd])', PHONE)
    await board.page.keyboard.press('End')
    await board.moves(4)
    await board.button('Analyse').click()
    await board.page.waitForSelector('.shudan-heatlabel')
    const labels = await board.page.locator('.shudan-heatlabel').allTextContents()
    for (const label of labels) assert.match(label, /^(0|−\d+\.\d)$/)
    const cut = await board.page.$$eval('.shudan-heatlabel', (all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length)
    assert.equal(cut, 0, 'none is cut off')
    await board.picture('candidates-phone')
    await board.close()
  })

  test('marks can be set where a mistake is open', async () => {
    const board = await open(GAME)
    await board.review()
    await board.page.locator('.mistakes button').first().click()
    await board.page.waitForSelector('.opened')
    await board.page.getByRole('button', { name: 'Triangle' }).click()
    await board.click(4, 8)
    await board.page.waitForSelector('.shudan-vertex[data-x="4"][data-y="8"].shudan-marker_triangle')
    await board.close()
  })
})
