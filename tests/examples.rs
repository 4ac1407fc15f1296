//! The examples do what the README says, and fail with a message and exit code 1.

#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs an example that `cargo test` has built beside this test.
fn run(example: &str, arguments: &[&str], input: &str) -> Output {
    let test = std::env::current_exe().unwrap();
    let examples = test.parent().unwrap().parent().unwrap().join("examples");
    let mut command = Command::new(examples.join(example).with_extension(std::env::consts::EXE_EXTENSION));
    let command = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // An example that does not read its input closes it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn bigrams_counts_every_pair() {
    let (file, picture) = (temporary("bigrams.txt"), temporary("bigrams.png"));
    std::fs::write(&file, "abababab\n").unwrap();
    let output = run("bigrams", &[file.to_str().unwrap(), picture.to_str().unwrap()], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.contains(&vec!["1", "\"ab\"", "4", "50.00", "%"]), "{text}");
    assert!(lines.contains(&vec!["2", "\"ba\"", "3", "37.50", "%"]), "{text}");
    assert!(lines.contains(&vec!["3", "\"b\\n\"", "1", "12.50", "%"]), "{text}");

    let reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(picture).unwrap())).read_info();
    assert_eq!(reader.unwrap().info().size(), (256, 256));
}

#[test]
fn bigrams_explains_what_is_wrong() {
    let (short, missing) = (temporary("one-byte.txt"), temporary("no-such-file"));
    std::fs::write(&short, "x").unwrap();
    for (file, message) in [(short, "has no two adjacent bytes"), (missing, "")] {
        let output = run("bigrams", &[file.to_str().unwrap()], "");
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(text.contains(file.to_str().unwrap()) && text.contains(message), "{text}");
    }
}

#[test]
fn bigrams_says_which_file_it_could_not_write() {
    let (file, picture) = (temporary("some.txt"), temporary("no-such-directory/picture.png"));
    std::fs::write(&file, "some text").unwrap();
    let output = run("bigrams", &[file.to_str().unwrap(), picture.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains(picture.to_str().unwrap()));
}

#[test]
fn embedding_finds_similar_lines() {
    let lines = "the cat sat on the mat\nstock prices fell\ncats sit on mats\nprices of stocks fall\n";
    let output = run("embedding", &[], lines);
    let text = String::from_utf8(output.stdout).unwrap();
    let like: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("most like line ")?.split(' ').next()).collect();
    assert_eq!(like, ["3", "4", "1", "2"], "{text}");
}

#[test]
fn embedding_needs_a_word() {
    let output = run("embedding", &[], "\n--\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no line with a word in it"));
}
