// Starts the program and a browser for the tests.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'

/** Where pictures go: the README shows some of them. */
const PICTURES = resolve(process.env.TENGEN_SCREENSHOTS ?? '../target/screenshots')
const PATIENCE = 90_000

const BIN = process.env.TENGEN_BIN ?? resolve('../target/release/tengen')

function find(names, more = []) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...more]
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}

function findBrowser() {
  return process.env.CHROMIUM ?? find(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'])
}

/** GNU Go, which Debian keeps among the games. */
export function findGnuGo() {
  return find(['gnugo'], ['/usr/games'])
}

/** Why the tests cannot run, if they cannot. */
export function reasonToSkip() {
  if (!existsSync(BIN)) return `SKIPPED: ${BIN} is missing: cargo build --release`
  if (!findBrowser()) return 'SKIPPED: Chromium is missing (Debian, Ubuntu: sudo apt-get install chromium)'
  return false
}

/** Servers that run: a test that fails leaves its own behind, and nothing waits for those. */
const running = new Set()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** A server with a folder of its own. */
export class Server {
  /** `wrapper`: a command that runs the program. */
  constructor(args = [], wrapper = []) {
    this.args = args
    this.wrapper = wrapper
    this.games = mkdtempSync(join(tmpdir(), 'tengen-web-'))
    this.port = 0
  }

  /** Starts it; again on the same port after it was killed. */
  async start() {
    const fixed = ['play', '--no-open', '--port', String(this.port), '--games', this.games]
    const [program, ...first] = [...this.wrapper, BIN]
    // The token is kept beside the games.
    const env = { ...process.env, XDG_STATE_HOME: this.games }
    const child = spawn(program, [...first, ...fixed, ...this.args], { stdio: ['ignore', 'pipe', 'inherit'], env })
    this.child = child
    running.add(child)
    child.once('exit', () => running.delete(child))
    const lines = createInterface({ input: child.stdout })
    for await (const line of lines) {
      const found = /http:\/\/[^/]*:(\d+)\/(\S*)/.exec(line)
      if (found) {
        this.port = Number(found[1])
        this.origin = `http://127.0.0.1:${this.port}/`
        this.url = this.origin + found[2]
        return this
      }
    }
    throw new Error('the server has not started')
  }

  /** Ends it and returns its exit code; there is none after a signal that it does not handle. */
  async kill(signal = 'SIGKILL') {
    const ended = new Promise((done) => this.child.once('exit', done))
    this.child.kill(signal)
    return await ended
  }

  async stop() {
    await this.kill()
    rmSync(this.games, { recursive: true, force: true })
  }
}

export async function launch() {
  return chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] })
}

/** A page, with what a player does there. */
export class Board {
  constructor(page) {
    this.page = page
    this.errors = []
    this.requests = []
    page.setDefaultTimeout(PATIENCE)
    page.on('pageerror', (error) => this.errors.push(String(error)))
    page.on('request', (request) => this.requests.push(request.url()))
  }

  static async open(browser, url, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1180, height: 800 }, acceptDownloads: true, ...options })
    const board = new Board(await context.newPage())
    await board.page.goto(url)
    await board.ready()
    return board
  }

  async ready() {
    await this.page.waitForSelector('.shudan-vertex')
  }

  point(x, y) {
    return this.page.locator(`.shudan-vertex[data-x="${x}"][data-y="${y}"]`)
  }

  /** A click on a point, counted from the top left corner. */
  async click(x, y) {
    await this.point(x, y).click()
  }

  button(name) {
    return this.page.getByRole('button', { name, exact: true })
  }

  /** Closes the window on top, after which keys are the page's again. */
  async closeDialog() {
    await this.page.keyboard.press('Escape')
    await this.page.getByRole('dialog').waitFor({ state: 'hidden' })
  }

  async status(text) {
    await this.page.waitForFunction((t) => document.querySelector('.status')?.textContent.includes(t), text, {
      timeout: PATIENCE,
    })
  }

  async statusText() {
    return this.page.locator('.status').textContent()
  }

  /** Waits until the record says this here. */
  async comment(text) {
    await this.page.waitForFunction((t) => document.querySelector('textarea.comment')?.value === t, text)
  }

  /** Waits until this many moves are played. */
  async moves(number) {
    await this.page.waitForFunction(
      (n) => document.querySelector('.walk .number')?.textContent.trim().startsWith(`${n} /`),
      number,
      { timeout: PATIENCE },
    )
  }

  /** Waits until this many moves or more are played. */
  async atLeast(number) {
    await this.page.waitForFunction(
      (n) => Number.parseInt(document.querySelector('.walk .number')?.textContent, 10) >= n,
      number,
      { timeout: PATIENCE },
    )
  }

  async moveNumber() {
    return Number.parseInt(await this.page.locator('.walk .number').textContent(), 10)
  }

  /** Passes until both have passed and the stones are counted. */
  async passUntilCounted() {
    for (let i = 0; i < 60 && !(await this.page.locator('.count').count()); i++) {
      const number = await this.moveNumber()
      await this.button('Pass').click()
      await this.page.waitForFunction(
        (n) => document.querySelector('.count') || Number.parseInt(document.querySelector('.walk .number').textContent) >= n,
        number + 2,
      )
    }
    await this.status('Both passed')
  }

  /** Marks a black stone as dead, which White denies. */
  async disputeOwnStone() {
    const result = await this.page.locator('.count h2').textContent()
    const mine = (await this.stones()).indexOf(1)
    await this.click(mine % 9, Math.floor(mine / 9))
    await this.page.waitForFunction((text) => document.querySelector('.count h2').textContent !== text, result)
    await this.button('Done').click()
    await this.page.waitForSelector('.dispute')
  }

  /** Stones on the board: 1, -1 or 0, from the top left corner. */
  async stones() {
    return this.page.$$eval('.shudan-vertex', (points) =>
      points.map((point) => (point.classList.contains('shudan-sign_1') ? 1 : point.classList.contains('shudan-sign_-1') ? -1 : 0)),
    )
  }

  async openFile(text, name = 'game.sgf') {
    await this.button('Open').click()
    await this.page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/x-go-sgf', buffer: Buffer.from(text) })
  }

  /** Reviews the game and waits for the end. */
  async review() {
    await this.button('Quick').click()
    await this.page.waitForSelector('.review progress')
    await this.page.waitForFunction(() => !document.querySelector('.review progress'))
  }

  async save() {
    const [download] = await Promise.all([this.page.waitForEvent('download'), this.button('Save').click()])
    const chunks = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk)
    return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString() }
  }

  async picture(name, options = {}) {
    mkdirSync(PICTURES, { recursive: true })
    // Without the grain of the wood a picture is a tenth as large.
    await this.page.addStyleTag({ content: '.shudan-goban-image { background: var(--board) !important }' })
    await this.page.screenshot({ path: join(PICTURES, `${name}.png`), ...options })
  }

  async close() {
    await this.page.context().close()
  }
}

/** Red, green and blue of `rgb(1, 2, 3)` or `#010203`. */
export function numbers(color) {
  if (color.trim().startsWith('#')) return color.trim().slice(1).match(/../g).map((digits) => Number.parseInt(digits, 16))
  return color.match(/[\d.]+/g).slice(0, 3).map(Number)
}

/** The contrast of two colours, as WCAG has it. */
export function contrast(a, b) {
  const part = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}
