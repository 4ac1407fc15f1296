#!/usr/bin/env python3
"""Writes operators.json, the results of NumPy and of ONNX's own node cases for the operators that NumPy and ONNX have.

python3 -m pip install numpy onnx && python3 tests/data/operators.py >tests/data/operators.json
"""

import json
import random

import numpy as np
from onnx.backend.test.case.node import collect_testcases

SEED = 20261125
choose = random.Random(SEED)
numbers = np.random.default_rng(SEED)


def tensor(array):
    return {"sizes": list(array.shape), "data": array.ravel().tolist()}


def axes_case():
    """`table[.., indices, ..]` with a tuple of coordinates for any list of axes."""
    rank = choose.randrange(1, 6)
    sizes = [choose.randrange(1, 5) for _ in range(rank)]
    axes = choose.sample(range(rank), choose.randrange(1, rank + 1))
    entries = [choose.randrange(1, 4) for _ in range(choose.randrange(0, 3))]
    table = numbers.integers(0, 1000, sizes)
    coordinates = [numbers.integers(-sizes[axis], sizes[axis], entries) for axis in axes]
    result = np.moveaxis(table, axes, range(len(axes)))[tuple(coordinates)]
    indices = np.stack(coordinates, axis=-1)
    # The lists of coordinates once more, each with as few dimensions and sizes as broadcasting fills up.
    lists = [np.asarray(list_)[tuple(slice(0, choose.choice([1, None])) for _ in entries)] for list_ in coordinates]
    lists = [list_[0] if list_.ndim and list_.shape[0] == 1 and choose.random() < 0.5 else list_ for list_ in lists]
    broadcast = np.broadcast_shapes(*(list_.shape for list_ in lists))
    by_lists = np.moveaxis(table, axes, range(len(axes)))[tuple(lists)]
    assert by_lists.shape[: len(broadcast)] == broadcast
    return {
        "axes": axes,
        "table": tensor(table),
        "indices": tensor(indices),
        "output": tensor(result),
        "lists": [tensor(list_) for list_ in lists],
        "by_lists": tensor(by_lists),
    }


def mask_case():
    """What a mask of the data's sizes chooses, and where it is true."""
    sizes = [choose.randrange(0, 6) for _ in range(choose.randrange(0, 4))]
    data, mask = numbers.integers(0, 100, sizes), numbers.integers(0, 2, sizes).astype(bool)
    chosen = data[mask]
    values = numbers.integers(100, 200, chosen.size + choose.randrange(3))
    expanded = data.copy()
    expanded[mask] = values[: chosen.size]
    return {
        "data": tensor(data),
        "mask": tensor(mask),
        "nonzero": np.stack(np.nonzero(np.atleast_1d(mask))).tolist() if sizes else [],
        "chosen": chosen.tolist(),
        "values": values.tolist(),
        "expanded": expanded.ravel().tolist(),
        "filled": np.where(mask, -1, data).ravel().tolist(),
    }


def compress_case():
    """`numpy.compress`: a list of conditions along an axis, or over all elements."""
    sizes = [choose.randrange(1, 6) for _ in range(choose.randrange(1, 4))]
    axis = choose.choice([None, *range(len(sizes))])
    data = numbers.integers(0, 100, sizes)
    length = data.size if axis is None else sizes[axis]
    mask = numbers.integers(0, 2, choose.randrange(1, length + 1)).astype(bool)
    output = np.compress(mask, data, axis=axis)
    return {"axis": axis, "data": tensor(data), "mask": mask.tolist(), "output": tensor(output)}


with np.errstate(all="ignore"):
    NODE_CASES = collect_testcases(None)


def onnx_cases(operator):
    for case in NODE_CASES:
        node = case.model.graph.node[0]
        if node.op_type != operator or len(case.model.graph.node) > 1:
            continue
        ((inputs, outputs),) = case.data_sets
        attributes = {a.name: a.s.decode() if a.s else a.i for a in node.attribute}
        names = list(node.input)
        yield {
            "name": case.name,
            "attributes": attributes,
            "inputs": {name: tensor(array) for name, array in zip(names, inputs, strict=True)},
            "output": tensor(outputs[0]),
        }


print("{")
groups = {
    "axes": [axes_case() for _ in range(40)],
    "masks": [mask_case() for _ in range(30)],
    "compress": [compress_case() for _ in range(30)],
    **{operator: list(onnx_cases(operator)) for operator in ["Compress", "NonZero", "OneHot", "TensorScatter"]},
}
for name, cases in groups.items():
    print(json.dumps(name) + ": [")
    print(",\n".join(json.dumps(case, separators=(",", ":")) for case in cases))
    print("]," if name != list(groups)[-1] else "]")
print("}")
