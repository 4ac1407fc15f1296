#!/usr/bin/env python3
"""quant.py: writes quant.json beside it, the quantised tables of other packages, what they read from them, and what they make of floats.

    pip install numpy gguf ml_dtypes onnx onnxruntime torch
    python3 tests/data/quant.py

Floats are written as the hexadecimal of their little-endian bytes, so that comparisons are exact."""
import json
import os
import warnings

warnings.filterwarnings("ignore")
import gguf
import ml_dtypes
import numpy as np
import onnxruntime as ort
import torch
from onnx import TensorProto as T, helper

ort.set_default_logger_severity(4)
R = np.random.default_rng(20261125)
hexadecimal = lambda array: np.ascontiguousarray(array).tobytes().hex()
cases = {"decode": [], "encode": [], "rows": [], "block_quantized": [], "floats": []}
FLOATS = {"f8e4m3fn": (T.FLOAT8E4M3FN, ml_dtypes.float8_e4m3fn), "f8e4m3fnuz": (T.FLOAT8E4M3FNUZ, ml_dtypes.float8_e4m3fnuz), "f8e5m2": (T.FLOAT8E5M2, ml_dtypes.float8_e5m2), "f8e5m2fnuz": (T.FLOAT8E5M2FNUZ, ml_dtypes.float8_e5m2fnuz), "f4e2m1": (T.FLOAT4E2M1, ml_dtypes.float4_e2m1fn)}

# Blocks of GGUF: any bytes, but scales that are finite, zero and without an exponent among them.
SCALES = {"Q8_0": (0, 1), "Q4_0": (0, 1), "Q4_1": (0, 2), "Q5_0": (0, 1), "Q5_1": (0, 2), "IQ4_NL": (0, 1), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208, 1)}
for name, (place, count) in SCALES.items():
    kind = getattr(gguf.GGMLQuantizationType, name)
    _, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = R.integers(0, 256, (4, size), dtype=np.uint8)
    scales = (R.standard_normal((4, count)) * 0.05).astype(np.float16)
    scales[1], scales[2] = 0, 3e-7
    blocks[:, place : place + 2 * count] = scales.view(np.uint8)
    values = gguf.quants.dequantize(blocks, kind).astype(np.float32)
    cases["decode"].append({"format": name, "blocks": hexadecimal(blocks), "values": hexadecimal(values)})

# The same from floats: small, large and all the same, ties, zeros, one sign.
values = R.standard_normal((10, 32)).astype(np.float32)
values[1] *= 1000
values[2] *= 1e-3
values[3] = 0
values[4] = 0.75
values[5] = np.abs(values[5])
values[6] = np.arange(32) - 16
values[7] = (np.arange(32) % 16) / 2
values[8] = -np.abs(values[8]) - 5
values[9] *= 1e-9
for name in ("Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"):
    blocks = gguf.quants.quantize(values, getattr(gguf.GGMLQuantizationType, name))
    cases["encode"].append({"format": name, "values": hexadecimal(values), "blocks": hexadecimal(blocks)})

# Rows of PyTorch, of 12 values.
values = (R.standard_normal((8, 12)) * 3).astype(np.float32)
values[1], values[2] = 0, -0.375
values[3] *= 1e-6
values[4] *= 1e3
values[5] *= 1e-30
for bits, name in ((8, "byte"), (4, "4bit"), (2, "2bit")):
    rows = getattr(torch.ops.quantized, f"embedding_bag_{name}_prepack")(torch.from_numpy(values))
    back = getattr(torch.ops.quantized, f"embedding_bag_{name}_unpack")(rows)
    cases["rows"].append({"bits": bits, "values": hexadecimal(values), "rows": hexadecimal(rows.numpy()), "decoded": hexadecimal(back.numpy())})


