//! Counting finished games.

use crate::{
    board::Board,
    color::{Color, ColorMap},
    rules::{Rules, Scoring, Tax},
    vertex::{MAX_AREA, Vertex, VertexMap},
};

/// Whom each point belongs to, under the assumption that every stone on the board is alive.
///
/// A point belongs to a colour if a stone of it is there, or if the empty region around it touches only that colour
/// (Tromp-Taylor).
pub fn area_owners(board: &Board) -> VertexMap<Option<Color>> {
    let mut owners = VertexMap::filled(None);
    let mut seen = VertexMap::filled(false);
    let mut region = Vec::with_capacity(MAX_AREA);
    for start in board.points() {
        if let Some(color) = board.color_at(start) {
            owners[start] = Some(color);
            continue;
        }
        if seen[start] {
            continue;
        }
        region.clear();
        region.push(start);
        seen[start] = true;
        let (mut black, mut white) = (false, false);
        let mut done = 0;
        while done < region.len() {
            for n in region[done].neighbors() {
                match board.color_at(n) {
                    Some(Color::Black) => black = true,
                    Some(Color::White) => white = true,
                    None if board.is_empty(n) && !seen[n] => {
                        seen[n] = true;
                        region.push(n);
                    }
                    None => {}
                }
            }
            done += 1;
        }
        let owner = match (black, white) {
            (true, false) => Some(Color::Black),
            (false, true) => Some(Color::White),
            _ => None,
        };
        for &v in &region {
            owners[v] = owner;
        }
    }
    owners
}

/// Black's area minus White's, every stone alive, no komi (Tromp-Taylor): the sum of [`area_owners`], from the empty points alone.
pub fn area_score(board: &Board) -> i32 {
    let mut score = board.stones(Color::Black) as i32 - board.stones(Color::White) as i32;
    let mut seen = VertexMap::filled(false);
    let mut region = Vec::with_capacity(board.empties().len());
    for &start in board.empties() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        region.clear();
        region.push(start);
        let (mut touches_black, mut touches_white) = (false, false);
        let mut done = 0;
        while let Some(&v) = region.get(done) {
            touches_black |= board.stone_neighbors(v, Color::Black) != 0;
            touches_white |= board.stone_neighbors(v, Color::White) != 0;
            for n in v.neighbors() {
                if board.is_empty(n) && !std::mem::replace(&mut seen[n], true) {
                    region.push(n);
                }
            }
            done += 1;
        }
        score += (i32::from(touches_black) - i32::from(touches_white)) * region.len() as i32;
    }
    score
}

/// [`area_score`] for the end of a playout, where every empty point is an eye or shared in a seki: no flood fill.
#[inline]
pub fn playout_score(board: &Board) -> i32 {
    let stones = board.stones(Color::Black) as i32 - board.stones(Color::White) as i32;
    let eyes: i32 = board
        .empties()
        .iter()
        .map(|&v| board.is_surrounded(v, Color::Black) as i32 - board.is_surrounded(v, Color::White) as i32)
        .sum();
    stones + eyes
}

/// A finished position counted point by point.
#[derive(Clone, Debug)]
pub struct Count {
    /// Whom each point counts for, dead stones taken off.
    pub owners: VertexMap<Option<Color>>,
    /// Living stones, where they count.
    pub stones: ColorMap<usize>,
    /// Surrounded points.
    pub territory: ColorMap<usize>,
    /// Captured and dead stones of the opponent, where they count.
    pub prisoners: ColorMap<usize>,
    /// What White receives for the handicap.
    pub bonus: usize,
    /// White's komi.
    pub komi: f32,
}

impl Count {
    /// Black's points minus White's.
    pub fn score(&self) -> f32 {
        let points = |color| self.stones[color] + self.territory[color] + self.prisoners[color];
        let [black, white] = Color::ALL.map(points);
        (black as i32 - white as i32 - self.bonus as i32) as f32 - self.komi
    }
}

