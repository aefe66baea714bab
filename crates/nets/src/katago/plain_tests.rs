//! Networks of every version and kind of block against plain arithmetic.
//!
//! A [`Forge`] writes a model file with random weights and computes, record by record and straight from the definitions, what the network
//! says about an input: nothing is folded, rearranged or vectorised, and numbers are twice as wide.

use std::f64::consts::E;

use tengen_engine::rng::Rng;

use super::{GLOBALS, KataNetwork, PLANES, build};
use crate::exec::{
    Prepared, Workspace,
    kernels::{padded, winograd::Precision},
};

type Vector = Vec<f64>;

/// Channels of each point, row by row.
#[derive(Clone)]
struct Board {
    width: usize,
    points: Vec<Vector>,
}

impl Board {
    fn map(&self, each: impl Fn(&Vector) -> Vector) -> Board {
        Board { width: self.width, points: self.points.iter().map(each).collect() }
    }

    fn channels(&self) -> usize {
        self.points[0].len()
    }

    fn plus(&self, other: &Board) -> Board {
        let points = self.points.iter().zip(&other.points).map(|(a, b)| sum(a, b)).collect();
        Board { width: self.width, points }
    }

    /// Mean; mean scaled by the size; and the maximum or, for the value head, the mean scaled by the size's square.
    fn pooled(&self, for_value: bool) -> Vector {
        let area = self.points.len() as f64;
        let scale = (area.sqrt() - 14.0) / 10.0;
        let column = |c: usize| self.points.iter().map(move |point| point[c]);
        let mean = |c: usize| column(c).sum::<f64>() / area;
        let last = |c: usize| {
            if for_value {
                mean(c) * (scale * scale - 0.1)
            } else {
                column(c).fold(f64::NEG_INFINITY, f64::max)
            }
        };
        let all = || 0..self.channels();
        all().map(mean).chain(all().map(|c| mean(c) * scale)).chain(all().map(last)).collect()
    }
}

