//! Result files: JSON lines. The first tells everything about a run, the others hold a record each.
//!
//! A line is written, and on the disk, as soon as its record is known. What a killed run left unfinished in the last line is cut
//! off when the run goes on; the record is then made again from the same seeds. A file that is being written is locked, so that
//! two runs cannot mix their records.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tengen_board::bounded;
use tengen_engine::whole_file;
use thiserror::Error;

use crate::provenance::Provenance;

/// Larger files are refused.
const MAX_BYTES: u64 = 1 << 30;

/// Why a result file cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There are results already.
    #[error("{} holds results already: continue them with --resume, or choose another directory", .0.display())]
    Exists(PathBuf),
    /// Another process works with it.
    #[error("{} is in use: another tengen runs here; wait until it ends, or choose another directory", .0.display())]
    Busy(PathBuf),
    /// It is not a result file.
    #[error("{}, line {line}: {message}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The results are those of another run.
    #[error("{} holds other results ({difference}): use the same settings, choose another directory, or delete these", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The first setting that differs.
        difference: String,
    },
    /// The players do not play as they did.
    #[error(
        "{} holds results of players that behave differently ({difference}): continue with the version, networks and programs \
         that made them, choose another directory, or delete these",
        path.display()
    )]
    Behaviour {
        /// The file.
        path: PathBuf,
        /// The first difference.
        difference: String,
    },
}

/// What the first line of a result file says.
#[derive(Clone, Debug)]
pub struct Header {
    /// What kind of results these are.
    pub kind: &'static str,
    /// Everything that decides them.
    pub config: Value,
    /// How the players behave, with whatever changes of the program.
    pub behaviour: Value,
    /// How many records are planned; may be changed when the run goes on.
    pub planned: usize,
    /// The first setting in which the configuration of a file (the first) differs from this one. A setting that this version has
    /// added, with what it does if nobody sets it, is no difference.
    pub differs: fn(&Value, &Value) -> Option<String>,
}

/// A result file that is being written.
pub struct Lines<R> {
    path: PathBuf,
    file: File,
    records: Vec<R>,
}

impl<R: Serialize + DeserializeOwned> Lines<R> {
    /// Starts a file that does not exist yet, or has no records.
    pub fn create(path: &Path, header: &Header) -> Result<Lines<R>, JournalError> {
        let mut file = open_alone(path)?;
        match ReadLines::<R>::read_from(path, &mut file) {
            Ok(None) => {}
            Ok(Some(read)) if read.records.is_empty() => {}
            _ => return Err(JournalError::Exists(path.parent().unwrap_or(path).to_owned())),
        }
        Lines::start(path, file, header)
    }

    /// Goes on with a file, or starts it if there is none.
    pub fn resume(path: &Path, header: &Header) -> Result<Lines<R>, JournalError> {
        let mut file = open_alone(path)?;
        let Some(read) = ReadLines::read_from(path, &mut file)? else {
            return Lines::start(path, file, header);
        };
        if let Some(difference) = (header.differs)(&read.header["config"], &header.config) {
            return Err(JournalError::Other { path: path.to_owned(), difference });
        }
        if let Some(difference) = other_behaviour(&read.header["behaviour"], &header.behaviour) {
            return Err(JournalError::Behaviour { path: path.to_owned(), difference });
        }
        let error = |source| JournalError::File { path: path.to_owned(), source };
        file.set_len(read.complete).map_err(error)?;
        whole_file::remove_unfinished(path.parent().unwrap_or(path)).map_err(error)?;
        Ok(Lines { path: path.to_owned(), file, records: read.records })
    }

    /// Writes the first line of an empty file.
    fn start(path: &Path, file: File, header: &Header) -> Result<Lines<R>, JournalError> {
        let line = json!({
            "kind": header.kind,
            "config": header.config,
            "behaviour": header.behaviour,
            "games": header.planned,
            "provenance": Provenance::current(),
        });
        file.set_len(0).map_err(|source| JournalError::File { path: path.to_owned(), source })?;
        let mut lines = Lines { path: path.to_owned(), file, records: Vec::new() };
        lines.write(&line.to_string())?;
        Ok(lines)
    }

    /// What an earlier run has written.
    pub fn records(&self) -> &[R] {
        &self.records
    }

