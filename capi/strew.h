// strew: checked gather and scatter. Made from the crate strew-c by cbindgen.
//
// A constructor (strew_gather_axis, strew_scatter_nd, ..) takes the layouts of three tensors,
// proves that they fit each other, and makes a plan in memory that you own. A call
// (strew_gather_run_4_i32, strew_scatter_reduce_f32_i32, ..) takes a plan, arrays and their lengths
// in elements. Built without `std`, the library allocates nothing, and has no state but what you
// pass. With it, some calls allocate scratch memory and free it.
//
// Each function but strew_error_message returns a strew_status. The last argument gets the details
// of a failure; it may be NULL, and is not touched by what succeeds. All arguments are checked:
// NULL and alignment (any function may return STREW_NULL_POINTER or STREW_MISALIGNED), lengths that
// overflow, and, in calls, an array that is written and overlaps one that is read. What you promise
// is that a pointer that is not NULL leads to as many elements as you say, that arrays are
// initialised, that the plan and the error overlap nothing else, and that nobody else changes any
// of them during the call.

#ifndef STREW_H
#define STREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What happens to an index that lies outside its axis. Negative indices first count from the end,
// once: -1 is the last element.
enum strew_bounds
#ifdef __cplusplus
  : uint32_t
#endif // __cplusplus
 {
    // The call fails with STREW_INDEX_OUT_OF_BOUNDS. This is what constructors choose.
    STREW_BOUNDS_ERROR = 0,
    // What is still below 0 becomes 0 (-1 is the last element), what is above becomes size - 1.
    STREW_BOUNDS_CLAMP = 1,
    // The index becomes its Euclidean remainder modulo the size.
    STREW_BOUNDS_WRAP = 2,
    // A scatter drops the entry, a gather leaves that part of the output as it was.
    STREW_BOUNDS_SKIP = 3,
};
#ifndef __cplusplus
typedef uint32_t strew_bounds;
#endif // __cplusplus

// The tensor or argument that a strew_error speaks of.
enum strew_operand
#ifdef __cplusplus
  : uint32_t
#endif // __cplusplus
 {
    // A layout on its own, before it has a role in an operator.
    STREW_LAYOUT = 0,
    // The tensor that a gather reads.
    STREW_INPUT = 1,
    // The integer tensor.
    STREW_INDICES = 2,
    // The tensor that a scatter reads.
    STREW_UPDATES = 3,
    // The tensor that a scatter changes.
    STREW_DATA = 4,
    // The tensor that a gather writes.
    STREW_OUTPUT = 5,
    // The plan.
    STREW_PLAN = 6,
    // The result of a function on layouts.
    STREW_RESULT = 7,
};
#ifndef __cplusplus
typedef uint32_t strew_operand;
#endif // __cplusplus

// What an update does to the value that is there.
enum strew_reduction
#ifdef __cplusplus
  : uint32_t
#endif // __cplusplus
 {
    // data + update. Integers wrap.
    STREW_ADD = 0,
    // data - update. Integers wrap.
    STREW_SUB = 1,
    // data * update. Integers wrap.
    STREW_MUL = 2,
    // The smaller one; NaN if one of them is.
    STREW_MIN = 3,
    // The larger one; NaN if one of them is.
    STREW_MAX = 4,
    // The bits that both have. Integers only.
    STREW_AND = 5,
    // The bits that one of them has. Integers only.
    STREW_OR = 6,
    // The bits in which they differ. Integers only.
    STREW_XOR = 7,
};
#ifndef __cplusplus
typedef uint32_t strew_reduction;
#endif // __cplusplus

// What a function returns: STREW_OK, or why it refused to work.
//
// The comments say which members of strew_error have a meaning. All others are 0.
enum strew_status
#ifdef __cplusplus
  : uint32_t