# GatherBlockQuantized of ONNX Runtime, on its CPU.
def block_quantized(trap, packing, sizes, attributes, indices, zeros=False, half=False, shared=()):
    """Sizes are those of the tensor `data`. Attributes that are left out have their defaults. The axes `shared` have one scale."""
    bits = packing if isinstance(packing, int) else 8 if packing.startswith("f8") else 4
    element = T.UINT8 if isinstance(packing, int) else {"int4": T.INT4, "uint4": T.UINT4, **{name: kind for name, (kind, _) in FLOATS.items()}}[packing]
    real, kind = (np.float16, T.FLOAT16) if half else (np.float32, T.FLOAT)
    per_byte = 8 // bits
    logical = list(sizes)
    if element == T.UINT8:
        logical[-1] *= per_byte
    axis = attributes.get("quantize_axis", 1)
    of_scales = list(logical)
    of_scales[axis] = -(-logical[axis] // (attributes.get("block_size", 128) or logical[axis]))
    for one in shared:
        of_scales[one] = 1
    scales = (R.standard_normal(of_scales) * 0.1).astype(real)
    count = int(np.prod(logical))
    data = R.integers(0, 256, -(-count // per_byte), dtype=np.uint8)
    if packing in FLOATS and bits == 8:
        # NaNs are among the floats below.
        data[np.isnan(data.view(FLOATS[packing][1]).astype(np.float32))] = 1
    of_zeros = of_scales[:-1] + [-(-of_scales[-1] // per_byte)] if element == T.UINT8 else None
    zero_count = int(np.prod(of_zeros)) if of_zeros else -(-int(np.prod(of_scales)) // 2)
    zero_points = R.integers(0, 256, zero_count, dtype=np.uint8)

    indices = np.array(indices, dtype=np.int64)
    inputs = [helper.make_tensor_value_info("indices", T.INT64, indices.shape), helper.make_tensor_value_info("scales", kind, of_scales)]
    feed, constants, names = {"indices": indices, "scales": scales}, [], ["data", "indices", "scales"]
    given = [("data", list(sizes), data)]
    if zeros:
        names.append("zeros")
        given.append(("zeros", of_zeros or of_scales, zero_points))
    for name, shape, array in given:
        if element == T.UINT8:
            inputs.append(helper.make_tensor_value_info(name, element, shape))
            feed[name] = array.reshape(shape)
        else:
            constants.append(helper.make_tensor(name, element, shape, array.tobytes(), raw=True))
    own = {"bits": bits} if element == T.UINT8 else {}
    node = helper.make_node("GatherBlockQuantized", names, ["output"], domain="com.microsoft", **attributes, **own)
    graph = helper.make_graph([node], "graph", inputs, [helper.make_tensor_value_info("output", kind, None)], constants)
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=11)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    output = session.run(None, feed)[0]
    cases["block_quantized"].append(
        {
            "trap": trap,
            "packing": packing if isinstance(packing, str) else "u8",
            "bits": bits,
            "attributes": attributes,
            "sizes": list(sizes),
            "data": hexadecimal(data),
            "scales": hexadecimal(scales),
            "zero_points": hexadecimal(zero_points) if zeros else None,
            **({"scales_sizes": of_scales} if shared else {}),
            "half": half,
            "indices_sizes": list(indices.shape),
            "indices": indices.ravel().tolist(),
            "output_sizes": list(output.shape),
            "output": hexadecimal(output),
        }
    )


axes = lambda gather, quantize, block=16: {"gather_axis": gather, "quantize_axis": quantize, "block_size": block}
for half in (False, True):
    for bits in (2, 4, 8):
        per_byte = 8 // bits
        block_quantized("zero points by default", bits, [5, 64 // per_byte], axes(0, 1), [[4, 0], [-1, -5]], half=half)
        block_quantized("an odd number of blocks: rows of zero points are padded", bits, [3, 80 // per_byte], axes(0, 1), [2, 1, 0], zeros=True, half=half)
        block_quantized("the last block is shorter", bits, [3, 40 // per_byte], axes(0, 1), [2, 0], zeros=True, half=half)
for bits in (2, 4, 8):
    per_byte = 8 // bits
    block_quantized("attributes by default: the block is larger than the axis", bits, [3, 48 // per_byte], {}, [1, 2], zeros=True)
    block_quantized("three dimensions", bits, [3, 2, 24 // per_byte], axes(0, 2), [-1, 1], zeros=True)
    block_quantized("axes from the end", bits, [3, 32 // per_byte], axes(-2, -1), 1, zeros=True)
for packing in ("int4", "uint4"):
    for zeros in (False, True):
        for gather in (0, 1, 2):
            for quantize in (0, 1, 2):
                sizes = [3, 2, 5]
                sizes[quantize] = 19
                # Neither a row nor the axis is a multiple of a block or of a byte.
                block_quantized("a flat index is no place in a block", packing, sizes, axes(gather, quantize), [[1], [-1]], zeros=zeros)
        block_quantized("one index, blocks larger than the axis", packing, [4, 7], {"block_size": 64}, 3, zeros=zeros, half=True)

# Floats: all codes, and random values, ties, and what is next to them.
for name, (_, kind) in FLOATS.items():
    codes = np.arange(16 if name == "f4e2m1" else 256, dtype=np.uint8)
    values = codes.view(kind).astype(np.float32)
    known = np.sort(np.abs(values[np.isfinite(values)]))
    ties = (known[1:] + known[:-1]) / 2
    some = np.concatenate([known, ties, np.nextafter(ties, np.float32(0)), np.nextafter(ties, np.float32(1e9)), [known[-1] * 1.03, known[-1] * 1.07, 1e9, 1e38, np.inf, 1e-9, 1e-40], R.standard_normal(20) * known[-1], R.standard_normal(20)]).astype(np.float32)
    some = np.unique(np.concatenate([some, -some]).view(np.uint32)).view(np.float32)
    if name != "f4e2m1":
        some = np.concatenate([some, [np.nan]]).astype(np.float32)
    cases["floats"].append({"format": name, "values": hexadecimal(values), "some": hexadecimal(some), "codes": hexadecimal(some.astype(kind).view(np.uint8))})
for name in FLOATS:
    for half in (False, True):
        block_quantized("rows of an odd size", name, [5, 83], axes(0, 1), [[4, 0], [-1, -5]], half=half)
        block_quantized("the whole axis is a block", name, [3, 40], axes(0, 1, 0), [2, 0], half=half)
        block_quantized("one scale", name, [3, 37], axes(0, -1, 0), [1, 2], half=half, shared=[0])
    block_quantized("rows share their scales", name, [3, 50], axes(0, 1), 1, shared=[0])
    block_quantized("some outer axes share their scales", name, [2, 3, 2, 19], axes(1, 3), [2, -3], shared=[1])
    for quantize in (0, 1):
        sizes = [3, 4, 3]
        sizes[quantize] = 19
        block_quantized("a flat index is no place in a block", name, sizes, axes(1, quantize), [[1], [-1]])
        block_quantized("inner axes share their scales", name, sizes, axes(2, quantize), [[2], [0]], shared=[2])
        block_quantized("some axes share their scales", name, sizes, axes(0, quantize, 0), [-2, 1], shared=[1 - quantize])
    block_quantized("attributes by default", name, [4, 20], {}, 3)

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "quant.json"), "w") as file:
    lists = [f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, some)) + "\n ]" for name, some in cases.items()]
    file.write("{\n" + ",\n".join(lists) + "\n}\n")
print({name: len(some) for name, some in cases.items()})
