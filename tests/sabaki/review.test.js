// Reads what `tengen review` writes with @sabaki/sgf, the parser that Sabaki opens records with.
//
//   cargo build --release && cd tests/sabaki && npm install && npm test
//
// The binary is $TENGEN_BIN, or target/release/tengen.

const assert = require('node:assert/strict')
const {execFileSync} = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const {test} = require('node:test')
const sgf = require('@sabaki/sgf')

const binary = process.env.TENGEN_BIN || path.join(__dirname, '../../target/release/tengen')
const game =
  '(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[7]RU[Chinese]PB[Ann\\]]PW[Ben];B[ee];W[cc];B[gc];W[gg];B[cg];W[ge];B[aa]C[Why?];W[cd];B[ff];W[fg];B[eg];W[])'

/** The nodes of the main line. */
function mainLine(root) {
  const nodes = [root]
  while (nodes.at(-1).children.length > 0) nodes.push(nodes.at(-1).children[0])
  return nodes
}

test('an annotated record opens in Sabaki', () => {
  assert.ok(fs.existsSync(binary), `${binary} does not exist: build it, or set TENGEN_BIN`)
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tengen-review-'))
  try {
    const file = path.join(folder, 'game.sgf')
    fs.writeFileSync(file, game)
    execFileSync(binary, ['review', file, '--playouts', '20', '--quiet'])
    const [root] = sgf.parseFile(path.join(folder, 'game-review.sgf'))
    const review = JSON.parse(fs.readFileSync(path.join(folder, 'game-review.json'), 'utf8'))
    const [before] = sgf.parse(game)
    assert.deepEqual(root.data.PB, before.data.PB)

    const nodes = mainLine(root)
    const moves = nodes.slice(1).map(node => [node.data.B ? 'black' : 'white', (node.data.B || node.data.W)[0]])
    const played = mainLine(before).slice(1).map(node => [node.data.B ? 'black' : 'white', (node.data.B || node.data.W)[0]])
    assert.deepEqual(moves, played)

    for (const [i, node] of nodes.entries()) {
      // Sabaki's graph: Black's winning chances in percent.
      const value = +node.data.SBKV[0]
      assert.ok(value >= 0 && value <= 100, node.data.SBKV[0])
      if (i === 0) continue
      const {class: name, points_lost: lost, pv} = review.moves[i - 1]
      const marks = ['TE', 'DO', 'BM'].filter(mark => node.data[mark] != null)
      assert.ok(marks.length <= 1)
      assert.equal(node.data.BM != null, lost >= 3, name)
      if (lost >= 1.5) {
        // The better line is the variation beside the move.
        const line = mainLine(nodes[i - 1].children[1])
        assert.equal(line.length, pv.length)
        assert.match(line[0].data.C[0], /^Better by /)
      }
    }
    assert.match(nodes[7].data.C[0], /^Why\?\n\nBlack 7 A9 lost /)
    assert.ok(nodes[7].data.BM && nodes[7].data.HO, 'a move in the corner is a key moment')
    assert.match(root.data.C[0], /accuracy = 100/)
  } finally {
    fs.rmSync(folder, {recursive: true})
  }
})