#endif // __cplusplus
 {
    // It is done.
    STREW_OK = 0,
    // A tensor has more dimensions than are supported. operand, expected (the largest number),
    // found.
    STREW_RANK_TOO_LARGE = 1,
    // The axis is not a dimension of the indexed tensor. operand, expected (the number of
    // dimensions, which the axis must stay below), found.
    STREW_AXIS_OUT_OF_RANGE = 2,
    // There are too many batch dimensions for this operand. operand, expected (the largest
    // number), found.
    STREW_BATCH_DIMS_OUT_OF_RANGE = 3,
    // A tensor has the wrong number of dimensions. operand, expected, found.
    STREW_RANK_MISMATCH = 4,
    // A dimension has the wrong size. operand, dimension, expected (for the indices of `elements`
    // the largest size allowed), found.
    STREW_SIZE_MISMATCH = 5,
    // The tuples of `nd`, the last dimension of the indices, must have 1 to expected coordinates.
    // operand (STREW_INDICES), expected, found.
    STREW_TUPLE_SIZE_OUT_OF_RANGE = 6,
    // The number of elements, or the last address, exceeds size_t. operand.
    STREW_SIZES_OVERFLOW = 7,
    // Negative strides lead to an address below 0. operand, expected (the smallest offset that
    // prevents it), found.
    STREW_OFFSET_TOO_SMALL = 8,
    // The array ends before the tensor does. operand, expected (the length that the layout needs,
    // in elements), found.
    STREW_SLICE_TOO_SHORT = 9,
    // Two elements of a tensor that is written may have the same address. operand, dimension,
    // expected (the smallest magnitude of its stride that excludes it), found.
    STREW_OVERLAPPING_OUTPUT = 10,
    // An index lies outside its axis. operand (STREW_INDICES), entry (counted in row-major order
    // of the indices; whole tuples for `nd`), coordinate (the place inside the tuple), negative
    // and magnitude (the index), expected (the size of the axis).
    STREW_INDEX_OUT_OF_BOUNDS = 11,
    // A pointer is NULL that may not be. operand.
    STREW_NULL_POINTER = 32,
    // A pointer is not aligned for its type. operand.
    STREW_MISALIGNED = 33,
    // An array of this length does not fit the address space. operand.
    STREW_LENGTH_OVERFLOW = 34,
    // The array that is written shares memory with one that is read. operand (the one that is
    // written), other (the one that is read).
    STREW_SHARED_MEMORY = 35,
    // The plan was not made by a constructor that returned STREW_OK. operand.
    STREW_PLAN_NOT_MADE = 36,
    // There is no such strew_bounds. found.
    STREW_UNKNOWN_BOUNDS = 37,
    // There is no such strew_reduction for this type. found.
    STREW_UNKNOWN_REDUCTION = 38,
    // This version of the library cannot say more.
    STREW_OTHER = 63,
};
#ifndef __cplusplus
typedef uint32_t strew_status;
#endif // __cplusplus

// Where the elements of a tensor lie: the element of coordinates c is number
// `offset + c[0] * strides[0] + c[1] * strides[1] + ..` of its array.
//
// All numbers count elements, not bytes. It is a plain value and may be written as one:
// `{ .rank = 2, .sizes = { 256, 32 }, .strides = { 32, 1 } }`. Strides may be 0 (the tensor is
// broadcast) and negative; those of a tensor that is written may not make it overlap itself.
typedef struct strew_layout {
    // The number of dimensions, 0 to 8. What lies beyond in the other members means nothing.
    size_t rank;
    // The size of each dimension.
    size_t sizes[8];
    // The distance from one coordinate to the next, in elements.
    ptrdiff_t strides[8];
    // The place of the element whose coordinates are all 0.
    size_t offset;
} strew_layout;

// Why a function refused to work. strew_status says which members have a meaning.
typedef struct strew_error {
    // A strew_status.
    uint32_t status;
    // A strew_operand.
    uint32_t operand;
    // A strew_operand.
    uint32_t other;
    // Whether the index is below 0.
    bool negative;
    // The index without its sign.
    uint64_t magnitude;
    // The dimension, counted from 0.
    size_t dimension;
    // What would be right.
    size_t expected;
    // What was there.
    size_t found;
    // The entry of the indices, counted from 0.
    size_t entry;
    // The coordinate of the tuple, counted from 0.
    size_t coordinate;
} strew_error;

// A gather whose shapes are proven. Made by strew_gather_axis, strew_gather_elements or
// strew_gather_nd; may be copied, and used by several threads at a time. Zeros are no plan.
typedef struct strew_gather {
    // Private: do not use it.
    size_t opaque[99];
} strew_gather;

// A scatter whose shapes are proven. Made by strew_scatter_axis, strew_scatter_elements or
// strew_scatter_nd; may be copied, and used by several threads at a time. Zeros are no plan.
typedef struct strew_scatter {
    // Private: do not use it.
    size_t opaque[99];
} strew_scatter;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Writes the layout of a tensor of these sizes whose elements lie one after the other, the last
// dimension the fastest.
//
// `rank` is at most 8, `sizes` are `rank` numbers.
//
// Errors: STREW_RANK_TOO_LARGE, STREW_SIZES_OVERFLOW.
strew_status strew_layout_contiguous(size_t rank,
                                     const size_t *sizes,
                                     struct strew_layout *result,
                                     struct strew_error *error);

