//! Many games stepped together, as reinforcement learning wants them.
//!
//! Actions and arrays have the order of the self-play records: row 0 is the top row, a point is row · width + column, and
//! the pass comes after the last point.

use tengen_board::{Board, Color, Game, InvalidSize, Move, Rules, Vertex, splitmix};
use tengen_engine::{players::RandomPlayer, playout::UniformConfig};

/// The action that stands for a move.
#[inline]
pub fn action_of(board: &Board, mv: Move) -> usize {
    mv.vertex().map_or(board.area(), |v| v.place_from_top(board.width(), board.height()))
}

/// The move that an action stands for.
#[inline]
pub fn move_of(board: &Board, action: usize) -> Option<Move> {
    let (width, area) = (board.width(), board.area());
    match action {
        pass if pass == area => Some(Move::PASS),
        point if point < area => Some(Vertex::from_top(point, width, board.height()).into()),
        _ => None,
    }
}

/// Writes the stones of a position: 0 empty, 1 black, 2 white.
pub fn write_stones(board: &Board, out: &mut [u8]) {
    for (line, row) in out.chunks_exact_mut(board.width()).zip((0..board.height()).rev()) {
        for (col, cell) in line.iter_mut().enumerate() {
            *cell = board.color_at(Vertex::new(col, row)).map_or(0, |color| 1 + color.index() as u8);
        }
    }
}

/// Writes which actions are legal: 0 or 1 for each, the pass last and always 1.
pub fn write_legal(game: &Game, out: &mut [u8]) {
    let board = game.board();
    out.fill(0);
    for &v in board.empties() {
        out[action_of(board, v.into())] = u8::from(game.is_legal(v));
    }
    out[board.area()] = 1;
}

/// What an illegal action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnIllegal {
    /// The game is lost.
    Lose,
    /// Nothing happens, but it counts towards the length.
    Ignore,
}

/// What the games have in common.
#[derive(Clone, Debug)]
pub struct EnvironmentConfig {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Rules and komi.
    pub rules: Rules,
    /// After so many moves a game is cut short.
    pub longest: usize,
    /// Up to so many random moves are played at the beginning: a number that is random itself.
    pub opening: usize,
    /// What an illegal action does.
    pub illegal: OnIllegal,
}

/// What a step gave, from the point of view of the player who took it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    /// 1 for a win, −1 for a loss, 0 for a draw and as long as the game goes on.
    pub reward: f32,
    /// Whether the game is over.
    pub terminated: bool,
    /// Whether the game was cut short.
    pub truncated: bool,
}

/// One game, with its stones as an array.
pub struct Environment {
    config: EnvironmentConfig,
    game: Game,
    stones: Vec<u8>,
    /// Actions so far, those of the opening not counted.
    actions: usize,
    is_over: bool,
    seed: u64,
    episode: u64,
}

impl Environment {
    /// A game at its beginning.
    pub fn new(config: &EnvironmentConfig, seed: u64) -> Result<Environment, InvalidSize> {
        let game = Game::new(config.width, config.height, config.rules)?;
        let stones = vec![0; config.width * config.height];
        let mut environment = Environment {
            config: config.clone(),
            game,
            stones,
            actions: 0,
            is_over: false,
            seed,
            episode: 0,
        };
        environment.reset(None);
        Ok(environment)
    }

    /// Begins again, with the next opening of the seed or with the first one of another.
    pub fn reset(&mut self, seed: Option<u64>) {
        if let Some(seed) = seed {
            self.set_seed(seed);
        }
        self.game.undo_to(0);
        self.actions = 0;
        self.is_over = false;
        self.episode += 1;
        if self.config.opening > 0 {
            let random = splitmix(self.seed, self.episode);
            let mut player = RandomPlayer::new(&UniformConfig::default(), random);
            for _ in 0..random % (self.config.opening as u64 + 1) {
                let mv = player.draw(&self.game);
                if mv.is_pass() {
                    break;
                }
                self.game.play_unchecked(mv);
            }
        }
        write_stones(self.game.board(), &mut self.stones);
    }

