// Playing and studying: what is hidden in a game, and what cannot be spoilt afterwards.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Board, Server, contrast, launch, numbers, reasonToSkip } from './harness.js'

const skip = reasonToSkip()

/** Black throws a game away with a move on the edge; 12 moves. */
const GAME = `(;GM[1]FF[4]SZ[9]KM[7]PB[Ada]PW[Grace]RE[W+R]
  ;B[ee];W[ec];B[ge];W[ce];B[gc];W[cc];B[ai];W[gb];B[ia];W[hc];B[aa];W[gd])`

/** A long record: stones along the rows. */
const LONG = `(;GM[1]FF[4]SZ[19]PB[Ada]PW[Grace]${Array.from({ length: 60 }, (_, i) => {
  const point = `${'abcdefghijklmnopqrs'[i % 19]}${'aceg'[Math.floor(i / 19)]}`
  return `;${i % 2 ? 'W' : 'B'}[${point}]`
}).join('')})`

describe('two rooms', { skip }, () => {
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

  /** A position that a record ends with. */
  const open = async (sgf, options) => {
    const board = await Board.open(browser, server.url, options)
    await board.openFile(sgf)
    await board.page.locator('.who strong', { hasText: 'Ada' }).waitFor()
    return board
  }

  test('in a game nothing tells what the engine thinks until the player asks', async () => {
    const board = await Board.open(browser, server.url)
    await board.click(4, 4)
    await board.moves(2)
    await board.click(2, 2).catch(() => {})
    await board.moves(4)
    const evaluations = board.page.locator('.chances, .moves, .graph, .shudan-heatlabel, .shudan-paint')
    assert.equal(await evaluations.count(), 0)
    await board.page.waitForFunction(() => document.title === 'Your move – tengen')
    await board.picture('playing')
    await board.button('Analyse').click()
    await board.page.waitForSelector('.chances')
    await board.page.waitForSelector('.graph')
    await board.button('Analyse').click()
    await board.page.waitForFunction(() => !document.querySelector('.chances'))
    board.page.on('dialog', (dialog) => dialog.accept())
    await board.button('Resign').click()
    await board.status('wins by resignation')
    await board.page.waitForSelector('.graph')
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('hints come in three steps', async () => {
    const board = await Board.open(browser, server.url)
    await board.click(4, 4)
    await board.moves(2)
    await board.button('Hint').click()
    await board.page.getByText('Look at the marked part of the board.').waitFor()
    await board.page.waitForSelector('.shudan-paint')
    assert.equal(await board.page.locator('.chances').count(), 0)
    await board.button('More').click()
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-marker_label').length > 0)
    await board.page.keyboard.press('h')
    await board.page.getByText(/tengen would play [A-J]\d\.|Passing is fine/).waitFor()
    const number = await board.moveNumber()
    const free = (await board.stones()).indexOf(0)
    await board.click(free % 9, Math.floor(free / 9))
    await board.moves(number + 2)
    assert.equal(await board.page.locator('.hint').count(), 0)
    await board.close()
  })

  test('what is tried after the end leaves the game and its result alone', async () => {
    const board = await Board.open(browser, server.url)
    board.page.on('dialog', (dialog) => dialog.accept())
    await board.click(4, 4)
    await board.moves(2)
    await board.button('Resign').click()
    await board.status('White wins by resignation')
    const before = await board.save()
    await board.page.keyboard.press('Home')
    await board.moves(0)
    await board.status('Looking at move 0 of 2.')
    await board.click(0, 0)
    await board.moves(1)
    await board.click(8, 8)
    await board.moves(2)
    await board.page.waitForTimeout(500)
    assert.equal(await board.moveNumber(), 2, 'the engine does not answer')
    const after = (await board.save()).text
    assert.match(after, /RE\[W\+R\]/)
    const first = /\n?\(;B\[ee\]/.exec(after)
    assert.ok(first && first.index < after.indexOf('(;B[aa]'), `the game is the main line: ${after}`)
    // The end is still the end, after a reload, too.
    await board.page.reload()
    await board.ready()
    await board.page.getByRole('treeitem', { name: /Move 2, white [A-J]\d/ }).first().click()
    await board.status('White wins by resignation')
    assert.match(before.text, /DT\[\d{4}-\d\d-\d\d\]/)
    assert.match(before.name, /^\d{4}-\d\d-\d\d Player-tengen W\+R\.sgf$/)
    // Another one like it.
    await board.button('Rematch').click()
    await board.moves(0)
    await board.status('Your move (black)')
    await board.close()
  })

  test('a mistake opens the position before it, with what was played and what was better', async () => {
    const board = await open(GAME)
    await board.review()
    const mistakes = board.page.locator('.mistakes button')
    assert.ok((await mistakes.count()) > 0)
    for (const text of await board.page.locator('.mistakes .loss').allTextContents()) {
      assert.match(text, /^−\d+\.\d$/)
      assert.ok(Number(text.slice(1).split(' ')[0]) >= 1.5, text)
    }
    // Nothing is drawn on a position to which it does not belong.
    await board.page.keyboard.press('Home')
    await board.moves(0)
    await mistakes.first().hover()
    await board.page.waitForTimeout(200)
    assert.equal(await board.page.locator('.shudan-marker_label').count(), 0)
    const [number, played] = (await mistakes.first().locator('b').textContent()).split('. ')
    await mistakes.first().click()
    await board.moves(Number(number) - 1)
    await board.page.waitForSelector('.shudan-ghost_faint')
    const faint = await board.page.locator('.shudan-ghost_faint').first()
    const [x, y] = [Number(await faint.getAttribute('data-x')), Number(await faint.getAttribute('data-y'))]
    assert.equal(`${'ABCDEFGHJ'[x]}${9 - y}`, played)
    const better = (await mistakes.first().locator('.better').textContent()).replace('better ', '')
    const one = board.page.locator('.shudan-marker_label[title="1"]')
    assert.equal(`${'ABCDEFGHJ'[await one.getAttribute('data-x')]}${9 - (await one.getAttribute('data-y'))}`, better)
    await board.page.waitForFunction(() => document.querySelector('.opened')?.textContent.includes('lost'))
    // The figures of `tengen review`.
    for (const row of ['Accuracy', 'Opening', 'First choices']) {
      const cells = await board.page.locator('.summary tr', { hasText: row }).first().locator('td').allTextContents()
      assert.ok(cells.length === 2 && cells.every((text) => /\d/.test(text)), `${row}: ${cells}`)
    }
    assert.ok((await board.page.locator('.moments li').count()) > 0)
    assert.match(await board.page.locator('.moments li').first().textContent(), /lost \d+\.\d points?: [A-J]\d was better/)
    await board.picture('review')
    // Again, by oneself.
    await board.button('Try again').click()
    await board.page.waitForFunction(() => !document.querySelector('.shudan-marker_label'))
    assert.equal(await board.page.locator('.shudan-heatlabel').count(), 0)
    await board.click(x, y)
    await board.page.getByText(`${played} is what was played.`).waitFor()
    await board.click('ABCDEFGHJ'.indexOf(better[0]), 9 - Number(better[1]))
    await board.page.getByText(`Yes: ${better} is the better move.`).waitFor()
    assert.equal(await board.moveNumber(), Number(number) - 1, 'nothing was played')
    await board.button('Show it').click()
    await board.button('Keep the line').click()
    const nodes = await board.page.locator('.tree .node').count()
    await board.page.waitForFunction(() => document.querySelectorAll('.tree .node').length > 13).catch(() => assert.fail(`${nodes}`))
    // From mistake to mistake by key.
    await board.page.keyboard.press('Home')
    await board.moves(0)
    await board.page.keyboard.press('e')
    await board.page.waitForSelector('.opened')
    assert.ok((await board.page.locator('.tree .dot').count()) > 0)
    assert.deepEqual(board.errors, [])
    await board.close()
  })

  test('evaluations that are stored appear on their own positions', async () => {
    const board = await open(GAME)
    await board.review()
    const saved = await board.save()
    await board.close()
    const again = await open(saved.text)
    for (let i = 1; i <= 3; i++) {
      await again.page.keyboard.press('ArrowRight')
      await again.moves(i)
      await again.page.waitForSelector('.chances')
      await again.page.getByText('from the record').waitFor()
      assert.equal(await again.page.getByText('switch on Analyse').count(), 0)
    }
    assert.ok((await again.page.locator('.mistakes button').count()) > 0, 'the mistakes are known, too')
    // A move that nobody has looked at yet is judged when it is tried.
    const mistake = again.page.locator('.mistakes button').first()
    const [number, played] = (await mistake.locator('b').textContent()).split('. ')
    const better = (await mistake.locator('.better').textContent()).replace('better ', '')
    await mistake.click()
    await again.moves(Number(number) - 1)
    await again.button('Try again').click()
    const stones = await again.stones()
    const nameOf = (i) => `${'ABCDEFGHJ'[i % 9]}${9 - Math.floor(i / 9)}`
    const free = stones.findIndex((stone, i) => stone === 0 && ![played, better].includes(nameOf(i)))
    await again.click(free % 9, Math.floor(free / 9))
    await again.page.getByText(new RegExp(`${nameOf(free)} (loses \\d+\\.\\d points?|is as good)`)).waitFor()
    await again.close()
  })

  test('winning chances of handicap games have no dynamic komi in them', async () => {
    const board = await Board.open(browser, server.url)
    await board.button('New game').click()
    await board.page.getByRole('combobox', { name: 'Handicap' }).selectOption('4')
    await board.page.getByText('White', { exact: true }).click()
    await board.button('Begin').click()
    await board.status('Your move (white)')
    await board.button('Analyse').click()
    await board.page.waitForSelector('.chances')
    const label = await board.page.locator('.chances').getAttribute('aria-label')
    assert.ok(Number(/Black (\d+)%/.exec(label)[1]) > 65, label)
    await board.close()
  })

  test('who is far behind is told which moves lose less, and not to pass', async () => {
    const stones = (x, rows) => rows.map((y) => `[${x}${y}]`).join('')
    const rows = [...'abcdefghi']
    const board = await open(`(;GM[1]SZ[9]KM[60.5]PB[Ada]PW[Grace]AB${stones('b', rows)}${stones('c', rows)}AW${stones('d', rows)}PL[B])`)
    await board.button('Analyse').click()
    await board.page.waitForSelector('.moves tbody tr')
    await board.page.waitForTimeout(1500)
    assert.notEqual(await board.page.locator('.moves tbody th').first().textContent(), 'pass')
    const losses = await board.page.locator('.moves tbody td:nth-child(3)').allTextContents()
    assert.ok(new Set(losses).size > 1, `what moves lose: ${losses}`)
    await board.close()
  })

  test('every press of an arrow key is a step, before and after a click', async () => {
    const board = await open(LONG)
    await board.page.evaluate(() => {
      for (let i = 0; i < 40; i++) dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', repeat: i > 0 }))
    })
    await board.moves(40)
    await board.click(9, 9)
    await board.moves(41)
    await board.page.keyboard.press('ArrowLeft')
    await board.moves(40)
    await board.page.keyboard.press('ArrowLeft')
    await board.moves(39)
    await board.page.locator('.board').hover()
    await board.page.mouse.wheel(0, 100)
    await board.moves(40)
    await board.close()
  })

  test('another theme keeps the graph, whose axes have numbers', async () => {
    const board = await Board.open(browser, server.url)
    await board.page.addInitScript(() => {
      const draw = CanvasRenderingContext2D.prototype.fillText
      window.drawn = []
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        window.drawn.push(String(text))
        return draw.call(this, text, ...rest)
      }
    })
    await board.page.reload()
    await board.ready()
    await board.openFile(GAME)
    await board.page.locator('.who strong', { hasText: 'Ada' }).waitFor()
    await board.review()
    const inked = () =>
      board.page.$eval('.plot canvas', (canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
        return data.filter((value, i) => i % 4 === 3 && value > 0).length
      })
    await board.page.waitForTimeout(300)
    const before = await inked()
    await board.button('Settings').click()
    await board.page.getByRole('combobox', { name: 'Colours' }).selectOption('dark')
    await board.closeDialog()
    await board.page.waitForTimeout(300)
    const after = await inked()
    assert.ok(after > before * 0.8, `${before} points were drawn, then ${after}`)
    const drawn = await board.page.evaluate(() => window.drawn)
    assert.ok(drawn.some((text) => /^B\d+$/.test(text)) && drawn.some((text) => /^W\d+$/.test(text)), drawn.join(' '))
    await board.close()
  })

  test('records without names have no “You”', async () => {
    const board = await Board.open(browser, server.url)
    await board.openFile('(;GM[1]SZ[9];B[ee];W[cc])')
    await board.status('Looking at move 0 of 2.')
    assert.deepEqual(await board.page.locator('.who strong').allTextContents(), ['Black', 'White'])
    await board.close()
  })

  test('every game of a collection can be opened', async () => {
    const board = await Board.open(browser, server.url)
    await board.openFile('(;GM[1]SZ[9]PB[Ada]PW[Grace];B[ee])\n(;GM[1]SZ[13]PB[Bo]PW[Cy]RE[B+2];B[gg];W[dd])')
    await board.page.getByText('2 games in this file').waitFor()
    await board.page.getByRole('button', { name: /Bo – Cy/ }).click()
    await board.page.waitForFunction(() => document.querySelectorAll('.shudan-vertex').length === 169)
    await board.status('Black won by 2 (recorded)')
    await board.close()
  })

  test('labels on candidates can be read', async () => {
    for (const colorScheme of ['light', 'dark']) {
      const board = await open(GAME, { colorScheme })
      await board.button('Analyse').click()
      await board.page.waitForFunction(() => document.querySelectorAll('.shudan-heatlabel').length > 1)
      await board.button('Analyse').click()
      await board.page.waitForTimeout(800)
      const pairs = await board.page.$$eval('.shudan-heatlabel', (labels) =>
        labels.map((label) => {
          const disc = getComputedStyle(label.parentElement.querySelector('.shudan-heat'))
          const wood = getComputedStyle(document.documentElement).getPropertyValue('--board')
          return [getComputedStyle(label).color, disc.backgroundColor, Number(disc.opacity), wood]
        }),
      )
      assert.ok(pairs.length > 1, `${pairs.length} labels`)
      for (const [text, disc, opacity, wood] of pairs) {
        const behind = numbers(disc).map((value, i) => value * opacity + numbers(wood)[i] * (1 - opacity))
        assert.ok(contrast(numbers(text), behind) >= 4.5, JSON.stringify([text, disc, opacity, wood]))
      }
      await board.close()
    }
  })
})