// Writes the number of elements that an array must have for this layout: the last address + 1, or
// 0 if a size is 0.
//
// Errors: STREW_RANK_TOO_LARGE, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL.
strew_status strew_layout_extent(const struct strew_layout *of,
                                 size_t *result,
                                 struct strew_error *error);

// Writes the layout of the same tensor with an element of `element_size` bytes as a row of bytes:
// one more dimension, of stride 1, at the inner end; the other strides and the offset times
// `element_size`.
//
// For elements of other sizes than 1, 2, 4, 8 and 16 bytes, or of less alignment: make the plan of
// such layouts, and run it with a function for elements of 1 byte. The indices of `elements` need
// strew_layout_repeated.
//
// Errors: STREW_RANK_TOO_LARGE (the layout already has 8 dimensions), STREW_SIZES_OVERFLOW.
strew_status strew_layout_bytes(const struct strew_layout *of,
                                size_t element_size,
                                struct strew_layout *result,
                                struct strew_error *error);

// Writes the layout of the same tensor with one more dimension of size `times` at the inner end,
// along which nothing changes (its stride is 0).
//
// Errors: STREW_RANK_TOO_LARGE (the layout already has 8 dimensions).
strew_status strew_layout_repeated(const struct strew_layout *of,
                                   size_t times,
                                   struct strew_layout *result,
                                   struct strew_error *error);

// `output[p.., i.., s..] = input[p.., indices[i..], s..]`, where p are the `axis` dimensions
// before the axis and s those after it.
//
// The sizes are output = input[..axis] ++ indices ++ input[axis+1..]. This is ONNX and
// TensorFlow Lite GATHER, NumPy take.
//
// Errors: STREW_AXIS_OUT_OF_RANGE, STREW_RANK_TOO_LARGE, STREW_RANK_MISMATCH,
// STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL, STREW_OVERLAPPING_OUTPUT.
//
// The layouts are not needed any more once the plan is made. If the constructor fails, the
// memory of the plan holds none.
strew_status strew_gather_axis(struct strew_gather *plan,
                               const struct strew_layout *input,
                               const struct strew_layout *indices,
                               const struct strew_layout *output,
                               size_t axis,
                               struct strew_error *error);

// `output[c] = input[c with c[axis] := indices[c]]`
//
// The sizes are output = indices, with indices[d] <= input[d] for d != axis. This is ONNX
// GatherElements, NumPy take_along_axis.
//
// Errors: STREW_AXIS_OUT_OF_RANGE, STREW_RANK_TOO_LARGE, STREW_RANK_MISMATCH,
// STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL, STREW_OVERLAPPING_OUTPUT.
//
// The layouts are not needed any more once the plan is made. If the constructor fails, the
// memory of the plan holds none.
strew_status strew_gather_elements(struct strew_gather *plan,
                                   const struct strew_layout *input,
                                   const struct strew_layout *indices,
                                   const struct strew_layout *output,
                                   size_t axis,
                                   struct strew_error *error);

// `output[B.., i.., s..] = input[B.., indices[B.., i.., 0..k].., s..]`, where B are the
// `batch_dims` batch dimensions and k is the last size of the indices.
//
// The sizes are output = indices[..q-1] ++ input[batch_dims+k..], where q is the rank of the
// indices. This is ONNX GatherND, TensorFlow Lite GATHER_ND.
//
// Errors: STREW_BATCH_DIMS_OUT_OF_RANGE, STREW_TUPLE_SIZE_OUT_OF_RANGE, STREW_RANK_TOO_LARGE,
// STREW_RANK_MISMATCH, STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL,
// STREW_OVERLAPPING_OUTPUT.
//
// The layouts are not needed any more once the plan is made. If the constructor fails, the
// memory of the plan holds none.
strew_status strew_gather_nd(struct strew_gather *plan,
                             const struct strew_layout *input,
                             const struct strew_layout *indices,
                             const struct strew_layout *output,
                             size_t batch_dims,
                             struct strew_error *error);

