//! Files that are not what they should be: each is answered with one line that says where, what was expected and what was
//! found, and none brings the program down or makes it take memory that the file can't fill.

use std::fs;
use std::path::Path;

use drystone_experiments::problems::{self, Kind};
use hdf5_pure::FileBuilder;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The answer to a file of this name and these bytes.
fn answer_to_bytes(name: &str, bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    let message = match problems::read(&path) {
        Ok(problem) => panic!("{name} was read as {problem:?}"),
        Err(error) => error.to_string(),
    };
    assert!(message.contains(name), "{message}");
    assert!(!message.contains('\n') && message.len() < 400, "{message}");
    message
}

fn answer(name: &str, text: &str) -> String {
    answer_to_bytes(name, text.as_bytes())
}

fn check(name: &str, text: &str, fragments: &[&str]) {
    let message = answer(name, text);
    for fragment in fragments {
        assert!(message.contains(fragment), "'{fragment}' is not in: {message}");
    }
}

const CONTACT: &str = "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0.5\n";

#[test]
fn the_contact_that_the_others_are_made_of_is_good() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("good.dat");
    fs::write(&path, CONTACT).unwrap();
    assert_eq!(problems::read(&path).unwrap().content.kind(), Kind::Local);
    assert!(problems::read_as(&path, Some(Kind::Lcp)).is_err());
}

#[test]
fn texts() {
    let contact = |from: &str, to: &str| {
        assert!(CONTACT.contains(from));
        CONTACT.replacen(from, to, 1)
    };
    check("empty.dat", " \n", &["a problem", "an empty file"]);
    check("prose.dat", "All work and no play\n", &["line 1", "'All'"]);
    check(
        "cut.dat",
        &contact("-1 0 0\n0.5\n", "-1 0"),
        &["line 10", "3 values of q", "after 2"],
    );
    check(
        "cut-mu.dat",
        &contact("0.5\n", ""),
        &["1 values of mu", "end of the file after 0"],
    );
    check(
        "nan.dat",
        &contact("-1 0 0", "-1 NaN 0"),
        &["line 10", "q, a finite number", "'NaN'"],
    );
    check(
        "inf.dat",
        &contact("0 1 0", "0 inf 0"),
        &["line 8", "W, a finite number", "'inf'"],
    );
    check(
        "negative.dat",
        &contact("0.5", "-0.5"),
        &["line 11", "mu, 0 or more", "'-0.5'"],
    );
    check(
        "storage.dat",
        &contact("0\n3\n3\n3 3", "7\n3\n3\n3 3"),
        &["line 3", "storage", "'7'"],
    );
    check(
        "size.dat",
        &contact("3 3", "3 4"),
        &["line 6", "columns of W again, 3", "'4'"],
    );
    check(
        "more.dat",
        &format!("{CONTACT}17 4\n"),
        &["line 12", "the end of a local friction problem", "'17'"],
    );
    check("bytes.dat", "3\n1\n", &["end of the file"]);
    // Sizes that would fill the memory, in every place where a size is read.
    for giant in [
        "3\n1000000000\n0\n3000000000\n3000000000\n3000000000 3000000000\n1 2 3\n",
        "4000000000\n0\n4000000000\n4000000000\n4000000000 4000000000\n1 2 3\n",
        "1\n4000000000\n4000000000\n4000000000\n4000000000\n4000000000\n1 2 3\n",
        "1 1 4000000000 4000000000 0 4000000000 1 0 3 3 3 3 1",
        "0 1 4000000000 4000000000 1 1",
        "99999999999999999999\n0\n",
    ] {
        answer("giant.dat", giant);
    }
}