    /// The same, given away.
    pub fn take_records(&mut self) -> Vec<R> {
        std::mem::take(&mut self.records)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Has these records in the file, and no others. Whoever reads it finds the old ones or the new ones.
    pub fn replace(&mut self, records: impl Iterator<Item = R>) -> Result<(), JournalError> {
        let error = |source| JournalError::File { path: self.path.clone(), source };
        let mut lines = String::new();
        File::open(&self.path).and_then(|file| BufReader::new(file).read_line(&mut lines)).map_err(error)?;
        for record in records {
            lines += &line(&record);
            lines.push('\n');
        }
        whole_file::write_whole(&self.path, lines).map_err(error)?;
        // The lock belongs to the old file.
        self.file = open_alone(&self.path)?;
        Ok(())
    }

    /// Writes a record down.
    pub fn append(&mut self, record: &R) -> Result<(), JournalError> {
        self.write(&line(record))
    }

    /// Writes records down that are known at the same time.
    pub fn append_all(&mut self, records: impl Iterator<Item = R>) -> Result<(), JournalError> {
        let lines: Vec<String> = records.map(|record| line(&record)).collect();
        if lines.is_empty() { Ok(()) } else { self.write(&lines.join("\n")) }
    }

    /// Writes lines, and has them on the disk before it returns.
    fn write(&mut self, lines: &str) -> Result<(), JournalError> {
        self.file
            .write_all(format!("{lines}\n").as_bytes())
            .and_then(|()| self.file.sync_data())
            .map_err(|source| JournalError::File { path: self.path.clone(), source })
    }
}

/// A record in a line.
fn line<R: Serialize>(record: &R) -> String {
    serde_json::to_string(record).expect("a record is plain data")
}

/// A result file as it is on disk.
pub struct ReadLines<R> {
    /// The first line.
    pub header: Value,
    /// The others.
    pub records: Vec<R>,
    /// Bytes up to the end of the last complete line.
    complete: u64,
}

impl<R: DeserializeOwned> ReadLines<R> {
    /// Reads a file; an unfinished last line is left out.
    pub fn read(path: &Path) -> Result<ReadLines<R>, JournalError> {
        let error = |source| JournalError::File { path: path.to_owned(), source };
        let read = ReadLines::read_from(path, &mut File::open(path).map_err(error)?)?;
        read.ok_or_else(|| JournalError::Corrupt {
            path: path.to_owned(),
            line: 1,
            message: "the first line of a result file is missing".to_owned(),
        })
    }

    /// Reads an open file; `None` if it has no complete line.
    fn read_from(path: &Path, file: &mut File) -> Result<Option<ReadLines<R>>, JournalError> {
        let bytes = bounded::read(file, MAX_BYTES)
            .map_err(|source| JournalError::File { path: path.to_owned(), source })?;
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let text = String::from_utf8_lossy(&bytes[..complete]);
        let corrupt = |line: usize, message: String| JournalError::Corrupt {
            path: path.to_owned(),
            line: line + 1,
            message,
        };
        let mut lines = text.lines().enumerate();
        let Some((line, text)) = lines.next() else { return Ok(None) };
        let header = serde_json::from_str(text)
            .map_err(|problem| corrupt(line, format!("not the first line of a result file: {problem}")))?;
        let records = lines
            .map(|(line, text)| {
                serde_json::from_str(text).map_err(|problem| corrupt(line, problem.to_string()))
            })
            .collect::<Result<_, _>>()?;
        Ok(Some(ReadLines { header, records, complete: complete as u64 }))
    }
}

/// Opens a result file for one process alone, with its directory if that is missing.
fn open_alone(path: &Path) -> Result<File, JournalError> {
    let error = |source| JournalError::File { path: path.to_owned(), source };
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(error)?;
    }
    let file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(error)?;
    lock(&file, path)?;
    Ok(file)
}

/// Keeps other processes from a file until it is closed.
pub(crate) fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match whole_file::lock(file) {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(JournalError::File { path: path.to_owned(), source }),
    }
}

/// Writes a file that is there completely or not at all, and its directory if that is missing.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    whole_file::write_whole(path, text)
}

/// The first setting in which two configurations differ.
pub fn config_difference(there: &Value, here: &Value) -> Option<String> {
    first_difference("config", there, here)
}

/// How players behaved otherwise than they do now, if they did or if nobody knows.
fn other_behaviour(there: &Value, here: &Value) -> Option<String> {
    let difference = first_difference("behaviour", there, here)?;
    let unknown = || "an earlier version made them, which did not write down how they behave".to_owned();
    Some(if there.is_null() { unknown() } else { difference })
}

/// The first value that differs, with its dotted name.
pub fn first_difference(name: &str, there: &Value, here: &Value) -> Option<String> {
    if let (Value::Object(old), Value::Object(new)) = (there, here) {
        let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
        return keys.into_iter().find_map(|key| {
            let inner =
                if name.is_empty() || name == "config" { key.clone() } else { format!("{name}.{key}") };
            let absent = &Value::Null;
            first_difference(&inner, old.get(key).unwrap_or(absent), new.get(key).unwrap_or(absent))
        });
    }
    let show = |value: &Value| if value.is_null() { "absent".to_owned() } else { value.to_string() };
    (there != here).then(|| format!("its {name} is {}, not {}", show(there), show(here)))
}