/// Counts a finished position under `rules`: Black's points minus White's, with komi and the handicap bonus.
///
/// `dead` are stones that both players agree to be dead; naming one stone of a chain names the chain. Under
/// [`Tax::Seki`] the empty points of groups in seki count for nobody: see [`seki_groups`]. Under [`Tax::All`] two points of
/// every other group do not either.
pub fn final_score(board: &Board, rules: &Rules, handicap: usize, dead: &[Vertex]) -> f32 {
    if dead.is_empty() && rules.scoring == Scoring::Area && rules.tax == Tax::None {
        return (area_score(board) - rules.handicap_bonus.points(handicap) as i32) as f32 - rules.komi;
    }
    count(board, rules, handicap, dead).score()
}

/// As [`final_score`], with what it is made of.
pub fn count(board: &Board, rules: &Rules, handicap: usize, dead: &[Vertex]) -> Count {
    let (cleared, removed) = without_chains(board, dead);
    let mut owners = area_owners(&cleared);
    let is_area = rules.scoring == Scoring::Area;
    if rules.tax != Tax::None {
        let seki = seki_groups(&cleared, &owners);
        cleared.points().filter(|&v| seki[v] && cleared.is_empty(v)).for_each(|v| owners[v] = None);
    }
    if rules.tax == Tax::All {
        for group in groups(&cleared, &owners) {
            group.iter().filter(|&&v| cleared.is_empty(v)).take(2).for_each(|&v| owners[v] = None);
        }
    }
    let (mut stones, mut territory) = (ColorMap::default(), ColorMap::default());
    for v in cleared.points() {
        match (cleared.color_at(v), owners[v]) {
            (Some(color), _) if is_area => stones[color] += 1,
            (Some(_), _) => owners[v] = None,
            (None, Some(color)) => territory[color] += 1,
            (None, None) => {}
        }
    }
    let taken = |color: Color| if is_area { 0 } else { board.prisoners(color) + removed[!color] };
    Count {
        owners,
        stones,
        territory,
        prisoners: ColorMap(Color::ALL.map(taken)),
        bonus: rules.handicap_bonus.points(handicap),
        komi: rules.komi,
    }
}

/// The stones and empty points that belong to groups in seki, when every stone on the board is alive and `owners` are its
/// [`area_owners`].
///
/// A group is the chains of one colour that are joined through empty points which only they touch. By the Japanese
/// rules (article 8) a living group is in seki if it touches a neutral point (dame). Games often end before the last
/// neutral points are filled, so here a neutral point counts only if the group cannot fill it without putting itself in
/// atari; and a group that clearly lives by itself is not in seki: one with two separate eyes, or with an eye of four
/// points or more.
pub fn seki_groups(board: &Board, owners: &VertexMap<Option<Color>>) -> VertexMap<bool> {
    let mut in_seki = VertexMap::filled(false);
    for group in groups(board, owners) {
        let Some(color) = owners[group[0]] else { continue };
        let is_shared = |n| board.contains(n) && owners[n].is_none() && is_self_atari(board, n, color);
        let touches_shared = group.iter().any(|v| v.neighbors().into_iter().any(is_shared));
        if touches_shared && !lives_by_itself(board, &group) {
            for &v in &group {
                in_seki[v] = true;
            }
        }
    }
    in_seki
}

/// The groups: stones and empty points owned by one colour that hang together.
pub fn groups(board: &Board, owners: &VertexMap<Option<Color>>) -> Vec<Vec<Vertex>> {
    let mut seen = VertexMap::filled(false);
    let mut groups = Vec::new();
    for start in board.points() {
        if owners[start].is_none() || std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let mut group = vec![start];
        let mut done = 0;
        while done < group.len() {
            for n in group[done].neighbors() {
                if board.contains(n) && owners[n] == owners[start] && !std::mem::replace(&mut seen[n], true) {
                    group.push(n);
                }
            }
            done += 1;
        }
        groups.push(group);
    }
    groups
}