// `data[p.., indices[i..], s..] = updates[p.., i.., s..]`, where p are the `axis` dimensions
// before the axis and s those after it.
//
// The sizes are updates = data[..axis] ++ indices ++ data[axis+1..]. This is PyTorch
// index_copy, with STREW_ADD index_add.
//
// Errors: STREW_AXIS_OUT_OF_RANGE, STREW_RANK_TOO_LARGE, STREW_RANK_MISMATCH,
// STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL, STREW_OVERLAPPING_OUTPUT.
//
// The layouts are not needed any more once the plan is made. If the constructor fails, the
// memory of the plan holds none.
strew_status strew_scatter_axis(struct strew_scatter *plan,
                                const struct strew_layout *data,
                                const struct strew_layout *indices,
                                const struct strew_layout *updates,
                                size_t axis,
                                struct strew_error *error);

// `data[c with c[axis] := indices[c]] = updates[c]`
//
// The sizes are updates = indices, with indices[d] <= data[d] for d != axis. This is ONNX
// ScatterElements, NumPy put_along_axis.
//
// Errors: STREW_AXIS_OUT_OF_RANGE, STREW_RANK_TOO_LARGE, STREW_RANK_MISMATCH,
// STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL, STREW_OVERLAPPING_OUTPUT.
//
// The layouts are not needed any more once the plan is made. If the constructor fails, the
// memory of the plan holds none.
strew_status strew_scatter_elements(struct strew_scatter *plan,
                                    const struct strew_layout *data,
                                    const struct strew_layout *indices,
                                    const struct strew_layout *updates,
                                    size_t axis,
                                    struct strew_error *error);

// `data[B.., indices[B.., i.., 0..k].., s..] = updates[B.., i.., s..]`, where B are the
// `batch_dims` batch dimensions and k is the last size of the indices.
//
// The sizes are updates = indices[..q-1] ++ data[batch_dims+k..], where q is the rank of the
// indices. This is ONNX ScatterND; into zeros, with STREW_ADD, TensorFlow Lite SCATTER_ND.
//
// Errors: STREW_BATCH_DIMS_OUT_OF_RANGE, STREW_TUPLE_SIZE_OUT_OF_RANGE, STREW_RANK_TOO_LARGE,
// STREW_RANK_MISMATCH, STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL,
// STREW_OVERLAPPING_OUTPUT.
//
// The layouts are not needed any more once the plan is made. If the constructor fails, the
// memory of the plan holds none.
strew_status strew_scatter_nd(struct strew_scatter *plan,
                              const struct strew_layout *data,
                              const struct strew_layout *indices,
                              const struct strew_layout *updates,
                              size_t batch_dims,
                              struct strew_error *error);

// Sets what happens to indices out of bounds: a strew_bounds.
//
// Errors: STREW_UNKNOWN_BOUNDS, STREW_PLAN_NOT_MADE.
strew_status strew_gather_bounds(struct strew_gather *of,
                                 uint32_t value,
                                 struct strew_error *error);

// Sets what happens to indices out of bounds: a strew_bounds.
//
// Errors: STREW_UNKNOWN_BOUNDS, STREW_PLAN_NOT_MADE.
strew_status strew_scatter_bounds(struct strew_scatter *of,
                                  uint32_t value,
                                  struct strew_error *error);

