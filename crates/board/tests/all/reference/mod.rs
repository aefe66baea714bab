//! A board without any incremental state: whatever is asked is found by flood fill over an array of points. Slow,
//! short and independent of the real one, with which it shares no code.

use std::collections::BTreeSet;

pub(crate) type Point = (usize, usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Legal,
    Occupied,
    Ko,
    Suicide,
}

/// Points are `Some(0)` for Black, `Some(1)` for White, `None` for empty.
#[derive(Clone)]
pub(crate) struct Reference {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) stones: Vec<Vec<Option<usize>>>,
    pub(crate) turn: usize,
    pub(crate) ko: Option<Point>,
    /// Stones that each side has taken.
    pub(crate) prisoners: [usize; 2],
}

impl Reference {
    pub(crate) fn new(width: usize, height: usize) -> Reference {
        Reference {
            width,
            height,
            stones: vec![vec![None; height]; width],
            turn: 0,
            ko: None,
            prisoners: [0; 2],
        }
    }

    pub(crate) fn at(&self, (x, y): Point) -> Option<usize> {
        self.stones[x][y]
    }

    pub(crate) fn points(&self) -> Vec<Point> {
        (0..self.width).flat_map(|x| (0..self.height).map(move |y| (x, y))).collect()
    }

    fn steps(&self, (x, y): Point, steps: &[(i32, i32)]) -> Vec<Point> {
        let on_board = |&(x, y): &(i32, i32)| {
            (0..self.width as i32).contains(&x) && (0..self.height as i32).contains(&y)
        };
        let moved = steps.iter().map(|(dx, dy)| (x as i32 + dx, y as i32 + dy)).filter(on_board);
        moved.map(|(x, y)| (x as usize, y as usize)).collect()
    }

    pub(crate) fn neighbors(&self, p: Point) -> Vec<Point> {
        self.steps(p, &[(-1, 0), (1, 0), (0, -1), (0, 1)])
    }

    pub(crate) fn diagonals(&self, p: Point) -> Vec<Point> {
        self.steps(p, &[(-1, -1), (1, -1), (-1, 1), (1, 1)])
    }

    /// The stones of the chain at `p`, and its liberties.
    pub(crate) fn chain(&self, p: Point) -> (BTreeSet<Point>, BTreeSet<Point>) {
        let color = self.at(p);
        let (mut stones, mut liberties) = (BTreeSet::from([p]), BTreeSet::new());
        let mut open = vec![p];
        while let Some(p) = open.pop() {
            for n in self.neighbors(p) {
                if self.at(n).is_none() {
                    liberties.insert(n);
                } else if self.at(n) == color && stones.insert(n) {
                    open.push(n);
                }
            }
        }
        (stones, liberties)
    }

    fn remove(&mut self, stones: &BTreeSet<Point>) {
        for &(x, y) in stones {
            self.stones[x][y] = None;
        }
    }

    /// Plays without asking about ko or suicide; `None` passes.
    pub(crate) fn play(&mut self, p: Option<Point>) {
        let (me, other) = (self.turn, 1 - self.turn);
        self.turn = other;
        self.ko = None;
        let Some(p) = p else { return };
        self.stones[p.0][p.1] = Some(me);
        let mut captured = BTreeSet::new();
        for n in self.neighbors(p) {
            if self.at(n) == Some(other) {
                let (stones, liberties) = self.chain(n);
                if liberties.is_empty() {
                    captured.extend(stones);
                }
            }
        }
        self.prisoners[me] += captured.len();
        self.remove(&captured);
        let (stones, liberties) = self.chain(p);
        if liberties.is_empty() {
            self.prisoners[other] += stones.len();
            self.remove(&stones);
        } else if captured.len() == 1 && stones.len() == 1 && liberties.len() == 1 {
            self.ko = captured.first().copied();
        }
    }

    pub(crate) fn check(&self, p: Point, suicide_allowed: bool) -> Verdict {
        if self.at(p).is_some() {
            return Verdict::Occupied;
        }
        if self.ko == Some(p) {
            return Verdict::Ko;
        }
        let mut after = self.clone();
        after.play(Some(p));
        if after.at(p).is_none() && !suicide_allowed { Verdict::Suicide } else { Verdict::Legal }
    }

    /// Every orthogonal neighbour friendly, at most one enemy on the diagonals, none at an edge or corner.
    pub(crate) fn is_eye(&self, p: Point, color: usize) -> bool {
        let diagonals = self.diagonals(p);
        let enemies = diagonals.iter().filter(|&&d| self.at(d) == Some(1 - color)).count();
        self.at(p).is_none()
            && self.neighbors(p).iter().all(|&n| self.at(n) == Some(color))
            && enemies <= usize::from(diagonals.len() == 4)
    }
}