/// Whether a stone of `color` at `v` would be in atari, or is not allowed there.
fn is_self_atari(board: &Board, v: Vertex, color: Color) -> bool {
    let mut after = board.clone();
    after.set_to_play(color);
    after.try_play(v.into(), false).is_err() || after.liberty_count(after.chain(v)) < 2
}

/// Whether the empty points of a group form two eyes, or one of four points or more.
fn lives_by_itself(board: &Board, group: &[Vertex]) -> bool {
    let eyes: Vec<_> = group.iter().copied().filter(|&v| board.is_empty(v)).collect();
    let Some(&first) = eyes.first() else { return false };
    let mut region = vec![first];
    let mut done = 0;
    while done < region.len() {
        for n in region[done].neighbors() {
            if board.is_empty(n) && !region.contains(&n) {
                region.push(n);
            }
        }
        done += 1;
    }
    region.len() >= 4 || region.len() < eyes.len()
}

/// The board without the chains of the given stones, and how many stones of each colour that takes off.
pub fn without_chains(board: &Board, dead: &[Vertex]) -> (Board, ColorMap<usize>) {
    let mut edits = Vec::new();
    let mut taken = VertexMap::filled(false);
    let mut removed = ColorMap::default();
    for &v in dead {
        let Some(color) = board.contains(v).then(|| board.color_at(v)).flatten() else { continue };
        if taken[v] {
            continue;
        }
        for stone in board.chain_stones(board.chain(v)) {
            taken[stone] = true;
            edits.push((stone, None));
            removed[color] += 1;
        }
    }
    if edits.is_empty() {
        return (board.clone(), removed);
    }
    (board.edited(&edits).expect("taking stones away leaves every chain its liberties"), removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(diagram: &str, rules: &Rules, dead: &[&str]) -> f32 {
        let board = Board::from_diagram(diagram).unwrap();
        let dead: Vec<_> = dead.iter().map(|name| name.parse().unwrap()).collect();
        final_score(&board, &rules.with_komi(0.0), 0, &dead)
    }

    #[test]
    fn area_and_territory() {
        let board = ". X O . / . X O . / . X O . / . X O .";
        assert_eq!(score(board, &Rules::CHINESE, &[]), 0.0);
        assert_eq!(score(board, &Rules::JAPANESE, &[]), 0.0);
        let board = ". X . O . / . X . O . / . X O O O / . X O . O";
        assert_eq!(score(board, &Rules::CHINESE, &[]), 8.0 - 10.0);
        assert_eq!(score(board, &Rules::JAPANESE, &[]), 4.0 - 3.0);
    }

    #[test]
    fn scores_are_the_sum_of_owners() {
        for (width, height) in [(2, 2), (5, 5), (7, 3), (9, 9), (19, 19)] {
            let (mut board, mut state) = (Board::new(width, height), 1_u64);
            for _ in 0..3 * width * height {
                let owners = area_owners(&board);
                let sum: i32 = board.points().filter_map(|v| owners[v]).map(Color::sign).sum();
                assert_eq!(area_score(&board), sum, "{board}");
                let rules = Rules::AGA.with_komi(6.5);
                assert_eq!(final_score(&board, &rules, 3, &[]), count(&board, &rules, 3, &[]).score());
                state = crate::splitmix(state, 1);
                let empties = board.empties();
                let v = empties[state as usize % empties.len().max(1)];
                if board.is_legal(v) {
                    board.play(v.into());
                }
            }
        }
    }

    #[test]
    fn dead_stones_are_prisoners_and_territory() {
        let board = ". X . O . / O X . O . / . X O O O / . X O . O";
        assert_eq!(score(board, &Rules::JAPANESE, &["A3"]), 4.0 + 1.0 - 3.0);
        assert_eq!(score(board, &Rules::CHINESE, &["A3"]), 8.0 - 10.0);
        let careless = ["A3", "A3", "A1", "T19"];
        assert_eq!(score(board, &Rules::JAPANESE, &careless), 2.0, "named twice, empty, off the board");
        // One stone names its chain.
        let board = "O X . O . / O X . O . / . X O O O / . X O . O";
        assert_eq!(score(board, &Rules::JAPANESE, &["A3"]), score(board, &Rules::JAPANESE, &["A3", "A4"]));
    }

    #[test]
    fn a_count_tells_its_parts() {
        let board = Board::from_diagram(". X . O . / O X . O . / . X O O O / . X O . O").unwrap();
        let dead = ["A3".parse().unwrap()];
        let territory = count(&board, &Rules::JAPANESE, 0, &dead);
        assert_eq!(
            (territory.stones.0, territory.territory.0, territory.prisoners.0),
            ([0, 0], [4, 3], [1, 0])
        );
        assert_eq!(territory.owners["A3".parse().unwrap()], Some(Color::Black));
        assert_eq!(territory.owners["B3".parse().unwrap()], None, "stones are no territory");
        let area = count(&board, &Rules::CHINESE, 2, &dead);
        assert_eq!((area.stones.0, area.territory.0, area.prisoners.0), ([4, 7], [4, 3], [0, 0]));
        assert_eq!((area.bonus, area.score()), (2, 8.0 - 10.0 - 2.0 - 7.5));
    }

    #[test]
    fn eyes_in_seki_count_nothing_under_japanese_rules() {
        // One eye each and a shared liberty: who plays there is captured.
        let board = Board::from_diagram(". X . O . / X X X O O").unwrap();
        let territory = |rules: &Rules| count(&board, rules, 0, &[]).territory.0;
        assert_eq!(territory(&Rules::JAPANESE), [0, 0]);
        assert_eq!(territory(&Rules { tax: Tax::None, ..Rules::JAPANESE }), [1, 1]);
        assert_eq!(territory(&Rules::CHINESE), [1, 1]);
        assert_eq!(territory(&Rules { tax: Tax::Seki, ..Rules::CHINESE }), [0, 0]);
        let seki = seki_groups(&board, &area_owners(&board));
        assert_eq!(board.points().filter(|&v| seki[v]).count(), 9, "all but the shared liberty");
    }

    #[test]
    fn two_points_of_every_group_are_taxed_under_stone_scoring() {
        let board = ". X . O . / . X . O . / . X O O O / . X O . O";
        assert_eq!(score(board, &Rules::STONE_SCORING, &[]), (8.0 - 2.0) - (10.0 - 2.0));
        assert_eq!(score(board, &Rules::ANCIENT_TERRITORY, &[]), (4.0 - 2.0) - (3.0 - 2.0));
        let seki = ". X . O . / X X X O O";
        assert_eq!(score(seki, &Rules::STONE_SCORING, &[]), score(seki, &Rules::CHINESE, &[]) + 1.0 - 1.0);
    }

    #[test]
    fn unfilled_neutral_points_do_not_make_a_living_group_seki() {
        let board = ". X . O . / . X . O . / . X . O . / . X . O . / . X . O .";
        assert_eq!(score(board, &Rules::JAPANESE, &[]), 0.0);
        let board = Board::from_diagram(board).unwrap();
        let seki = seki_groups(&board, &area_owners(&board));
        assert!(board.points().all(|v| !seki[v]));
    }

    #[test]
    fn compensation_of_each_rule_set() {
        let board = Board::from_diagram(". X . / X . X / . X .").unwrap();
        for (rules, bonus) in
            [(Rules::CHINESE, 4.0), (Rules::AGA, 3.0), (Rules::NEW_ZEALAND, 0.0), (Rules::TROMP_TAYLOR, 0.0)]
        {
            assert_eq!(final_score(&board, &rules, 4, &[]), 9.0 - rules.komi - bonus);
        }
        assert_eq!(final_score(&board, &Rules::JAPANESE, 4, &[]), 5.0 - 6.5);
    }
}