#[test]
fn text_matrices() {
    let blocks = "1\n2\n2\n1\n1\n1\n2\n2\n2\n1\n0 1\n0\n0\n1 0 0 1\n-1 -1\n";
    let lcp = |blocks: &str| format!("2\n{blocks}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("good.dat");
    fs::write(&path, lcp(blocks)).unwrap();
    assert_eq!(problems::read(&path).unwrap().content.kind(), Kind::Lcp);
    let changed = |from: &str, to: &str| {
        assert!(blocks.contains(from), "{from}");
        lcp(&blocks.replacen(from, to, 1))
    };
    check(
        "column.dat",
        &changed("0 1\n0\n0\n", "0 1\n3\n0\n"),
        &["block 0 of M", "1×1 places"],
    );
    check("start.dat", &changed("0 1\n0\n", "1 1\n0\n"), &["block 0 of M"]);
    check(
        "index.dat",
        &changed("0\n1 0 0 1", "5\n1 0 0 1"),
        &["the index of block 0 of M, 0", "'5'"],
    );
    check("ends.dat", &changed("1\n2\n2\n2\n1\n", "1\n2\n3\n2\n1\n"), &["M"]);

    let sparse = "2\n2\n2\n2\n1\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n 0 0 : 1\n 1 1 : 2\n-1 -1\n";
    fs::write(&path, sparse).unwrap();
    assert_eq!(problems::read(&path).unwrap().content.kind(), Kind::Lcp);
    let changed = |from: &str, to: &str| {
        assert!(sparse.contains(from), "{from}");
        sparse.replacen(from, to, 1)
    };
    check(
        "range.dat",
        &changed("1 1 : 2", "1 2 : 2"),
        &["index 2 where there are 2"],
    );
    check("count.dat", &changed("nnz: 2", "nnz: 3"), &["entry 2 of 3 of M"]);
    check("sizes.dat", &changed("2-by-2", "2-by-3"), &["'2-by-2,'", "'2-by-3,'"]);
}

#[test]
fn laws_and_bounds() {
    let relay = "1\n0\n1\n1\n1 1\n2\n-1\n3\n1\n";
    check(
        "relay.dat",
        relay,
        &["a lower bound no greater than the upper", "[3, 1] in row 0"],
    );
    let law = "1\n1\n1\n1\n1\n1\n1\n1\n2\n1\n0 1\n0\n0\n5.0\n-1\n";
    check(
        "gmp.dat",
        &format!("{law}3\n"),
        &["the law of a block row, 0, 2 or 4", "3"],
    );
    check(
        "gmp.dat",
        &format!("{law}4\n0.1\n"),
        &["3 rows for a contact", "1 in block 0"],
    );
}

#[test]
fn documents() {
    let good = r#"{"format": "drystone-problem", "version": 1, "blocks": [{"rows": 1, "cone": "non-negative"}],
        "bias": [-1.0], "operator": {"matrix": {"entries": [{"row": 0, "column": 0, "values": [2.0]}]}}}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("good.json");
    fs::write(&path, good).unwrap();
    assert_eq!(problems::read(&path).unwrap().to_problem().unwrap().bias, [-1.0]);
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        good.replacen(from, to, 1)
    };
    check("a.json", "{\"cut\": ", &["line 1", "drystone-problem"]);
    check(
        "a.json",
        &changed("drystone-problem", "other"),
        &["format", "\"other\""],
    );
    check(
        "a.json",
        &changed("\"version\": 1", "\"version\": 2"),
        &["version", "expected 1, found 2"],
    );
    check("a.json", &changed("non-negative", "negative"), &["line 1", "negative"]);
    check("a.json", &changed("bias", "biased"), &["biased"]);
    check(
        "a.json",
        &changed("[-1.0]", "[-1.0, 2.0]"),
        &["bias", "expected 1 numbers, found 2"],
    );
    check("a.json", &changed("[-1.0]", "[1e999]"), &["line 2"]);
    check(
        "a.json",
        &changed("\"column\": 0", "\"column\": 9"),
        &["entries[0]", "(0, 9)"],
    );
    check(
        "a.json",
        &changed("\"rows\": 1", "\"rows\": 4000000000"),
        &["4000000000 numbers"],
    );
    check(
        "a.json",
        &changed("\"non-negative\"", "{\"friction\": {\"coefficient\": -1.0}}"),
        &["blocks[0]", "friction"],
    );
}

