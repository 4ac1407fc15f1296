//! A bar chart as SVG: for each workload, or each family of them, the time of the safe loop, and
//! strew's in proportion to it.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// One workload, measured.
pub struct Bar {
    /// The heading under which the bar stands; bars of one family follow each other.
    pub family: &'static str,
    /// What the bar is called.
    pub name: String,
    /// Nanoseconds an element, or a call; of a [mean](means), the time if that of the loop is 1.
    pub strew: f64,
    /// The same of the safe loop.
    pub safe_loop: f64,
}

const WIDTH: f64 = 860.0;
/// Where bars begin, and how long that of the safe loop is.
const LEFT: f64 = 260.0;
const UNIT: f64 = 400.0;
/// How long a bar may be, in units, before it is cut off.
const LONGEST: f64 = 1.25;
const RATIO: f64 = WIDTH - 16.0;
const ROW: f64 = 30.0;
const BAR: f64 = 11.0;
const HEADING: f64 = 30.0;
const TOP: f64 = 58.0;

const BACKGROUND: &str = "#ffffff";
const TEXT: &str = "#24292f";
const QUIET: &str = "#57606a";
const SAFE_LOOP: &str = "#c3cad2";
const STREW: &str = "#1f6feb";
const SLOWER: &str = "#cf4a22";

/// One bar for each family: the geometric mean of its workloads.
#[must_use]
pub fn means(bars: &[Bar]) -> Vec<Bar> {
    let families = bars.chunk_by(|one, next| one.family == next.family);
    let mean = |family: &[Bar]| {
        let logarithms: f64 = family.iter().map(|bar| (bar.strew / bar.safe_loop).ln()).sum();
        Some(Bar {
            family: "geometric means of families",
            name: family.first()?.family.to_owned(),
            strew: (logarithms / family.len() as f64).exp(),
            safe_loop: 1.0,
        })
    };
    families.filter_map(mean).collect()
}

/// Draws the bars, whose times are in `unit`. The chart brings its own background, and needs no
/// font in particular.
#[must_use]
pub fn draw(bars: &[Bar], unit: &str, caption: &str) -> String {
    let mut body = String::new();
    let mut y = TOP;
    let mut family = "";
    for bar in bars {
        if bar.family != family {
            family = bar.family;
            text(
                &mut body,
                (16.0, y + HEADING - 9.0),
                "start",
                TEXT,
                &format!(" font-weight=\"600\">{}", escaped(family)),
            );
            y += HEADING;
        }
        row(&mut body, bar, y);
        y += ROW;
    }
    let height = y + 40.0;
    text(
        &mut body,
        (16.0, y + 24.0),
        "start",
        QUIET,
        &format!(" font-size=\"11\">{}", escaped(caption)),
    );

    let mut head = String::new();
    text(
        &mut head,
        (16.0, 24.0),
        "start",
        TEXT,
        " font-size=\"15\" font-weight=\"600\">strew and the safe loop that a user would write",
    );
    for (x, color, label) in [
        (LEFT, SAFE_LOOP, "safe loop"),
        (LEFT + 84.0, STREW, "strew"),
        (LEFT + 144.0, SLOWER, "strew, slower; broken bars are cut off"),
    ] {
        rect(&mut head, (x, 37.0), (10.0, 10.0), color);
        text(&mut head, (x + 15.0, 46.0), "start", QUIET, &format!(" font-size=\"11\">{label}"));
    }
    text(&mut head, (RATIO, 46.0), "end", QUIET, " font-size=\"11\">times faster");
    text(&mut head, (16.0, 46.0), "start", QUIET, &format!(" font-size=\"11\">{}", escaped(unit)));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" role=\"img\" \
         font-family=\"system-ui, sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{BACKGROUND}\"/>\n{head}{body}</svg>\n"
    )
}

/// Two bars, their times, and the ratio.
fn row(svg: &mut String, bar: &Bar, y: f64) {
    let (relative, ratio) = (bar.strew / bar.safe_loop, bar.safe_loop / bar.strew);
    // As the ratio is printed.
    let slower = ratio < 0.995;
    text(svg, (LEFT - 10.0, y + 18.0), "end", TEXT, &format!(">{}", escaped(&bar.name)));
    let strew = if slower { SLOWER } else { STREW };
    for (top, length, color, time) in
        [(y + 2.0, 1.0, SAFE_LOOP, bar.safe_loop), (y + 2.0 + BAR, relative, strew, bar.strew)]
    {
        let end = LEFT + UNIT * length.min(LONGEST);
        rect(svg, (LEFT, top), (end - LEFT, BAR), color);
        if length > LONGEST {
            rect(svg, (end - 14.0, top), (3.0, BAR), BACKGROUND);
            rect(svg, (end - 8.0, top), (3.0, BAR), BACKGROUND);
        }
        text(
            svg,
            (end + 5.0, top + 9.0),
            "start",
            QUIET,
            &format!(" font-size=\"10\">{}", nanoseconds(time)),
        );
    }
    text(
        svg,
        (RATIO, y + 18.0),
        "end",
        if slower { SLOWER } else { TEXT },
        &format!(" font-weight=\"600\">{ratio:.2}x"),
    );
}

fn rect(svg: &mut String, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
    _ = writeln!(
        svg,
        "<rect x=\"{x}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{fill}\"/>"
    );
}

/// `rest`: more attributes, `>` and the text.
fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, fill: &str, rest: &str) {
    _ = writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{fill}\"{rest}</text>"
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Three digits.
#[must_use]
pub fn nanoseconds(time: f64) -> String {
    let decimals = match time {
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{time:.decimals$}")
}

/// The processor's name, where the system says it.
#[must_use]
pub fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpuinfo
        .lines()
        .find(|line| line.starts_with("model name"))
        .and_then(|line| line.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// Today, in UTC, as `2026-11-21`.
#[must_use]
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    date(seconds / 86_400)
}

/// The date `days` days after 1970-01-01. (Howard Hinnant's `civil_from_days`: years begin in
/// March, and 400 of them have 146097 days.)
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march_first = (5 * day + 2) / 153;
    let month = if march_first < 10 { march_first + 3 } else { march_first - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{:02}", day - (153 * march_first + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates() {
        for (days, date) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_818, "2026-12-31"),
        ] {
            assert_eq!(super::date(days), date);
        }
    }
}