// Writes the wording of an error, such as "index out of bounds: entry 1, coordinate 0 is -4, the
// size is 3", and a 0 behind it; what does not fit into `length` bytes is left out. 192 bytes are
// enough for all of them.
//
// Returns the length of the whole wording without the 0, as snprintf does; 0 if a pointer is NULL
// or not aligned.
size_t strew_error_message(const struct strew_error *error, char *text, size_t length);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
//
// `output[..] = input[.. indices ..]` by the formula of the plan. The number in the name is
// the size of an element in bytes, the type is that of an index. Lengths count elements.
// Arrays may be longer than their layouts need: what lies outside is neither read nor written.
//
// Elements must be aligned as the unsigned integer of their size is; those of 16 bytes as
// uint32_t. NULL is allowed where the length is 0.
//
// Every index is checked before the element is read. If the call fails, nothing that comes
// after the first bad index is written; after every other error, nothing at all.
//
// Errors: STREW_SLICE_TOO_SHORT, STREW_INDEX_OUT_OF_BOUNDS, STREW_PLAN_NOT_MADE,
// STREW_NULL_POINTER, STREW_MISALIGNED, STREW_LENGTH_OVERFLOW, STREW_SHARED_MEMORY.
strew_status strew_gather_run_1_u8(const struct strew_gather *gather,
                                   const void *input,
                                   size_t input_length,
                                   const uint8_t *indices,
                                   size_t indices_length,
                                   void *output,
                                   size_t output_length,
                                   struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_1_u16(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint16_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_1_u32(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint32_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_1_u64(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint64_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_1_i8(const struct strew_gather *gather,
                                   const void *input,
                                   size_t input_length,
                                   const int8_t *indices,
                                   size_t indices_length,
                                   void *output,
                                   size_t output_length,
                                   struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_1_i16(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int16_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_1_i32(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int32_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_1_i64(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int64_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_2_u8(const struct strew_gather *gather,
                                   const void *input,
                                   size_t input_length,
                                   const uint8_t *indices,
                                   size_t indices_length,
                                   void *output,
                                   size_t output_length,
                                   struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_2_u16(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint16_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_2_u32(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint32_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_2_u64(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint64_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_2_i8(const struct strew_gather *gather,
                                   const void *input,
                                   size_t input_length,
                                   const int8_t *indices,
                                   size_t indices_length,
                                   void *output,
                                   size_t output_length,
                                   struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_2_i16(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int16_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_2_i32(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int32_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_2_i64(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int64_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_4_u8(const struct strew_gather *gather,
                                   const void *input,
                                   size_t input_length,
                                   const uint8_t *indices,
                                   size_t indices_length,
                                   void *output,
                                   size_t output_length,
                                   struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_4_u16(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint16_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_4_u32(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint32_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_4_u64(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint64_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_4_i8(const struct strew_gather *gather,
                                   const void *input,
                                   size_t input_length,
                                   const int8_t *indices,
                                   size_t indices_length,
                                   void *output,
                                   size_t output_length,
                                   struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_4_i16(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int16_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_4_i32(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int32_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_4_i64(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int64_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_8_u8(const struct strew_gather *gather,
                                   const void *input,
                                   size_t input_length,
                                   const uint8_t *indices,
                                   size_t indices_length,
                                   void *output,
                                   size_t output_length,
                                   struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_8_u16(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint16_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_8_u32(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint32_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_8_u64(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint64_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_8_i8(const struct strew_gather *gather,
                                   const void *input,
                                   size_t input_length,
                                   const int8_t *indices,
                                   size_t indices_length,
                                   void *output,
                                   size_t output_length,
                                   struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_8_i16(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int16_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_8_i32(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int32_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_8_i64(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int64_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_16_u8(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const uint8_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_16_u16(const struct strew_gather *gather,
                                     const void *input,
                                     size_t input_length,
                                     const uint16_t *indices,
                                     size_t indices_length,
                                     void *output,
                                     size_t output_length,
                                     struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_16_u32(const struct strew_gather *gather,
                                     const void *input,
                                     size_t input_length,
                                     const uint32_t *indices,
                                     size_t indices_length,
                                     void *output,
                                     size_t output_length,
                                     struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_16_u64(const struct strew_gather *gather,
                                     const void *input,
                                     size_t input_length,
                                     const uint64_t *indices,
                                     size_t indices_length,
                                     void *output,
                                     size_t output_length,
                                     struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_16_i8(const struct strew_gather *gather,
                                    const void *input,
                                    size_t input_length,
                                    const int8_t *indices,
                                    size_t indices_length,
                                    void *output,
                                    size_t output_length,
                                    struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_16_i16(const struct strew_gather *gather,
                                     const void *input,
                                     size_t input_length,
                                     const int16_t *indices,
                                     size_t indices_length,
                                     void *output,
                                     size_t output_length,
                                     struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_16_i32(const struct strew_gather *gather,
                                     const void *input,
                                     size_t input_length,
                                     const int32_t *indices,
                                     size_t indices_length,
                                     void *output,
                                     size_t output_length,
                                     struct strew_error *error);

// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
strew_status strew_gather_run_16_i64(const struct strew_gather *gather,
                                     const void *input,
                                     size_t input_length,
                                     const int64_t *indices,
                                     size_t indices_length,
                                     void *output,
                                     size_t output_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
//
// `data[.. indices ..] = updates[..]` by the formula of the plan, in row-major order of the
// indices: the last of several updates stays. The number in the name is the size of an element
// in bytes, the type is that of an index. Lengths count elements. Arrays may be longer than
// their layouts need: what lies outside is neither read nor written.
//
// Elements must be aligned as the unsigned integer of their size is; those of 16 bytes as
// uint32_t. NULL is allowed where the length is 0.
//
// All indices are checked before anything is written: if the call fails, the data are as they
// were.
//
// Errors: STREW_SLICE_TOO_SHORT, STREW_INDEX_OUT_OF_BOUNDS, STREW_PLAN_NOT_MADE,
// STREW_NULL_POINTER, STREW_MISALIGNED, STREW_LENGTH_OVERFLOW, STREW_SHARED_MEMORY.
strew_status strew_scatter_run_1_u8(const struct strew_scatter *scatter,
                                    void *data,
                                    size_t data_length,
                                    const uint8_t *indices,
                                    size_t indices_length,
                                    const void *updates,
                                    size_t updates_length,
                                    struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_1_u16(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint16_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_1_u32(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint32_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_1_u64(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint64_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_1_i8(const struct strew_scatter *scatter,
                                    void *data,
                                    size_t data_length,
                                    const int8_t *indices,
                                    size_t indices_length,
                                    const void *updates,
                                    size_t updates_length,
                                    struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_1_i16(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int16_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_1_i32(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int32_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_1_i64(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int64_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_2_u8(const struct strew_scatter *scatter,
                                    void *data,
                                    size_t data_length,
                                    const uint8_t *indices,
                                    size_t indices_length,
                                    const void *updates,
                                    size_t updates_length,
                                    struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_2_u16(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint16_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_2_u32(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint32_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_2_u64(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint64_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_2_i8(const struct strew_scatter *scatter,
                                    void *data,
                                    size_t data_length,
                                    const int8_t *indices,
                                    size_t indices_length,
                                    const void *updates,
                                    size_t updates_length,
                                    struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_2_i16(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int16_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_2_i32(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int32_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_2_i64(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int64_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_4_u8(const struct strew_scatter *scatter,
                                    void *data,
                                    size_t data_length,
                                    const uint8_t *indices,
                                    size_t indices_length,
                                    const void *updates,
                                    size_t updates_length,
                                    struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_4_u16(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint16_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_4_u32(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint32_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_4_u64(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint64_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_4_i8(const struct strew_scatter *scatter,
                                    void *data,
                                    size_t data_length,
                                    const int8_t *indices,
                                    size_t indices_length,
                                    const void *updates,
                                    size_t updates_length,
                                    struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_4_i16(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int16_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_4_i32(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int32_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_4_i64(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int64_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_8_u8(const struct strew_scatter *scatter,
                                    void *data,
                                    size_t data_length,
                                    const uint8_t *indices,
                                    size_t indices_length,
                                    const void *updates,
                                    size_t updates_length,
                                    struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_8_u16(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint16_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_8_u32(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint32_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_8_u64(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint64_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_8_i8(const struct strew_scatter *scatter,
                                    void *data,
                                    size_t data_length,
                                    const int8_t *indices,
                                    size_t indices_length,
                                    const void *updates,
                                    size_t updates_length,
                                    struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_8_i16(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int16_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_8_i32(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int32_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_8_i64(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int64_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_16_u8(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const uint8_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_16_u16(const struct strew_scatter *scatter,
                                      void *data,
                                      size_t data_length,
                                      const uint16_t *indices,
                                      size_t indices_length,
                                      const void *updates,
                                      size_t updates_length,
                                      struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_16_u32(const struct strew_scatter *scatter,
                                      void *data,
                                      size_t data_length,
                                      const uint32_t *indices,
                                      size_t indices_length,
                                      const void *updates,
                                      size_t updates_length,
                                      struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_16_u64(const struct strew_scatter *scatter,
                                      void *data,
                                      size_t data_length,
                                      const uint64_t *indices,
                                      size_t indices_length,
                                      const void *updates,
                                      size_t updates_length,
                                      struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_16_i8(const struct strew_scatter *scatter,
                                     void *data,
                                     size_t data_length,
                                     const int8_t *indices,
                                     size_t indices_length,
                                     const void *updates,
                                     size_t updates_length,
                                     struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_16_i16(const struct strew_scatter *scatter,
                                      void *data,
                                      size_t data_length,
                                      const int16_t *indices,
                                      size_t indices_length,
                                      const void *updates,
                                      size_t updates_length,
                                      struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_16_i32(const struct strew_scatter *scatter,
                                      void *data,
                                      size_t data_length,
                                      const int32_t *indices,
                                      size_t indices_length,
                                      const void *updates,
                                      size_t updates_length,
                                      struct strew_error *error);

// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
strew_status strew_scatter_run_16_i64(const struct strew_scatter *scatter,
                                      void *data,
                                      size_t data_length,
                                      const int64_t *indices,
                                      size_t indices_length,
                                      const void *updates,
                                      size_t updates_length,
                                      struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
//
// `data[.. indices ..] = reduction(data[.. indices ..], updates[..])` by the formula of the
// plan, in row-major order of the indices: float sums are the same to the bit everywhere.
// `reduction` is a strew_reduction. The first type in the name is that of an element, the
// second that of an index; f16 and bf16 are the bits of these floats. The rest is as for
// strew_scatter_run_1_u8.
//
// Errors: those of strew_scatter_run_1_u8, and STREW_UNKNOWN_REDUCTION.
strew_status strew_scatter_reduce_u8_u8(const struct strew_scatter *scatter,
                                        uint32_t reduction,
                                        uint8_t *data,
                                        size_t data_length,
                                        const uint8_t *indices,
                                        size_t indices_length,
                                        const uint8_t *updates,
                                        size_t updates_length,
                                        struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u8_u16(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint8_t *data,
                                         size_t data_length,
                                         const uint16_t *indices,
                                         size_t indices_length,
                                         const uint8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u8_u32(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint8_t *data,
                                         size_t data_length,
                                         const uint32_t *indices,
                                         size_t indices_length,
                                         const uint8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u8_u64(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint8_t *data,
                                         size_t data_length,
                                         const uint64_t *indices,
                                         size_t indices_length,
                                         const uint8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u8_i8(const struct strew_scatter *scatter,
                                        uint32_t reduction,
                                        uint8_t *data,
                                        size_t data_length,
                                        const int8_t *indices,
                                        size_t indices_length,
                                        const uint8_t *updates,
                                        size_t updates_length,
                                        struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u8_i16(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint8_t *data,
                                         size_t data_length,
                                         const int16_t *indices,
                                         size_t indices_length,
                                         const uint8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u8_i32(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint8_t *data,
                                         size_t data_length,
                                         const int32_t *indices,
                                         size_t indices_length,
                                         const uint8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u8_i64(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint8_t *data,
                                         size_t data_length,
                                         const int64_t *indices,
                                         size_t indices_length,
                                         const uint8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u16_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint16_t *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const uint16_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u16_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u16_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u16_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u16_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint16_t *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const uint16_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u16_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u16_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u16_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u32_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint32_t *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const uint32_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u32_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint32_t *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const uint32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u32_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint32_t *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const uint32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u32_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint32_t *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const uint32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u32_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint32_t *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const uint32_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u32_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint32_t *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const uint32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u32_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint32_t *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const uint32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u32_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint32_t *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const uint32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u64_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint64_t *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const uint64_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u64_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint64_t *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const uint64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u64_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint64_t *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const uint64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u64_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint64_t *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const uint64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u64_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint64_t *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const uint64_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u64_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint64_t *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const uint64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u64_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint64_t *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const uint64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_u64_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint64_t *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const uint64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i8_u8(const struct strew_scatter *scatter,
                                        uint32_t reduction,
                                        int8_t *data,
                                        size_t data_length,
                                        const uint8_t *indices,
                                        size_t indices_length,
                                        const int8_t *updates,
                                        size_t updates_length,
                                        struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i8_u16(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int8_t *data,
                                         size_t data_length,
                                         const uint16_t *indices,
                                         size_t indices_length,
                                         const int8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i8_u32(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int8_t *data,
                                         size_t data_length,
                                         const uint32_t *indices,
                                         size_t indices_length,
                                         const int8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i8_u64(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int8_t *data,
                                         size_t data_length,
                                         const uint64_t *indices,
                                         size_t indices_length,
                                         const int8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i8_i8(const struct strew_scatter *scatter,
                                        uint32_t reduction,
                                        int8_t *data,
                                        size_t data_length,
                                        const int8_t *indices,
                                        size_t indices_length,
                                        const int8_t *updates,
                                        size_t updates_length,
                                        struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i8_i16(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int8_t *data,
                                         size_t data_length,
                                         const int16_t *indices,
                                         size_t indices_length,
                                         const int8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i8_i32(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int8_t *data,
                                         size_t data_length,
                                         const int32_t *indices,
                                         size_t indices_length,
                                         const int8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i8_i64(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int8_t *data,
                                         size_t data_length,
                                         const int64_t *indices,
                                         size_t indices_length,
                                         const int8_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i16_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int16_t *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const int16_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i16_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int16_t *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const int16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i16_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int16_t *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const int16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i16_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int16_t *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const int16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i16_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int16_t *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const int16_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i16_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int16_t *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const int16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i16_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int16_t *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const int16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i16_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int16_t *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const int16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i32_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int32_t *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const int32_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i32_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int32_t *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const int32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i32_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int32_t *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const int32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i32_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int32_t *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const int32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i32_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int32_t *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const int32_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i32_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int32_t *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const int32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i32_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int32_t *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const int32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i32_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int32_t *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const int32_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i64_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int64_t *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const int64_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i64_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int64_t *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const int64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i64_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int64_t *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const int64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i64_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int64_t *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const int64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i64_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         int64_t *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const int64_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i64_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int64_t *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const int64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i64_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int64_t *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const int64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_i64_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          int64_t *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const int64_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f16_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint16_t *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const uint16_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f16_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f16_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f16_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f16_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         uint16_t *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const uint16_t *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f16_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f16_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f16_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_bf16_u8(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const uint8_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_bf16_u16(const struct strew_scatter *scatter,
                                           uint32_t reduction,
                                           uint16_t *data,
                                           size_t data_length,
                                           const uint16_t *indices,
                                           size_t indices_length,
                                           const uint16_t *updates,
                                           size_t updates_length,
                                           struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_bf16_u32(const struct strew_scatter *scatter,
                                           uint32_t reduction,
                                           uint16_t *data,
                                           size_t data_length,
                                           const uint32_t *indices,
                                           size_t indices_length,
                                           const uint16_t *updates,
                                           size_t updates_length,
                                           struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_bf16_u64(const struct strew_scatter *scatter,
                                           uint32_t reduction,
                                           uint16_t *data,
                                           size_t data_length,
                                           const uint64_t *indices,
                                           size_t indices_length,
                                           const uint16_t *updates,
                                           size_t updates_length,
                                           struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_bf16_i8(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          uint16_t *data,
                                          size_t data_length,
                                          const int8_t *indices,
                                          size_t indices_length,
                                          const uint16_t *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_bf16_i16(const struct strew_scatter *scatter,
                                           uint32_t reduction,
                                           uint16_t *data,
                                           size_t data_length,
                                           const int16_t *indices,
                                           size_t indices_length,
                                           const uint16_t *updates,
                                           size_t updates_length,
                                           struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_bf16_i32(const struct strew_scatter *scatter,
                                           uint32_t reduction,
                                           uint16_t *data,
                                           size_t data_length,
                                           const int32_t *indices,
                                           size_t indices_length,
                                           const uint16_t *updates,
                                           size_t updates_length,
                                           struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_bf16_i64(const struct strew_scatter *scatter,
                                           uint32_t reduction,
                                           uint16_t *data,
                                           size_t data_length,
                                           const int64_t *indices,
                                           size_t indices_length,
                                           const uint16_t *updates,
                                           size_t updates_length,
                                           struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f32_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         float *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const float *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f32_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          float *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const float *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f32_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          float *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const float *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f32_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          float *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const float *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f32_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         float *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const float *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f32_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          float *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const float *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f32_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          float *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const float *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f32_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          float *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const float *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f64_u8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         double *data,
                                         size_t data_length,
                                         const uint8_t *indices,
                                         size_t indices_length,
                                         const double *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f64_u16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          double *data,
                                          size_t data_length,
                                          const uint16_t *indices,
                                          size_t indices_length,
                                          const double *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f64_u32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          double *data,
                                          size_t data_length,
                                          const uint32_t *indices,
                                          size_t indices_length,
                                          const double *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f64_u64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          double *data,
                                          size_t data_length,
                                          const uint64_t *indices,
                                          size_t indices_length,
                                          const double *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f64_i8(const struct strew_scatter *scatter,
                                         uint32_t reduction,
                                         double *data,
                                         size_t data_length,
                                         const int8_t *indices,
                                         size_t indices_length,
                                         const double *updates,
                                         size_t updates_length,
                                         struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f64_i16(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          double *data,
                                          size_t data_length,
                                          const int16_t *indices,
                                          size_t indices_length,
                                          const double *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f64_i32(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          double *data,
                                          size_t data_length,
                                          const int32_t *indices,
                                          size_t indices_length,
                                          const double *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
strew_status strew_scatter_reduce_f64_i64(const struct strew_scatter *scatter,
                                          uint32_t reduction,
                                          double *data,
                                          size_t data_length,
                                          const int64_t *indices,
                                          size_t indices_length,
                                          const double *updates,
                                          size_t updates_length,
                                          struct strew_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* STREW_H */