#[test]
fn matrix_market() {
    let folder = tempfile::tempdir().unwrap();
    let read = |matrix: &str, q: Option<&str>| {
        let (path, beside) = (folder.path().join("a.mtx"), folder.path().join("a_q.mtx"));
        fs::write(&path, matrix).unwrap();
        match q {
            Some(q) => fs::write(&beside, q).unwrap(),
            None => drop(fs::remove_file(&beside)),
        }
        problems::read(&path).map_err(|error| error.to_string())
    };
    let header = "%%MatrixMarket matrix coordinate real general\n";
    let m = format!("{header}2 2 2\n1 1 2.0\n2 2 3.0\n");
    let q = "%%MatrixMarket matrix array real general\n2 1\n-1\n-2\n";
    assert_eq!(read(&m, Some(q)).unwrap().content.kind(), Kind::Lcp);
    for (matrix, q, fragments) in [
        (m.as_str(), None, ["a vector q", "no such file"]),
        (
            &m.replace("2 2 3.0", "2 3 3.0"),
            Some(q),
            ["line 4", "a column from 1 to 2, found '3'"],
        ),
        (&m.replace("3.0", "NaN"), Some(q), ["line 4", "a number, found 'NaN'"]),
        (&m.replace("2 2 2\n", "2 2 3\n"), Some(q), ["row of entry 2", "nothing"]),
        (
            &m.replace("2 2 2\n", "2 2 4000000000\n"),
            Some(q),
            ["4000000000 entries", "bytes"],
        ),
        (&m.replace("real", "complex"), Some(q), ["line 1", "complex"]),
        (
            &m.replace("3.0\n", "3.0\n9 9 9\n"),
            Some(q),
            ["line 5", "the end after 2 entries"],
        ),
        (
            &m,
            Some(&q.replace("2 1\n-1\n-2\n", "1 1\n-1\n")),
            ["q", "expected 2 numbers, found 1"],
        ),
        (
            &m,
            Some(&q.replace("2 1\n", "4000000000 4000000000\n")),
            ["a_q.mtx", "entries"],
        ),
    ] {
        let message = read(matrix, q).unwrap_err();
        for fragment in fragments {
            assert!(message.contains(fragment), "'{fragment}' is not in: {message}");
        }
    }
}

/// A small FCLIB file with a change.
struct Fclib {
    nz: i32,
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<f64>,
    mu: Vec<f64>,
    rows: i32,
    dimension: i32,
}

impl Default for Fclib {
    fn default() -> Self {
        Self {
            nz: -2,
            starts: vec![0, 1, 2, 3],
            columns: vec![0, 1, 2],
            values: vec![1.0; 3],
            mu: vec![0.5],
            rows: 3,
            dimension: 3,
        }
    }
}

impl Fclib {
    fn bytes(&self) -> Vec<u8> {
        let mut file = FileBuilder::new();
        let mut top = file.create_group("fclib_local");
        top.create_dataset("spacedim").with_i32_data(&[self.dimension]);
        let mut w = top.create_group("W");
        for (name, value) in [("m", self.rows), ("n", 3), ("nz", self.nz), ("nzmax", 3)] {
            w.create_dataset(name).with_i32_data(&[value]);
        }
        w.create_dataset("p").with_i32_data(&self.starts);
        w.create_dataset("i").with_i32_data(&self.columns);
        w.create_dataset("x").with_f64_data(&self.values);
        top.add_group(w.finish());
        let mut vectors = top.create_group("vectors");
        vectors.create_dataset("q").with_f64_data(&[-1.0, 0.0, 0.0]);
        vectors.create_dataset("mu").with_f64_data(&self.mu);
        top.add_group(vectors.finish());
        file.add_group(top.finish());
        file.finish().unwrap()
    }

    fn refused(&self, fragments: &[&str]) {
        let message = answer_to_bytes("a.hdf5", &self.bytes());
        for fragment in fragments {
            assert!(message.contains(fragment), "'{fragment}' is not in: {message}");
        }
    }
}

