"""Bags and masks of strew beside those of PyTorch, NumPy and pyarrow, which take turns with it.

    pip install numpy pyarrow torch
    python benches/peers/bags.py           # [--threads 1,2] [--rounds 7] [words that names have]

strew runs in a process of its own, `answers` of this package, which cargo builds first. For each
workload this prints the least time in milliseconds that a call of each library took, and how many
times as long as strew's that is. All have the sizes of strew's workload, and random inputs of their
own. Results of the others are new tensors: memory that is freed is not given back here, so that
they pay for no fresh pages but in their first calls. 8 GB of memory are enough.
"""

import argparse
import gc
import os
import subprocess
import sys
import time

# Read when the process starts, by the allocator of the GNU C library.
KEEP = {"MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
if any(os.environ.get(name) != value for name, value in KEEP.items()):
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEP})

import numpy as np

try:
    import torch
except ImportError:
    torch = None
try:
    import pyarrow
    import pyarrow.compute
except ImportError:
    pyarrow = None

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
CARGO = "cargo run -q --release -p strew-benches --bin answers".split()
ROWS, MOVED, MASK = 1 << 20, 1 << 22, 1 << 24


class Strew:
    """Workloads in a process of their own."""

    def __init__(self, threads):
        environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            CARGO, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True
        )

    def least(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def least(call):
    """The least time of calls for a tenth of a second."""
    start, best = time.perf_counter_ns(), None
    while time.perf_counter_ns() - start < 100_000_000:
        before = time.perf_counter_ns()
        call()
        took = time.perf_counter_ns() - before
        best = took if best is None else min(best, took)
    return best


def bag_peers(pool, width, kind, length):
    """What others do for a workload of bags."""
    if torch is None:
        return {}
    bags = MOVED // width // length
    ids = torch.randint(0, ROWS, (bags * length,))
    starts = torch.arange(0, bags * length, length)
    table = torch.rand(ROWS, width)
    if kind == "bytes":
        # A part of the rows at a time: they are copied on the way.
        packed = torch.ops.quantized.embedding_bag_byte_prepack(table)
        byte_bag = torch.ops.quantized.embedding_bag_byte_rowwise_offsets
        return {"PyTorch": lambda: byte_bag(packed, ids, starts, mode=0)}
    bag = torch.nn.functional.embedding_bag
    return {"PyTorch": lambda: bag(ids, table, starts, mode=pool)}


def mask_peers(function, percent):
    """What others do for a workload of masks."""
    mask = np.random.default_rng(percent).integers(0, 100, MASK) < percent
    values = np.random.default_rng(1).random(MASK, dtype=np.float32)
    compress = function == "compress"
    peers = {"NumPy": (lambda: values[mask]) if compress else lambda: np.flatnonzero(mask)}
    if torch is not None:
        chosen, rows = torch.from_numpy(mask), torch.from_numpy(values)
        of = (lambda: torch.masked_select(rows, chosen)) if compress else chosen.nonzero
        peers["PyTorch"] = of
    if pyarrow is not None:
        bits, column, call = pyarrow.array(mask), pyarrow.array(values), pyarrow.compute
        of = (lambda: column.filter(bits)) if compress else lambda: call.indices_nonzero(bits)
        peers["pyarrow"] = of
    return peers


def workloads(threads):
    """The names of strew's workloads, and what makes those of others."""
    family = "bag" if threads == 1 else "threads"
    for length in (1, 20, 100):
        for pool, width, kind in (
            ("sum", 64, "f32"),
            ("sum", 128, "f32"),
            ("mean", 64, "f32"),
            ("sum", 64, "bytes"),
            ("sum", 128, "bytes"),
        ):
            name = f"{family}: {pool} {width} {kind}, bags of {length}"
            yield name, lambda of=(pool, width, kind, length): bag_peers(*of)
    # Masks have no threads.
    for function in ("compress", "nonzero i64") if threads == 1 else ():
        for percent in (1, 50, 99):
            yield f"masks: {function}, {percent} %", lambda of=(function, percent): mask_peers(*of)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    names = ("NumPy", "PyTorch", "pyarrow")
    print("| threads | workload | strew | " + " | ".join(f"{name} | x" for name in names) + " |")
    print("|--:|--|--:|" + "--:|--:|" * len(names), flush=True)
    for threads in map(int, options.threads.split(",")):
        if torch is not None:
            torch.set_num_threads(threads)
        if pyarrow is not None:
            pyarrow.set_cpu_count(threads)
        strew = Strew(threads)
        for name, make in workloads(threads):
            if not all(word in name for word in options.words):
                continue
            peers = make()
            best = dict.fromkeys(("strew", *peers), float("inf"))
            for _ in range(options.rounds):
                best["strew"] = min(best["strew"], strew.least(name))
                for peer, call in peers.items():
                    best[peer] = min(best[peer], least(call))
            cells = [f"{best['strew'] / 1e6:.3f}"]
            for peer in names:
                if peer in best:
                    cells += [f"{best[peer] / 1e6:.3f}", f"{best[peer] / best['strew']:.2f}"]
                else:
                    cells += ["-", "-"]
            print(f"| {threads} | {name} | " + " | ".join(cells) + " |", flush=True)
            del peers
            gc.collect()
        strew.close()


if torch is not None:
    with torch.inference_mode():
        main()
else:
    main()
