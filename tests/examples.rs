//! The examples do what the README says, and fail with a message and exit code 1.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs an example that `cargo test` has built beside this test.
fn run(example: &str, arguments: &[&str]) -> Output {
    let test = std::env::current_exe().unwrap();
    let examples = test.parent().unwrap().parent().unwrap().join("examples");
    Command::new(examples.join(example).with_extension(std::env::consts::EXE_EXTENSION))
        .args(arguments)
        .output()
        .unwrap()
}

fn temporary(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn bigrams_counts_every_pair() {
    let (file, picture) = (temporary("bigrams.txt"), temporary("bigrams.png"));
    std::fs::write(&file, "abababab\n").unwrap();
    let output = run("bigrams", &[file.to_str().unwrap(), picture.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.contains(&vec!["1", "\"ab\"", "4", "50.00", "%"]), "{text}");
    assert!(lines.contains(&vec!["2", "\"ba\"", "3", "37.50", "%"]), "{text}");
    assert!(lines.contains(&vec!["3", "\"b\\n\"", "1", "12.50", "%"]), "{text}");

    let reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(picture).unwrap()))
        .read_info();
    assert_eq!(reader.unwrap().info().size(), (256, 256));
}

#[test]
fn bigrams_explains_what_is_wrong() {
    let (short, missing) = (temporary("one-byte.txt"), temporary("no-such-file"));
    std::fs::write(&short, "x").unwrap();
    for (file, message) in [(short, "has no two adjacent bytes"), (missing, "")] {
        let output = run("bigrams", &[file.to_str().unwrap()]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(text.contains(file.to_str().unwrap()) && text.contains(message), "{text}");
    }
}

#[test]
fn bigrams_says_which_file_it_could_not_write() {
    let (file, picture) = (temporary("some.txt"), temporary("no-such-directory/picture.png"));
    std::fs::write(&file, "some text").unwrap();
    let output = run("bigrams", &[file.to_str().unwrap(), picture.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains(picture.to_str().unwrap()));
}

#[test]
fn embedding_bag_finds_similar_lines() {
    let lines =
        "the cat sat on the mat\nstock prices fell\ncats sit on mats\nprices of stocks fall\n";
    let file = temporary("lines.txt");
    std::fs::write(&file, lines).unwrap();
    let output = run("embedding_bag", &[file.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    let like: Vec<&str> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("most like line ")?.split(' ').next())
        .collect();
    assert_eq!(like, ["3", "4", "1", "2"], "{text}");
}

#[test]
fn embedding_bag_needs_a_word() {
    let file = temporary("no-words.txt");
    std::fs::write(&file, "\n--\n").unwrap();
    let output = run("embedding_bag", &[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no line with a word in it"));
}

/// What an example prints without arguments.
fn printed(example: &str) -> String {
    let output = run(example, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn kv_cache_fills_and_goes_round() {
    let text = printed("kv_cache");
    let (linear, circular) = text.split_once("Circular").unwrap();
    assert!(circular.contains("page 0: [0.0, 0.0, 0.0, 0.0]"), "{text}");
    assert!(circular.contains("page 1: [0.0, 1.0, 4.0, 0.0]"), "{text}");
    assert!(circular.contains("page 2: [0.0, 2.0, 0.0, 0.0]"), "{text}");
    // The step that does not fit leaves what was there.
    assert_eq!(
        linear.matches("sequence 1, head 1: [0.0, 0.0, 0.0, 1.0, 2.0, 0.0]").count(),
        2,
        "{text}"
    );
    assert!(
        linear.contains(
            "positions [2, 5]: index out of bounds: entry 1, coordinate 0 is 5, the size is 5"
        ),
        "{text}"
    );
    for head in 0..2 {
        assert!(
            circular.contains(&format!("sequence 0, head {head}: [7.0, 8.0, 3.0, 4.0, 5.0, 6.0]")),
            "{text}"
        );
        assert!(
            circular.contains(&format!("sequence 1, head {head}: [4.0, 5.0, 6.0, 7.0, 8.0, 3.0]")),
            "{text}"
        );
    }
}

#[test]
fn max_pool_sends_gradients_to_the_winners() {
    let text = printed("max_pool");
    let (_, pooled) = text.split_once("pooled\n").unwrap();
    let (pooled, gradient) = pooled.split_once("gradient of the image\n").unwrap();
    let numbers = |text: &str| -> Vec<f32> {
        text.split_whitespace().map(|number| number.parse().unwrap()).collect()
    };
    let image: Vec<f32> = (0..60).map(|n| (n * 37 % 61) as f32).collect();
    let gradient = numbers(gradient);
    for (cell, largest) in numbers(pooled).into_iter().enumerate() {
        let first = cell / 5 * 20 + cell % 5 * 2;
        let pixels = [first, first + 1, first + 10, first + 11];
        let winner = pixels.into_iter().max_by(|a, b| image[*a].total_cmp(&image[*b])).unwrap();
        assert_eq!(largest, image[winner], "{text}");
        let expected = |pixel| if pixel == winner { cell as f32 + 1.0 } else { 0.0 };
        assert!(pixels.into_iter().all(|pixel| gradient[pixel] == expected(pixel)), "{text}");
    }
}

#[test]
fn moe_combines_what_the_experts_answer() {
    let text = printed("moe");
    let loads: usize = text
        .lines()
        .filter_map(|line| {
            line.strip_prefix("expert ")?.split_whitespace().nth(1)?.parse::<usize>().ok()
        })
        .sum();
    assert_eq!(loads, 128, "{text}");
    // Experts multiply by their numbers, so that the output is a multiple of the token: here of
    // sin(0.7).
    let token = text.lines().find(|line| line.starts_with("token 0")).unwrap();
    let words: Vec<&str> =
        token.split([' ', ':', '[', ']', ',']).filter(|word| !word.is_empty()).collect();
    let number = |at: usize| words[at].parse::<f64>().unwrap();
    let factor = number(3) * number(6) + number(8) * number(11);
    assert!((number(13) - factor * 0.7_f64.sin()).abs() < 0.05, "{token}");
}

#[test]
fn sparse_update_learns() {
    // Consonants and vowels in turn, all as frequent.
    let text: String = (0..1_000_u32)
        .map(|n| {
            char::from(
                if n % 2 == 0 { b"bdgk" } else { b"aeiu" }
                    [(n.wrapping_mul(0x9E37_79B1) >> 30) as usize],
            )
        })
        .collect();
    let file = temporary("syllables.txt");
    std::fs::write(&file, text).unwrap();
    let output = run("sparse_update", &[file.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    let losses: Vec<f64> =
        text.lines().filter_map(|line| line.split_once("loss ")?.1.parse().ok()).collect();
    assert_eq!(losses.len(), 12);
    assert!(losses[11] < 0.8 * losses[0], "{text}");
    // Vowels are followed by the same.
    let likest = |letter: &str| {
        text.lines().find_map(|line| line.trim().strip_prefix(letter)?.strip_prefix(": ")).unwrap()
    };
    assert!(likest("a").split(' ').take(2).all(|other| "eiu".contains(other)), "{text}");
}

#[test]
fn voxels_counts_every_point() {
    let text = printed("voxels");
    assert!(text.contains("1679 quakes in "), "{text}");
    let map: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert!(map.len() == 18 && map.iter().all(|row| row.len() == 74), "{text}");

    let file = temporary("points.csv");
    std::fs::write(&file, "header\n-180,90,0,1\n-179,89,1,3\n179,-89,900,2\n").unwrap();
    let output = run("voxels", &[file.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("3 quakes in 2 of 7776 voxels"), "{text}");
    assert!(
        text.lines().any(|line| line.split_whitespace().collect::<Vec<_>>()
            == ["80..90", "-180..-175", "0", "km..", "2", "2.0", "3.0"]),
        "{text}"
    );

    std::fs::write(&file, "header\n180,90,0,1\n").unwrap();
    let output = run("voxels", &[file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("180,90,0,1: not on the map"));
}

#[test]
fn one_hot_leaves_out_what_is_no_base() {
    let output = run("one_hot", &["TxaC"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<String> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows, ["ACGT", "T0001", "x0000", "a1000", "C0100"]);
}

#[test]
fn permutation_sorts_and_puts_back() {
    let text = printed("permutation");
    assert!(
        text.contains("1679 rows sorted by magnitude; put back, all are as they were"),
        "{text}"
    );
    let magnitudes: Vec<f32> = text
        .lines()
        .skip(1)
        .take(10)
        .map(|line| line.split_whitespace().last().unwrap().parse().unwrap())
        .collect();
    assert!(
        magnitudes.len() == 10 && magnitudes.is_sorted_by(|a, b| a >= b) && magnitudes[0] > 6.0,
        "{text}"
    );
}

#[cfg(feature = "half")]
#[test]
fn mapped_reads_the_rows_of_words() {
    // 2^16 rows of 8 blocks of 34 bytes, of which the scale is 1 and the values 1.
    let (file, text) = (temporary("table.q8_0"), temporary("words.txt"));
    let block = [&[0x00, 0x3c][..], &[1; 32]].concat();
    std::fs::write(&file, block.repeat(8 << 16)).unwrap();
    std::fs::write(&text, "one two one\nthree\n").unwrap();
    let output = run("mapped", &[file.to_str().unwrap(), text.to_str().unwrap()]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("longest rows: one two one"), "{printed}");
    // Three different words, and one of them twice.
    assert!(printed.contains("4 rows, 1088 of 17825792 bytes read, "), "{printed}");

    std::fs::write(&file, block.repeat(7)).unwrap();
    let output = run("mapped", &[file.to_str().unwrap(), text.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("238 bytes, a table has 17825792"), "{message}");
}
