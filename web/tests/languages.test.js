// Every text of the page has its translations.

import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Board, Server, launch, reasonToSkip } from './harness.js'

const SOURCES = new URL('../src/', import.meta.url)
const TEXT = /(?<![\w.])t\(\s*'((?:[^'\\]|\\.)*)'/g

const read = (name) => readFileSync(new URL(name, SOURCES), 'utf8')
const texts = new Set(
  readdirSync(SOURCES)
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => [...read(name).matchAll(TEXT)].map((found) => found[1])),
)

/** Texts that stand in lists: what players are like, and kinds of problems. */
const WORDS = read('words.ts')
for (const [, text] of /const PLAIN[^]*?\n}/.exec(WORDS)[0].matchAll(/: '(.*)',$/gm)) texts.add(text)
for (const [, text] of /const KINDS = .*/.exec(WORDS)[0].matchAll(/'([a-z ]+)'/g)) texts.add(text)

describe('languages', () => {
  for (const language of ['zh', 'ja', 'ko']) {
    test(`${language} has every text, with its values`, () => {
      const known = new Map(
        [...read(`languages/${language}.ts`).matchAll(/^ {2}'((?:[^'\\]|\\.)*)': '((?:[^'\\]|\\.)*)',$/gm)].map((found) => [found[1], found[2]]),
      )
      assert.deepEqual([...texts].filter((text) => !known.has(text)), [])
      const values = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort().join()
      for (const [text, translated] of known) assert.equal(values(translated), values(text), text)
    })
  }

  test('the page speaks the language of the browser, or another one', { skip: reasonToSkip() }, async () => {
    const browser = await launch()
    const server = await new Server(['--preset', 'random']).start()
    const board = await Board.open(browser, server.url, { locale: 'zh-CN' })
    await board.button('新对局').waitFor()
    assert.equal(await board.page.evaluate(() => document.documentElement.lang), 'zh')
    await board.button('设置').click()
    await board.page.getByRole('combobox', { name: '语言' }).selectOption('ko')
    await board.page.getByRole('combobox', { name: '언어' }).waitFor()
    await board.close()
    await browser.close()
    await server.stop()
  })
})