#[test]
fn fclib_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hdf5");
    let good = Fclib::default;
    fs::write(&path, good().bytes()).unwrap();
    let w = problems::read(&path)
        .unwrap()
        .to_problem()
        .unwrap()
        .assembled()
        .unwrap()
        .to_dense();
    assert!(w.is_identity(0.0));
    // Triplets, with room for more than there are: i is the row.
    let triplets = Fclib {
        nz: 1,
        starts: vec![2, 9, 9],
        columns: vec![0, 9, 9],
        values: vec![7.0, f64::MAX, 0.0],
        ..good()
    };
    fs::write(&path, triplets.bytes()).unwrap();
    let w = problems::read(&path)
        .unwrap()
        .to_problem()
        .unwrap()
        .assembled()
        .unwrap()
        .to_dense();
    assert_eq!((w[(0, 2)], w.sum()), (7.0, 7.0));

    Fclib { nz: -3, ..good() }.refused(&["fclib_local/W/nz", "compressed rows", "-3"]);
    Fclib { nz: 4, ..good() }.refused(&["fclib_local/W/i", "4 indices"]);
    Fclib { dimension: 4, ..good() }.refused(&["fclib_local/spacedim", "2 or 3", "4"]);
    Fclib { rows: -3, ..good() }.refused(&["fclib_local/W/m", "0 or more", "-3"]);
    Fclib {
        rows: i32::MAX,
        ..good()
    }
    .refused(&["fclib_local/W/p", "2147483648 indices", "4"]);
    Fclib {
        columns: vec![0, 1, 3],
        ..good()
    }
    .refused(&["fclib_local/W", "index 3 where there are 3"]);
    Fclib {
        columns: vec![0, 1, -1],
        ..good()
    }
    .refused(&["fclib_local/W/i", "-1"]);
    Fclib {
        starts: vec![0, 2, 1, 3],
        ..good()
    }
    .refused(&["fclib_local/W", "ascending"]);
    Fclib {
        starts: vec![0, 1, 2, 2_000_000_000],
        ..good()
    }
    .refused(&["fclib_local/W/i", "2000000000 indices"]);
    Fclib {
        values: vec![1.0, f64::NAN, 1.0],
        ..good()
    }
    .refused(&["fclib_local/W/x", "finite", "NaN"]);
    Fclib {
        mu: vec![-0.5],
        ..good()
    }
    .refused(&["mu", "0 or more", "-0.5"]);
    Fclib {
        mu: vec![0.5; 2],
        ..good()
    }
    .refused(&["mu", "1 numbers", "2"]);

    let mut other = FileBuilder::new();
    other.create_dataset("x").with_f64_data(&[1.0]);
    assert!(answer_to_bytes("b.hdf5", &other.finish().unwrap()).contains("fclib_local"));
}

/// Cut or damaged anywhere, a file is read or refused, never more.
#[test]
fn damaged_files() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/problems");
    let hdf5 = fs::read(own.join("sic-capsules-s1-N50-k00060-nc12.hdf5")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut rng = Pcg64::seed_from_u64(3);
    let mut refused = 0;
    for (name, bytes) in [("a.hdf5", hdf5), ("a.dat", CONTACT.as_bytes().to_vec())] {
        for attempt in 0..400 {
            let mut damaged = bytes.clone();
            if attempt % 4 == 0 {
                damaged.truncate(rng.random_range(0..bytes.len()));
            } else {
                let at = rng.random_range(0..bytes.len());
                damaged[at] = rng.random();
            }
            let path = folder.path().join(name);
            fs::write(&path, &damaged).unwrap();
            if let Err(error) = problems::read(&path) {
                let message = error.to_string();
                assert!(!message.contains('\n'), "{message}");
                refused += 1;
            }
        }
    }
    assert!(refused > 200, "{refused}");
}

#[test]
fn what_a_format_can_not_hold_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("a.dat");
    fs::write(&source, "1\n0\n1\n1\n1 1\n2\n-1\n").unwrap();
    let lcp = problems::read(&source).unwrap();
    for (name, fragment) in [("b.hdf5", "friction problems, not a LCP"), ("b.xyz", "extension 'xyz'")] {
        let message = problems::write(&lcp, folder.path().join(name)).unwrap_err().to_string();
        assert!(message.contains(fragment) && message.contains(name), "{message}");
        assert!(!folder.path().join(name).exists());
    }
    let mut broken = lcp.clone();
    if let problems::Content::Lcp(lcp) = &mut broken.content {
        lcp.q.push(1.0);
    }
    let message = problems::write(&broken, folder.path().join("b.dat"))
        .unwrap_err()
        .to_string();
    assert!(message.contains("1 numbers, found 2"), "{message}");
    let missing = problems::read(folder.path().join("no/such/file.dat"))
        .unwrap_err()
        .to_string();
    assert!(missing.starts_with("cannot read"), "{missing}");
}
