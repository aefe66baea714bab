//! The end of a game: which moves gain nothing, and when to pass.
//!
//! **What.** A search maximises its chance to win, and near the end many moves win alike: it would fill its own territory
//! or throw stones away. So what it proposes is checked against the ownership of points if the player passed instead. A
//! point whose owner is settled even then, among chains whose owners are, gains nothing; neither does a neutral point
//! under territory scoring.
//! When nothing else is proposed, the player passes. Dead stones are left alone if the rules let players agree about
//! them, and captured if not, or if the opponent disputes them.
//!
//! **Source.** Unconditional life is Benson's (`board/benson.rs`); that settled points are left alone is common to
//! programs that play people (GNU Go, Pachi, KataGo).

use tengen_board::{
    Board, Color, ColorMap, Game, Move, Scoring, UnconditionalLife, Vertex, VertexMap, unconditional_life,
};

use crate::{
    reading::status::{lost_stones, ownership_after},
    rng::Rng,
    search::{RootMove, SearchReport},
};

/// The owner of a point or a chain is settled from this share of playouts on.
const SETTLED: f32 = 0.8;

/// Playouts that tell what happens if the player passes. They take a few hundredths of a second on the largest board.
const PLAYOUTS: usize = 64;

/// The move to play among those of a search, best first: the first that gains something, else a pass. `after_pass` may know
/// who owns each point if the player passes; else playouts tell. `disputed` tells that the opponent does not agree which
/// stones are dead.
pub(crate) fn choose(
    game: &Game,
    report: &SearchReport,
    after_pass: impl FnOnce() -> Option<VertexMap<f32>>,
    disputed: bool,
) -> Move {
    let me = game.to_play();
    let opponent_passed = game.last_move().is_some_and(|m| m.mv.is_pass() && m.color != me);
    let best = report.moves.iter().find(|m| m.visits > 0).and_then(|m| m.mv.vertex());
    // What is open although the search plays there needs no further thought.
    if let Some(v) = best
        && !(disputed || opponent_passed)
        && report.ownership[v].abs() < SETTLED
        && !repeats(game, v)
        && game.rules().scoring == Scoring::Area
    {
        return v.into();
    }
    let ownership = after_pass().unwrap_or_else(|| {
        let mut rng = Rng::new(game.board().hash());
        ownership_after(game.board(), !me, PLAYOUTS, &mut rng)
    });
    Ending::new(game, &ownership, disputed).choose(report, opponent_passed)
}

/// Whether a stone there brings back an earlier position: under simple ko two players could go round for ever.
fn repeats(game: &Game, v: Vertex) -> bool {
    game.has_occurred(game.rules().ko.key(game.board().hash_after(v), !game.to_play()))
}

/// Whether the search found a pass about as good as its best move. What playouts take for settled may hang on that move.
fn passes_as_well(report: &SearchReport, best: &RootMove, me: Color) -> bool {
    let pass = report.moves.iter().find(|m| m.mv.is_pass());
    pass.is_some_and(|pass| {
        pass.visits * 200 >= best.visits.max(200) && pass.value_for(me) + 0.05 >= best.value_for(me)
    })
}

/// Whether another move is about as good as the best, so that nothing hangs on that one.
fn is_one_of_many(report: &SearchReport, best: &RootMove, me: Color) -> bool {
    report.moves.iter().any(|m| {
        m.mv != best.mv
            && m.visits >= 10.max(best.visits / 50)
            && m.value_for(me) + 0.05 >= best.value_for(me)
    })
}

/// A position near the end, and what becomes of it if the player passes.
struct Ending<'a> {
    game: &'a Game,
    ownership: &'a VertexMap<f32>,
    life: ColorMap<UnconditionalLife>,
    /// Whether dead stones of the opponent have to be captured.
    must_capture: bool,
}