fn sum(a: &[f64], b: &[f64]) -> Vector {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn mean_square(x: &[f64]) -> f64 {
    dot(x, x) / x.len() as f64
}

/// What is written into a file, and how.
#[derive(Clone, Copy)]
struct Plan {
    version: usize,
    is_binary: bool,
    activation: &'static str,
    /// 0: a batch norm; 1: a norm by the root mean square of a point; 2: of the board.
    last_norm: usize,
    /// Kinds of blocks: `o`rdinary, `g`lobal pooling, `a`ttention without rotations, with learned (`l`) or fixed (`f`) ones, `s`wiglu, and
    /// nested ones in brackets.
    blocks: &'static str,
}

const PLAN: Plan = Plan { version: 15, is_binary: true, activation: "SILU", last_norm: 0, blocks: "o" };

/// Channels of the trunk.
const TRUNK: usize = 12;

struct Forge {
    plan: Plan,
    rng: Rng,
    file: Vec<u8>,
}

struct Outputs {
    policy: Board,
    ownership: Board,
    pass: Vector,
    value: Vector,
    score: Vector,
}

impl Forge {
    fn say(&mut self, words: impl std::fmt::Display) {
        self.file.extend(format!("{words}\n").bytes());
    }

    /// An array of random numbers about `mean`.
    fn floats(&mut self, count: usize, mean: f32, spread: f32) -> Vector {
        // Short as words.
        let round = |x: f32| (x * 128.0).round() / 128.0;
        let numbers: Vec<f32> =
            (0..count).map(|_| round(mean + spread * (self.rng.unit() * 2.0 - 1.0))).collect();
        if self.plan.is_binary {
            self.file.extend(b"@BIN@");
            self.file.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
            self.file.push(b'\n');
        } else {
            let words: Vec<String> = numbers.iter().map(f32::to_string).collect();
            self.say(words.join(" "));
        }
        numbers.into_iter().map(f64::from).collect()
    }

    fn conv(&mut self, x: &Board, kernel: usize, to: usize) -> Board {
        let from = x.channels();
        self.say(format_args!("conv {kernel} {kernel} {from} {to} 1 1"));
        let w = self.floats(kernel * kernel * from * to, 0.0, 1.7 / (kernel as f32 * (from as f32).sqrt()));
        let (width, height) = (x.width as isize, (x.points.len() / x.width) as isize);
        let half = kernel as isize / 2;
        let mut out = x.map(|_| vec![0.0; to]);
        for (i, point) in out.points.iter_mut().enumerate() {
            let (px, py) = (i as isize % width, i as isize / width);
            for (o, sum) in point.iter_mut().enumerate() {
                for tap in 0..(kernel * kernel) {
                    let sx = px + (tap % kernel) as isize - half;
                    let sy = py + (tap / kernel) as isize - half;
                    if (0..width).contains(&sx) && (0..height).contains(&sy) {
                        let seen = &x.points[(sy * width + sx) as usize];
                        *sum += (0..from).map(|c| seen[c] * w[(tap * from + c) * to + o]).sum::<f64>();
                    }
                }
            }
        }
        out
    }

    /// A batch norm and its activation.
    fn norm(&mut self, x: &Board) -> Board {
        let channels = x.channels();
        let has_scale = self.plan.version < 15;
        self.say(format_args!("norm {channels} 1e-3 {} 1", u8::from(has_scale)));
        let (mean, variance) = (self.floats(channels, 0.0, 0.3), self.floats(channels, 1.0, 0.5));
        let scale = if has_scale { self.floats(channels, 1.0, 0.5) } else { vec![1.0; channels] };
        let bias = self.floats(channels, 0.0, 0.5);
        let normed = x.map(|x| {
            let of = |c: usize| (x[c] - mean[c]) / (variance[c] + 1e-3).sqrt() * scale[c] + bias[c];
            (0..channels).map(of).collect()
        });
        self.activate();
        normed.map(|x| x.iter().map(|x| self.activation(*x)).collect())
    }

    /// The record of an activation.
    fn activate(&mut self) {
        let Plan { version, activation, .. } = self.plan;
        if version < 11 {
            self.say("act");
        } else {
            self.say(format_args!("act ACTIVATION_{activation}"));
        }
    }

    fn activation(&self, x: f64) -> f64 {
        match self.plan.activation {
            "IDENTITY" => x,
            "RELU" => x.max(0.0),
            "MISH" => x * (1.0 + E.powf(x)).ln().tanh(),
            _ => x / (1.0 + E.powf(-x)),
        }
    }

    /// A matrix as a function.
    fn matrix(&mut self, from: usize, to: usize) -> impl Fn(&Vector) -> Vector + use<> {
        self.say(format_args!("matrix {from} {to}"));
        let w = self.floats(from * to, 0.0, 1.7 / (from as f32).sqrt());
        move |x| (0..to).map(|o| (0..from).map(|c| x[c] * w[c * to + o]).sum()).collect()
    }

    /// A matrix, a bias, perhaps an activation.
    fn layer(&mut self, x: &Vector, to: usize, is_active: bool) -> Vector {
        let y = self.matrix(x.len(), to)(x);
        self.say(format_args!("bias {to}"));
        let y = sum(&y, &self.floats(to, 0.0, 0.5));
        if is_active {
            self.activate();
            return y.into_iter().map(|x| self.activation(x)).collect();
        }
        y
    }

    /// What pooling blocks and the policy head share, and what was pooled.
    fn pooled_bias(&mut self, x: &Board, kernel: usize) -> (Board, Vector) {
        let (regular, pooled) = (self.conv(x, kernel, 7), self.conv(x, kernel, 5));
        let summary = self.norm(&pooled).pooled(false);
        let bias = self.matrix(15, 7)(&summary);
        (self.norm(&regular.map(|x| sum(x, &bias))), summary)
    }

    fn point_norm(&mut self, x: &Board) -> Board {
        self.say(format_args!("norm {} 1e-2", x.channels()));
        let scale = self.floats(x.channels(), 1.0, 0.5);
        x.map(|x| x.iter().zip(&scale).map(|(v, s)| v / (mean_square(x) + 1e-2).sqrt() * s).collect())
    }

    fn blocks(&mut self, mut x: Board, kinds: &mut std::str::Chars<'_>) -> Board {
        while let Some(kind) = kinds.next().filter(|kind| *kind != ')') {
            let added = match kind {
                'o' => {
                    self.say("ordinary_block some");
                    let h = self.norm(&x);
                    let h = self.conv(&h, 3, 10);
                    let h = self.norm(&h);
                    self.conv(&h, 3, x.channels())
                }
                'g' => {
                    self.say("gpool_block some");
                    let h = self.norm(&x);
                    let h = self.pooled_bias(&h, 3).0;
                    self.conv(&h, 3, x.channels())
                }
                '(' => {
                    let inner = count_blocks(kinds.as_str());
                    self.say(format_args!("nested_bottleneck_block some {inner}"));
                    let h = self.norm(&x);
                    let h = self.conv(&h, 1, 6);
                    let h = self.blocks(h, kinds);
                    let h = self.norm(&h);
                    self.conv(&h, 1, x.channels())
                }
                's' => {
                    self.say(format_args!("transformer_ffn_block some {} 9 1", x.channels()));
                    let n = self.point_norm(&x);
                    let (first, gate) = (self.matrix(x.channels(), 9), self.matrix(x.channels(), 9));
                    let second = self.matrix(9, x.channels());
                    let silu = |x: f64| x / (1.0 + E.powf(-x));
                    n.map(|n| {
                        let gated = first(n).into_iter().zip(gate(n)).map(|(a, b)| silu(a) * b);
                        second(&gated.collect())
                    })
                }
                _ => self.attention(&x, kind),
            };
            x = x.plus(&added);
        }
        x
    }

    /// Four heads that share two of keys.
    fn attention(&mut self, x: &Board, kind: char) -> Board {
        let (heads, key_heads, key, value) = (4, 2, 6, 5);
        let (is_rotated, is_learned) = (kind != 'a', kind == 'l');
        self.say(format_args!(
            "transformer_attention_block some {heads} {key_heads} {key} {value} {} {}",
            u8::from(is_rotated),
            u8::from(is_learned)
        ));
        let n = self.point_norm(x);
        let query = n.map(self.matrix(x.channels(), heads * key));
        let keys = n.map(self.matrix(x.channels(), key_heads * key));
        let values = n.map(self.matrix(x.channels(), key_heads * value));
        let last = self.matrix(heads * value, x.channels());
        let pairs = key / 2;
        let mut learned = Vec::new();
        if is_learned {
            self.say(format_args!("rope {key_heads} {pairs} 2"));
            learned = self.floats(key_heads * pairs * 2, 0.0, 1.0);
        } else if is_rotated {
            self.say("rope 50.0");
        }
        // The angle by which a pair of channels at a point is turned.
        let angle = |point: usize, key_head: usize, pair: usize| {
            let (column, row) = ((point % x.width) as f64, (point / x.width) as f64);
            let frequency = |i: usize| 50f64.powf(-2.0 * i as f64 / pairs as f64);
            match kind {
                'l' => {
                    let at = (key_head * pairs + pair) * 2;
                    column * learned[at] + row * learned[at + 1]
                }
                'f' if pair < pairs / 2 => row * frequency(pair),
                'f' => column * frequency(pair - pairs / 2),
                _ => 0.0,
            }
        };
        let turned = |numbers: &[f64], point: usize, key_head: usize| -> Vector {
            let turn = |c: usize| {
                let (u, v) = (numbers[c / 2 * 2], numbers[c / 2 * 2 + 1]);
                let (sin, cos) = angle(point, key_head, c / 2).sin_cos();
                if c.is_multiple_of(2) { u * cos - v * sin } else { u * sin + v * cos }
            };
            (0..key).map(turn).collect()
        };
        let area = x.points.len();
        let mut gathered = x.map(|_| Vec::new());
        for (i, out) in gathered.points.iter_mut().enumerate() {
            for head in 0..heads {
                let key_head = head / (heads / key_heads);
                let q = turned(&query.points[i][head * key..][..key], i, key_head);
                let odds: Vec<f64> = (0..area)
                    .map(|j| turned(&keys.points[j][key_head * key..][..key], j, key_head))
                    .map(|k| E.powf(dot(&q, &k) / (key as f64).sqrt()))
                    .collect();
                let total: f64 = odds.iter().sum();
                let seen = |c: usize| {
                    (0..area).map(|j| odds[j] / total * values.points[j][key_head * value + c]).sum::<f64>()
                };
                out.extend((0..value).map(seen));
            }
        }
        gathered.map(last)
    }

    fn last_norm(&mut self, x: &Board) -> Board {
        if self.plan.last_norm == 0 {
            return self.norm(x);
        }
        let channels = x.channels();
        let is_spatial = self.plan.last_norm == 2;
        self.say(format_args!("norm {channels} 1e-2 {} 0", u8::from(is_spatial)));
        let (scale, bias) = (self.floats(channels, 1.0, 0.5), self.floats(channels, 0.0, 0.5));
        self.activate();
        let whole = mean_square(&x.points.concat());
        x.map(|x| {
            let square = if is_spatial { whole } else { mean_square(x) };
            let of = |c: usize| self.activation(x[c] / (square + 1e-2).sqrt() * scale[c] + bias[c]);
            (0..channels).map(of).collect()
        })
    }

    /// Writes a whole network, which sees these inputs.
    fn network(&mut self, planes: &Board, globals: &Vector) -> Outputs {
        let Plan { version, last_norm, blocks, .. } = self.plan;
        self.say(format_args!("forged {version} {PLANES} {GLOBALS}"));
        if version >= 13 {
            self.say("20.0 20.0 20.0 20.0 40.0 0.25 150.0");
        }
        if version >= 15 {
            self.say(format_args!("0 {} 0 0 0 0 0 0", u8::from(version == 17)));
        }
        self.say(format_args!("trunk {} {TRUNK} 4 4 4 4", count_blocks(blocks)));
        if version >= 15 {
            self.say(format_args!("{} 0 0 0 0 0", last_norm.min(1)));
        }
        let x = self.conv(planes, 3, TRUNK);
        let vector = self.matrix(GLOBALS, TRUNK)(globals);
        let x = self.blocks(x.map(|x| sum(x, &vector)), &mut blocks.chars());
        let trunk = self.last_norm(&x);

        let moves = [1, 2, 4, 2]
            [usize::from(version >= 12) + usize::from(version >= 16) + usize::from(version == 17)];
        self.say("policy");
        if version == 17 {
            self.say("2 0 0 0");
        }
        let (h, summary) = self.pooled_bias(&trunk, 1);
        let policy = self.conv(&h, 1, moves);
        let pass = if version >= 15 {
            let hidden = self.layer(&summary, h.channels(), true);
            self.matrix(hidden.len(), moves)(&hidden)
        } else {
            self.matrix(summary.len(), moves)(&summary)
        };

        self.say("value");
        if version == 17 {
            self.say("0 0 0");
        }
        let h = self.conv(&trunk, 1, 8);
        let h = self.norm(&h);
        let hidden = self.layer(&h.pooled(true), 11, true);
        let value = self.layer(&hidden, 3, false);
        let score = self.layer(&hidden, if version == 8 { 4 } else { 6 }, false);
        let ownership = self.conv(&h, 1, 1);
        Outputs { policy, ownership, pass, value, score }
    }
}

/// Blocks up to the end or the bracket that closes them, without those that are nested in them.
fn count_blocks(kinds: &str) -> usize {
    let mut depth = 0;
    let mut count = 0;
    for kind in kinds.chars() {
        count += usize::from(depth == 0 && kind != ')');
        match kind {
            '(' => depth += 1,
            ')' if depth == 0 => break,
            ')' => depth -= 1,
            _ => {}
        }
    }
    count
}

/// A file, and what its network says about a random input.
fn forge(plan: Plan, (width, height): (usize, usize), input: u64) -> (Vec<u8>, Board, Vector, Outputs) {
    let mut rng = Rng::new(input);
    let mut numbers = |count: usize| -> Vector { (0..count).map(|_| f64::from(rng.unit())).collect() };
    let planes = Board { width, points: (0..width * height).map(|_| numbers(PLANES)).collect() };
    let globals = numbers(GLOBALS);
    let mut forge = Forge { plan, rng: Rng::new(1), file: Vec::new() };
    let outputs = forge.network(&planes, &globals);
    (forge.file, planes, globals, outputs)
}

fn compare(plan: Plan, size: (usize, usize)) {
    compare_with(plan, size, Precision::Float, 2e-4);
    compare_with(plan, size, Precision::Fixed, 1e-3);
}

fn compare_with(plan: Plan, size: (usize, usize), precision: Precision, tolerance: f64) {
    let forged = [2, 3].map(|input| forge(plan, size, input));
    let model = build::read(&forged[0].0).unwrap();
    let mut workspace = Workspace::new(&model.graph, size, 2);
    let prepared = Prepared::new(&model.graph, &model.weights, workspace.tile_kind(), precision);
    let area = size.0 * size.1;
    for (i, (_, planes, globals, _)) in forged.iter().enumerate() {
        let stride = padded(PLANES);
        for (p, point) in planes.points.iter().enumerate() {
            let to = &mut workspace.tensor_mut(model.heads.planes)[(i * area + p) * stride..];
            to.iter_mut().zip(point).for_each(|(to, x)| *to = *x as f32);
        }
        let to = &mut workspace.tensor_mut(model.heads.globals)[i * GLOBALS..];
        to.iter_mut().zip(globals).for_each(|(to, x)| *to = *x as f32);
    }
    workspace.forward(&model.graph, &prepared, 2);
    let same = |found: f32, expected: f64, what: &str| {
        let difference = (f64::from(found) - expected).abs();
        assert!(
            difference <= tolerance * (1.0 + expected.abs()),
            "{what} of {} version {} on {size:?}: {found} instead of {expected}",
            plan.blocks,
            plan.version
        );
    };
    for (i, (.., outputs)) in forged.iter().enumerate() {
        for (id, board) in
            [(model.heads.policy, &outputs.policy), (model.heads.ownership, &outputs.ownership)]
        {
            assert_eq!(model.graph.width(id), board.channels());
            for (p, point) in board.points.iter().enumerate() {
                let found = &workspace.tensor(id)[(i * area + p) * padded(point.len())..];
                found.iter().zip(point).for_each(|(found, expected)| same(*found, *expected, "a point"));
            }
        }
        for (id, vector) in [
            (model.heads.pass, &outputs.pass),
            (model.heads.value, &outputs.value),
            (model.heads.score, &outputs.score),
        ] {
            assert_eq!(model.graph.width(id), vector.len());
            let found = &workspace.tensor(id)[i * vector.len()..];
            found.iter().zip(vector).for_each(|(found, expected)| same(*found, *expected, "a head"));
        }
    }
}

#[test]
fn every_version() {
    for version in 8..=17 {
        let activation = if version < 11 { "RELU" } else { "MISH" };
        compare(Plan { version, activation, blocks: "og(o)", ..PLAN }, (5, 7));
    }
}

#[test]
fn every_activation_and_last_norm_in_text_and_binary() {
    for activation in ["IDENTITY", "RELU", "MISH", "SILU"] {
        for last_norm in 0..3 {
            for is_binary in [false, true] {
                compare(Plan { activation, last_norm, is_binary, blocks: "gs", ..PLAN }, (4, 3));
            }
        }
    }
}

#[test]
fn every_kind_of_block_on_every_kind_of_board() {
    for blocks in ["o", "g", "a", "l", "f", "s", "(lsls)", "((o)g(f(a)))", "asogl(f)"] {
        for size in [(5, 7), (9, 9), (2, 1)] {
            compare(Plan { blocks, ..PLAN }, size);
        }
    }
    compare(Plan { blocks: "(lsfsa)", ..PLAN }, (13, 11));
}

#[test]
fn a_word_that_is_changed_is_no_panic() {
    let plan = Plan { version: 17, is_binary: false, last_norm: 2, blocks: "(ls)", ..PLAN };
    let file = String::from_utf8(forge(plan, (2, 2), 1).0).unwrap();
    let lines: Vec<&str> = file.lines().collect();
    let mut refused = 0;
    for (i, line) in lines.iter().enumerate() {
        // Of an array of weights, the first will do.
        let words = line.split(' ').count();
        for j in 0..if words > 9 { 1 } else { words } {
            for wrong in ["0", "3", "1000000000"] {
                let mut words: Vec<&str> = line.split(' ').collect();
                words[j] = wrong;
                let changed = words.join(" ");
                let mut lines = lines.clone();
                lines[i] = &changed;
                refused += usize::from(KataNetwork::from_bytes(lines.join("\n").as_bytes()).is_err());
            }
        }
        assert!(KataNetwork::from_bytes(lines[..i].join("\n").as_bytes()).is_err(), "the end is missing");
    }
    assert!(refused > 300, "{refused}");
}

#[test]
fn what_is_unknown_or_too_large_is_refused_by_name() {
    let error = |blocks: &'static str, from: &str, to: &str| {
        let plan = Plan { is_binary: false, blocks, ..PLAN };
        let file = String::from_utf8(forge(plan, (2, 2), 1).0).unwrap();
        assert!(file.contains(from), "{from}");
        build::read(file.replacen(from, to, 1).as_bytes()).err().unwrap_or_default()
    };
    for (blocks, from, to, message) in [
        ("o", "ordinary_block some", "dilated_block some", "block some is of the kind \"dilated_block\""),
        ("o", "ACTIVATION_SILU", "ACTIVATION_GELU", "is \"ACTIVATION_GELU\""),
        ("((((((((((((((((o))))))))))))))))", "some", "some", ""),
        ("(((((((((((((((((o)))))))))))))))))", "some", "some", "nested 16 deep"),
        ("(o)", "some 1", "some 3000", "from 1 to 2000"),
        ("l", "some 4 2 6 5", "some 256 2 2 2", "256 heads"),
        ("l", "some 4 2 6 5", "some 4 3 6 5", "3 heads of keys do not divide 4 heads"),
        ("l", "some 4 2 6 5", "some 4 2 7 5", "7 channels cannot be rotated"),
        ("l", "some 4 2 6 5", "some 4 2 4096 5", "heads of 4096 and 5 channels"),
        ("f", "rope 50.0", "rope -1.0", "theta is -1"),
        ("s", "some 12 9 1", "some 12 9 0", "no gate"),
        ("s", "12 1e-2", "12 2.0", "epsilon is 2"),
    ] {
        let found = error(blocks, from, to);
        assert!(found.contains(message) && found.is_empty() == message.is_empty(), "{to}: {found}");
    }
}

/// Makes the files that fuzzing begins with again: `cargo test -p tengen-nets fuzz_corpus -- --ignored`.
#[test]
#[ignore = "writes files"]
fn fuzz_corpus() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/katago");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, version, blocks) in
        [("8", 8, "og"), ("12", 12, "(og)"), ("15", 15, "(lsls)"), ("17", 17, "(o(a))fs")]
    {
        let activation = if version < 11 { "RELU" } else { "SILU" };
        let last_norm = if version == 15 { 2 } else { 0 };
        let plan = Plan { version, activation, blocks, last_norm, is_binary: version != 12 };
        std::fs::write(folder.join(format!("blocks-{name}")), forge(plan, (2, 2), 1).0).unwrap();
    }
}
