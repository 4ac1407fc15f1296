"""Writes embedding-bag.json: PyTorch's `embedding_bag` on the CPU. `python3 embedding_bag.py > embedding-bag.json` (torch 2.15)

Values are multiples of 1/4 below 16, so that sums are exact in any order. A mean of 3 or more rows may differ by the last bit: PyTorch may multiply by
1/count. Floats are written as decimals that name them exactly.
"""

import itertools
import json

import torch

torch.manual_seed(33)
cases = []
widths = [1, 3, 4, 16, 33, 64, 130]
for number, (mode, last, padding, weighted, dtype) in enumerate(
    itertools.product(["sum", "mean", "max"], [False, True], [None, 0, -2], [False, True], ["float32", "float16", "float64"])
):
    if weighted and mode != "sum":
        continue
    rows, width = 5 + number % 4, widths[number % len(widths)]
    lengths = [[0, 1, 2, 4], [3, 0, 0, 8, 1], [1], [0], [17, 2]][number % 5]
    type_ = getattr(torch, dtype)
    table = (torch.randint(-63, 64, (rows, width)) / 4).to(type_)
    ids = torch.randint(0, rows, (sum(lengths),))
    offsets = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    given = offsets if last else offsets[:-1]
    weights = (torch.randint(-4, 5, ids.shape) / 4).to(type_) if weighted else None
    output = torch.nn.functional.embedding_bag(
        ids, table, torch.tensor(given), mode=mode, per_sample_weights=weights, include_last_offset=last, padding_idx=padding
    )
    cases.append(
        {
            "mode": mode,
            "dtype": dtype,
            "rows": rows,
            "width": width,
            "table": table.flatten().tolist(),
            "ids": ids.tolist(),
            "offsets": given,
            "include_last_offset": last,
            "padding": None if padding is None else padding % rows,
            "weights": None if weights is None else weights.tolist(),
            "output": output.flatten().tolist(),
        }
    )
print("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]")