    /// From the next reset on, its openings are those of another seed.
    pub fn set_seed(&mut self, seed: u64) {
        (self.seed, self.episode) = (seed, 0);
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The stones, as [`write_stones`] writes them.
    pub fn stones(&self) -> &[u8] {
        &self.stones
    }

    /// Whether it is to be reset before it goes on.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Whether an action is legal now.
    pub fn is_legal(&self, action: usize) -> bool {
        move_of(self.game.board(), action).is_some_and(|mv| self.game.check(mv).is_ok())
    }

    /// Plays an action for the player to move.
    pub fn step(&mut self, action: usize) -> Step {
        let legal = move_of(self.game.board(), action).filter(|&mv| self.game.check(mv).is_ok());
        self.actions += 1;
        let mover = self.game.to_play();
        let Some(mv) = legal else {
            return match self.config.illegal {
                OnIllegal::Lose => self.end(-1.0),
                OnIllegal::Ignore => self.go_on(),
            };
        };
        self.play(mover, mv);
        if self.game.passes() >= 2 {
            let score = self.game.score(&[]) * mover.sign() as f32;
            return self.end(if score == 0.0 { 0.0 } else { score.signum() });
        }
        self.go_on()
    }

    fn play(&mut self, mover: Color, mv: Move) {
        let board = self.game.board();
        let before = board.stones(mover) + board.stones(!mover);
        let action = action_of(board, mv);
        self.game.play_unchecked(mv);
        let board = self.game.board();
        if mv.is_pass() {
        } else if board.stones(mover) + board.stones(!mover) == before + 1 {
            self.stones[action] = 1 + mover.index() as u8;
        } else {
            write_stones(board, &mut self.stones);
        }
    }

    /// Ends the game by a resignation of the player to move, who gets the reward of a loss.
    pub fn resign(&mut self) -> Step {
        self.end(-1.0)
    }

    fn end(&mut self, reward: f32) -> Step {
        self.is_over = true;
        Step { reward, terminated: true, truncated: false }
    }

    fn go_on(&mut self) -> Step {
        self.is_over = self.actions >= self.config.longest;
        Step { truncated: self.is_over, ..Step::default() }
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::rng::Rng;

    use super::*;

    fn config(rules: Rules) -> EnvironmentConfig {
        EnvironmentConfig { width: 4, height: 3, rules, longest: 40, opening: 0, illegal: OnIllegal::Lose }
    }

    #[test]
    fn actions_count_from_the_top_left() {
        let board = Board::try_new(4, 3).unwrap();
        assert_eq!(move_of(&board, 0), "A3".parse().ok());
        assert_eq!(move_of(&board, 5), "B2".parse().ok());
        assert_eq!(move_of(&board, 12), Some(Move::PASS));
        assert_eq!(move_of(&board, 13), None);
        (0..=12).for_each(|a| assert_eq!(move_of(&board, a).map(|mv| action_of(&board, mv)), Some(a)));
    }

    #[test]
    fn stones_and_legal_actions_are_those_of_the_game() {
        for rules in [Rules::CHINESE, Rules::TROMP_TAYLOR, Rules::AGA] {
            let mut environment = Environment::new(&config(rules), 1).unwrap();
            let mut rng = Rng::new(3);
            let (mut stones, mut legal) = ([0; 12], [0; 13]);
            for _ in 0..2000 {
                write_legal(environment.game(), &mut legal);
                write_stones(environment.game().board(), &mut stones);
                assert_eq!(environment.stones(), stones);
                for (action, legal) in legal.iter().enumerate() {
                    assert_eq!(
                        environment.is_legal(action),
                        *legal == 1,
                        "{action}\n{:?}",
                        environment.game()
                    );
                }
                let actions: Vec<_> = (0..13).filter(|&a| legal[a] == 1).collect();
                environment.step(actions[rng.below(actions.len())]);
                if environment.is_over() {
                    environment.reset(None);
                }
            }
        }
    }

    #[test]
    fn ends_pay_the_mover() {
        let mut environment = Environment::new(&config(Rules::CHINESE), 1).unwrap();
        assert_eq!(environment.step(12), Step::default());
        assert_eq!(environment.step(12), Step { reward: 1.0, terminated: true, truncated: false });
        environment.reset(None);
        environment.step(0);
        assert_eq!(environment.step(0).reward, -1.0);
        assert!(environment.is_over());
        let mut short =
            Environment::new(&EnvironmentConfig { longest: 2, ..config(Rules::CHINESE) }, 1).unwrap();
        short.step(0);
        assert_eq!(short.step(1), Step { reward: 0.0, terminated: false, truncated: true });
    }

    #[test]
    fn openings_belong_to_the_seed() {
        let config = EnvironmentConfig { opening: 6, ..config(Rules::CHINESE) };
        let mut a = Environment::new(&config, 5).unwrap();
        let first = a.stones().to_vec();
        let others: Vec<_> = (0..20)
            .map(|_| {
                a.reset(None);
                a.stones().to_vec()
            })
            .collect();
        assert!(others.iter().any(|stones| *stones != first));
        a.reset(Some(5));
        assert_eq!(a.stones(), first);
    }
}