impl<'a> Ending<'a> {
    fn new(game: &'a Game, ownership: &'a VertexMap<f32>, disputed: bool) -> Ending<'a> {
        let rules = game.rules();
        let life = Color::ALL.map(|color| unconditional_life(game.board(), color, rules.suicide));
        Ending { game, ownership, life: ColorMap(life), must_capture: disputed || !rules.by_agreement() }
    }

    fn choose(&self, report: &SearchReport, opponent_passed: bool) -> Move {
        let me = self.game.to_play();
        let mut tried = report.moves.iter().filter(|m| m.visits > 0);
        let Some(best) = tried.clone().next() else { return self.any_capture().unwrap_or(Move::PASS) };
        let needs_none = || passes_as_well(report, best, me) || is_one_of_many(report, best, me);
        let is_over = || self.is_won_by_passing() && (self.wins_without(&[]) || needs_none());
        if opponent_passed && !self.has_work() && is_over() {
            return Move::PASS;
        }
        let is_useful = |m: &&RootMove| m.mv.vertex().is_some_and(|v| !self.is_pointless(v));
        if is_useful(&best) {
            return best.mv;
        }
        // Nearly as good, and not just tried in passing.
        let is_good = |m: &&RootMove| {
            m.visits * 50 >= best.visits && m.value_for(me) + 0.05 >= best.value_for(me) && is_useful(m)
        };
        match tried.find(is_good) {
            Some(useful) => useful.mv,
            None if self.has_work() => self.any_capture().unwrap_or_else(|| {
                // A dead stone may have to be approached first.
                let is_over =
                    self.wins_without(&[]) || best.mv.vertex().is_none_or(|v| repeats(self.game, v));
                if is_over { Move::PASS } else { best.mv }
            }),
            None if self.is_certain(best.mv) || passes_as_well(report, best, me) => Move::PASS,
            None if self.is_won_by_passing() && is_one_of_many(report, best, me) => Move::PASS,
            None => best.mv,
        }
    }

    /// Whether the move is a pass or a repetition, or in a region that lives or is dead whatever happens, or a dame that
    /// counts nothing.
    fn is_certain(&self, mv: Move) -> bool {
        let is_territory = self.game.rules().scoring == Scoring::Territory;
        mv.vertex().is_none_or(|v| {
            Color::ALL.iter().any(|&color| self.life[color].regions[v])
                || (is_territory && self.is_dame(v))
                || repeats(self.game, v)
        })
    }

    /// Whether the score is ahead when stones that playouts give to the other side are taken off, and ahead too when every
    /// stone counts as alive, where dead ones have to be captured.
    fn is_won_by_passing(&self) -> bool {
        (!self.must_capture || self.wins_without(&[]))
            && self.wins_without(&lost_stones(self.board(), self.ownership))
    }

    /// Whether the score is ahead without these stones.
    fn wins_without(&self, dead: &[Vertex]) -> bool {
        self.game.score(dead) * self.game.to_play().sign() as f32 > 0.0
    }

    /// Whether dead stones of the opponent are left that have to be captured.
    fn has_work(&self) -> bool {
        let me = self.game.to_play();
        self.must_capture
            && lost_stones(self.board(), self.ownership)
                .into_iter()
                .any(|v| self.board().is_color(v, !me) && self.is_dead(v))
    }

    /// A legal move that takes a liberty of a dead stone of the opponent, if captures are left to make: rather one that
    /// captures, and no self-atari.
    fn any_capture(&self) -> Option<Move> {
        let (board, me) = (self.board(), self.game.to_play());
        let dead = board.points().filter(|&v| board.is_color(v, !me) && self.is_dead(v));
        let liberties = dead.flat_map(Vertex::neighbors).filter(|&v| board.contains(v) && board.is_empty(v));
        let after = |v: Vertex| {
            let mut next = board.clone();
            self.game.check(v.into()).ok()?;
            next.play_unchecked(v.into());
            let captured = board.stones(!me) - next.stones(!me);
            let chain = next.color_at(v).map(|_| next.chain(v))?;
            Some((captured, next.liberty_count(chain)))
        };
        let rated = liberties.filter_map(|v| Some((after(v).filter(|&(c, l)| c > 0 || l > 1)?, v)));
        rated.max_by_key(|&((captured, liberties), _)| (captured, liberties)).map(|(_, v)| v.into())
    }

    /// Whether a stone there gains nothing.
    fn is_pointless(&self, v: Vertex) -> bool {
        let (board, me) = (self.board(), self.game.to_play());
        let holds_dead =
            || self.region(v).1.iter().any(|&stone| board.is_color(stone, !me) && self.is_dead(stone));
        if self.life[!me].regions[v] || repeats(self.game, v) {
            return true;
        }
        if self.life[me].regions[v] {
            return !(self.must_capture && holds_dead());
        }
        if self.is_urgent(v) {
            return false;
        }
        match self.owner(v) {
            Some(owner) => {
                let (_, stones) = self.region(v);
                let is_settled = stones.iter().all(|&stone| self.owner(stone).is_some());
                is_settled && !(owner == me && self.must_capture && holds_dead())
            }
            None => self.game.rules().scoring == Scoring::Territory && self.is_dame(v),
        }
    }

    /// Whether a chain in atari there is saved by it, or would be saved by the opponent. Playouts may overlook that, as no
    /// move has just put the chain in atari.
    fn is_urgent(&self, v: Vertex) -> bool {
        let (board, me) = (self.board(), self.game.to_play());
        let stones: Vec<_> = v.neighbors().into_iter().filter(|&n| board.color_at(n).is_some()).collect();
        stones.iter().any(|&n| {
            let in_atari = board.is_atari_at(board.chain(n), v);
            let reaches_life =
                || stones.iter().any(|&other| board.is_color(other, !me) && self.owner(other) == Some(!me));
            in_atari && if board.is_color(n, me) { self.owner(n) != Some(!me) } else { reaches_life() }
        })
    }

    /// Whose point it is, if that is settled.
    fn owner(&self, v: Vertex) -> Option<Color> {
        match self.ownership[v] {
            share if share >= SETTLED => Some(Color::Black),
            share if share <= -SETTLED => Some(Color::White),
            _ => None,
        }
    }

    /// Whether `v` is a neutral point by itself: chains around it are settled and have liberties enough.
    fn is_dame(&self, v: Vertex) -> bool {
        let board = self.board();
        let stones: Vec<_> = v.neighbors().into_iter().filter(|&n| board.color_at(n).is_some()).collect();
        let is_safe = |&stone: &Vertex| {
            let sign = board.color_at(stone).map_or(0.0, |color| color.sign() as f32);
            self.ownership[stone] * sign >= SETTLED && board.liberty_count(board.chain(stone)) > 2
        };
        let both = Color::ALL.iter().all(|&color| stones.iter().any(|&s| board.is_color(s, color)));
        board.empty_neighbors(v) == 0 && both && stones.iter().all(is_safe)
    }

    fn is_dead(&self, stone: Vertex) -> bool {
        let color = self.board().color_at(stone);
        color.is_some_and(|color| {
            self.life[!color].regions[stone] || self.ownership[stone] * (color.sign() as f32) <= -SETTLED
        })
    }

    /// The empty points of the same owner that are connected with `v`, and the stones around them. Dead stones do not end a
    /// region.
    fn region(&self, v: Vertex) -> (Vec<Vertex>, Vec<Vertex>) {
        let board = self.board();
        let mut seen = VertexMap::filled(false);
        let (mut points, mut stones) = (vec![v], Vec::new());
        seen[v] = true;
        let mut open = vec![v];
        while let Some(p) = open.pop() {
            for n in p.neighbors() {
                if !board.contains(n) || seen[n] {
                    continue;
                }
                seen[n] = true;
                if board.is_empty(n) && self.owner(n) != self.owner(v) {
                    continue;
                }
                if board.is_empty(n) {
                    points.push(n);
                    open.push(n);
                } else {
                    stones.push(n);
                    if self.is_dead(n) {
                        open.push(n);
                    }
                }
            }
        }
        (points, stones)
    }

    fn board(&self) -> &'a Board {
        self.game.board()
    }
}
