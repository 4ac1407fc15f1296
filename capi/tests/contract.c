/* What strew.h promises, on a machine with an operating system: every check at the border, every
   error as data, every element size, index type and reduction. .ci/capi runs it, with sanitizers
   too. */
#include "strew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static strew_layout line(size_t size) {
    strew_layout layout;
    HOLDS(strew_layout_contiguous(1, &size, &layout, NULL) == STREW_OK);
    return layout;
}

/* 5 elements from a line of 7, at 6, 0, 3, 3, 5; and the same places scattered to. */
enum { TABLE = 7, FLAT = 5 };
static const int PLACES[FLAT] = {6, 0, 3, 3, 5};
static strew_gather gather;
static strew_scatter scatter;

static void plans(void) {
    const strew_layout table = line(TABLE), flat = line(FLAT);
    HOLDS(strew_gather_axis(&gather, &table, &flat, &flat, 0, NULL) == STREW_OK);
    HOLDS(strew_scatter_axis(&scatter, &table, &flat, &flat, 0, NULL) == STREW_OK);
}

/* Elements of `size` bytes, in memory of exactly their length: sanitizers see what lies beyond. */
#define MOVES(size, type, index)                                                                   \
    do {                                                                                           \
        unsigned char *table = malloc(TABLE * size), *flat = malloc(FLAT * size);                  \
        type *indices = malloc(FLAT * sizeof(type));                                               \
        for (int i = 0; i < TABLE * size; i++)                                                     \
            table[i] = (unsigned char)(i + 1);                                                     \
        for (int i = 0; i < FLAT; i++)                                                             \
            indices[i] = (type)PLACES[i];                                                          \
        HOLDS(strew_gather_run_##size##_##index(&gather, table, TABLE, indices, FLAT, flat, FLAT,  \
                                                NULL) == STREW_OK);                                \
        for (int i = 0; i < FLAT; i++)                                                             \
            HOLDS(memcmp(flat + i * size, table + PLACES[i] * size, size) == 0);                   \
        memset(table, 0, TABLE * size);                                                            \
        HOLDS(strew_scatter_run_##size##_##index(&scatter, table, TABLE, indices, FLAT, flat,      \
                                                 FLAT, NULL) == STREW_OK);                         \
        for (int i = 0; i < FLAT; i++)                                                             \
            HOLDS(memcmp(flat + i * size, table + PLACES[i] * size, size) == 0);                   \
        HOLDS(table[1 * size] == 0 && table[2 * size] == 0 && table[4 * size] == 0);               \
        free(table), free(flat), free(indices);                                                    \
    } while (0)
#define SIZES(type, index)                                                                         \
    MOVES(1, type, index);                                                                         \
    MOVES(2, type, index);                                                                         \
    MOVES(4, type, index);                                                                         \
    MOVES(8, type, index);                                                                         \
    MOVES(16, type, index)

static void moves(void) {
    SIZES(uint8_t, u8);
    SIZES(uint16_t, u16);
    SIZES(uint32_t, u32);
    SIZES(uint64_t, u64);
    SIZES(int8_t, i8);
    SIZES(int16_t, i16);
    SIZES(int32_t, i32);
    SIZES(int64_t, i64);
}

/* 12 and 10 by each reduction: as numbers, as bits of f16, as bits of bf16. */
static const int RESULTS[8] = {22, 2, 120, 10, 12, 8, 14, 6};
static const uint16_t HALVES[5] = {0x4D80, 0x4000, 0x5780, 0x4900, 0x4A00};
static const uint16_t BRAINS[5] = {0x41B0, 0x4000, 0x42F0, 0x4120, 0x4140};

/* Into the first and the last of three: elements, one element for both, and rows of 2. */
static strew_scatter ends[3];

static void plan_ends(void) {
    const strew_layout two = line(2), three = line(3);
    const strew_layout one_for_two = {.rank = 1, .sizes = {2}};
    const strew_layout rows = {.rank = 2, .sizes = {3, 2}, .strides = {2, 1}};
    const strew_layout two_rows = {.rank = 2, .sizes = {2, 2}, .strides = {2, 1}};
    HOLDS(!strew_scatter_axis(&ends[0], &three, &two, &two, 0, NULL));
    HOLDS(!strew_scatter_axis(&ends[1], &three, &two, &one_for_two, 0, NULL));
    HOLDS(!strew_scatter_axis(&ends[2], &rows, &two, &two_rows, 0, NULL));
}

/* 12 there and 10 as update, by each reduction, for every type of numbers and index. The last is -1
   where the type has it. */
#define REDUCES(type, name, results, index_type, index, n)                                         \
    do {                                                                                           \
        const type twelve = (type)results[STREW_MAX], ten = (type)results[STREW_MIN];              \
        const index_type at[2] = {(index_type)((index_type)-1 > 0 ? 2 : -1), 0};                   \
        strew_error error;                                                                         \
        for (uint32_t r = 0; r < n; r++)                                                           \
            for (uint32_t p = 0; p < 3; p++) {                                                     \
                const uint32_t row = p < 2 ? 1 : 2;                                                \
                /* The first place has the two swapped, where that gives the same. */              \
                const bool swaps = p != 1 && r != STREW_SUB;                                       \
                type data[6], updates[4];                                                          \
                for (uint32_t i = 0; i < 4; i++)                                                   \
                    updates[i] = swaps && i / row == 1 ? twelve : ten;                             \
                for (uint32_t i = 0; i < 6; i++)                                                   \
                    data[i] = i / row == 1 ? 1 : swaps && i / row == 0 ? ten : twelve;             \
                HOLDS(strew_scatter_reduce_##name##_##index(&ends[p], r, data, 3 * row, at, 2,     \
                                                            updates, 4, NULL) == STREW_OK);        \
                for (uint32_t i = 0; i < 3 * row; i++)                                             \
                    HOLDS(data[i] == (i / row == 1 ? 1 : (type)results[r]));                       \
            }                                                                                      \
        type data[3] = {1, 1, twelve};                                                             \
        HOLDS(strew_scatter_reduce_##name##_##index(&ends[0], n, data, 3, at, 2, data, 0,          \
                                                    &error) == STREW_UNKNOWN_REDUCTION);           \
        HOLDS(error.found == n && data[2] == twelve);                                              \
    } while (0)
#define NUMBERS(index_type, index)                                                                 \
    REDUCES(uint8_t, u8, RESULTS, index_type, index, 8);                                           \
    REDUCES(uint16_t, u16, RESULTS, index_type, index, 8);                                         \
    REDUCES(uint32_t, u32, RESULTS, index_type, index, 8);                                         \
    REDUCES(uint64_t, u64, RESULTS, index_type, index, 8);                                         \
    REDUCES(int8_t, i8, RESULTS, index_type, index, 8);                                            \
    REDUCES(int16_t, i16, RESULTS, index_type, index, 8);                                          \
    REDUCES(int32_t, i32, RESULTS, index_type, index, 8);                                          \
    REDUCES(int64_t, i64, RESULTS, index_type, index, 8);                                          \
    REDUCES(uint16_t, f16, HALVES, index_type, index, 5);                                          \
    REDUCES(uint16_t, bf16, BRAINS, index_type, index, 5);                                         \
    REDUCES(float, f32, RESULTS, index_type, index, 5);                                            \
    REDUCES(double, f64, RESULTS, index_type, index, 5)

static void reductions(void) {
    plan_ends();
    NUMBERS(uint8_t, u8);
    NUMBERS(uint16_t, u16);
    NUMBERS(uint32_t, u32);
    NUMBERS(uint64_t, u64);
    NUMBERS(int8_t, i8);
    NUMBERS(int16_t, i16);
    NUMBERS(int32_t, i32);
    NUMBERS(int64_t, i64);
}

/* By single indices and by tuples, on a [2, 3] of 1 to 6; into zeros, and then added once more. */
static void points(void) {
    const size_t sizes[3][2] = {{2, 3}, {2, 2}, {2, 1}};
    strew_layout table, four, each;
    const strew_layout two = line(2);
    HOLDS(!strew_layout_contiguous(2, sizes[0], &table, NULL));
    HOLDS(!strew_layout_contiguous(2, sizes[1], &four, NULL));
    HOLDS(!strew_layout_contiguous(2, sizes[2], &each, NULL));
    const int32_t from[6] = {1, 2, 3, 4, 5, 6};
    strew_gather gathers;
    strew_scatter scatters;
#define MOVED(indices, moved, ...)                                                                 \
    do {                                                                                           \
        enum { COUNT = sizeof indices / 4, SIZE = sizeof moved / 4 };                              \
        const int32_t wanted[6] = __VA_ARGS__;                                                     \
        int32_t found[6] = {0}, output[SIZE] = {0};                                                \
        HOLDS(!strew_gather_run_4_i32(&gathers, from, 6, indices, COUNT, output, SIZE, NULL));     \
        HOLDS(memcmp(output, moved, sizeof moved) == 0);                                           \
        HOLDS(!strew_scatter_run_4_i32(&scatters, found, 6, indices, COUNT, moved, SIZE, NULL));   \
        HOLDS(memcmp(found, wanted, sizeof wanted) == 0);                                          \
        HOLDS(!strew_scatter_reduce_i32_i32(&scatters, STREW_ADD, found, 6, indices, COUNT, moved, \
                                            SIZE, NULL));                                          \
        for (int i = 0; i < 6; i++)                                                                \
            HOLDS(found[i] == 2 * wanted[i]);                                                      \
    } while (0)
    const int32_t columns[4] = {2, 0, -1, 1}, of_columns[4] = {3, 1, 6, 5};
    HOLDS(!strew_gather_elements(&gathers, &table, &four, &four, 1, NULL));
    HOLDS(!strew_scatter_elements(&scatters, &table, &four, &four, 1, NULL));
    MOVED(columns, of_columns, {1, 0, 3, 0, 5, 6});
    const int32_t pairs[4] = {0, 2, 1, -3}, of_pairs[2] = {3, 4};
    HOLDS(!strew_gather_nd(&gathers, &table, &four, &two, 0, NULL));
    HOLDS(!strew_scatter_nd(&scatters, &table, &four, &two, 0, NULL));
    MOVED(pairs, of_pairs, {0, 0, 3, 4, 0, 0});
    /* A batch dimension: one column for each row. */
    const int32_t batches[2] = {1, 2}, of_batches[2] = {2, 6};
    HOLDS(!strew_gather_nd(&gathers, &table, &each, &two, 1, NULL));
    HOLDS(!strew_scatter_nd(&scatters, &table, &each, &two, 1, NULL));
    MOVED(batches, of_batches, {0, 2, 0, 0, 0, 6});
}

static void says(const strew_error *error, const char *wanted) {
    char text[192], shorter[8];
    HOLDS(strew_error_message(error, text, sizeof text) == strlen(wanted));
    if (strcmp(text, wanted) != 0) {
        fprintf(stderr, "says: %s\nnot:  %s\n", text, wanted);
        exit(1);
    }
    /* What does not fit is left out; nothing is written where nothing fits. */
    HOLDS(strew_error_message(error, shorter, sizeof shorter) == strlen(wanted));
    HOLDS(strncmp(shorter, wanted, 7) == 0 && shorter[7] == 0);
    shorter[0] = '?';
    HOLDS(strew_error_message(error, shorter, 0) == strlen(wanted) && shorter[0] == '?');
}

/* Errors of strew: what they say, and their data. */
static void errors(void) {
    strew_error error;
    strew_gather plan;
    const strew_layout table = line(TABLE), flat = line(FLAT);
    strew_layout bad = table;
    HOLDS(strew_gather_axis(&plan, &table, &flat, &table, 0, &error) == STREW_SIZE_MISMATCH);
    HOLDS(error.status == STREW_SIZE_MISMATCH && error.operand == STREW_OUTPUT);
    HOLDS(error.dimension == 0 && error.expected == FLAT && error.found == TABLE);
    says(&error, "size mismatch: output dimension 0 should be 5, found 7");
    HOLDS(strew_gather_axis(&plan, &table, &flat, &flat, 1, &error) == STREW_AXIS_OUT_OF_RANGE);
    says(&error, "axis out of range: input has 1 dimensions, the axis is 1");
    bad.rank = 9;
    HOLDS(strew_gather_axis(&plan, &bad, &flat, &flat, 0, &error) == STREW_RANK_TOO_LARGE);
    says(&error, "rank too large: input has 9 dimensions, at most 8 are supported");
    HOLDS(strew_layout_contiguous(SIZE_MAX, table.sizes, &bad, &error) == STREW_RANK_TOO_LARGE);
    bad = table;
    bad.strides[0] = -1;
    HOLDS(strew_gather_axis(&plan, &bad, &flat, &flat, 0, &error) == STREW_OFFSET_TOO_SMALL);
    says(&error, "offset too small: input needs at least 6 for its negative strides, found 0");
    bad.strides[0] = 0;
    HOLDS(strew_gather_axis(&plan, &table, &flat, &bad, 0, &error) == STREW_SIZE_MISMATCH);
    bad.sizes[0] = FLAT;
    HOLDS(strew_gather_axis(&plan, &table, &flat, &bad, 0, &error) == STREW_OVERLAPPING_OUTPUT);
    says(&error, "overlapping output: output dimension 0 needs a stride of at least 1, found 0");
    bad.sizes[0] = SIZE_MAX;
    bad.strides[0] = 8;
    HOLDS(strew_gather_axis(&plan, &bad, &flat, &flat, 0, &error) == STREW_SIZES_OVERFLOW);
    says(&error, "sizes overflow: input does not fit the address space");
    HOLDS(strew_gather_nd(&plan, &table, &flat, &flat, 0, &error) == STREW_TUPLE_SIZE_OUT_OF_RANGE);
    says(&error, "tuple size out of range: indices must hold 1 to 1 coordinates, found 5");
    HOLDS(strew_gather_nd(&plan, &table, &flat, &flat, 3, &error) == STREW_BATCH_DIMS_OUT_OF_RANGE);
    bad = flat, bad.rank = 0;
    HOLDS(strew_gather_elements(&plan, &table, &bad, &bad, 0, &error) == STREW_RANK_MISMATCH);
    says(&error, "rank mismatch: indices must have 1 dimensions, found 0");

    /* Calls. A failed scatter leaves the data as they were. */
    int32_t data[TABLE] = {1, 2, 3, 4, 5, 6, 7}, updates[FLAT] = {0};
    const int32_t places[FLAT] = {0, 1, -8, 9, 0};
    HOLDS(strew_scatter_run_4_i32(&scatter, data, TABLE, places, FLAT, updates, FLAT, &error) ==
          STREW_INDEX_OUT_OF_BOUNDS);
    HOLDS(error.entry == 2 && error.coordinate == 0 && error.negative && error.magnitude == 8 &&
          error.expected == TABLE && data[0] == 1 && data[1] == 2);
    says(&error, "index out of bounds: entry 2, coordinate 0 is -8, the size is 7");
    const uint64_t most[FLAT] = {UINT64_MAX};
    HOLDS(strew_gather_run_4_u64(&gather, data, TABLE, most, FLAT, updates, FLAT, &error) ==
          STREW_INDEX_OUT_OF_BOUNDS);
    says(&error,
         "index out of bounds: entry 0, coordinate 0 is 18446744073709551615, the size is 7");
    const int64_t least[FLAT] = {INT64_MIN};
    HOLDS(strew_gather_run_4_i64(&gather, data, TABLE, least, FLAT, updates, FLAT, &error) ==
          STREW_INDEX_OUT_OF_BOUNDS);
    says(&error,
         "index out of bounds: entry 0, coordinate 0 is -9223372036854775808, the size is 7");
    HOLDS(strew_gather_run_4_i32(&gather, data, TABLE - 1, places, FLAT, updates, FLAT, &error) ==
          STREW_SLICE_TOO_SHORT);
    HOLDS(error.operand == STREW_INPUT && error.expected == TABLE && error.found == TABLE - 1);
    says(&error, "slice too short: input needs 7 elements, found 6");

    /* Policies. */
    int32_t picked[FLAT];
    static const int32_t POLICIES[4][FLAT] = {
        {0}, {1, 2, 1, 7, 1}, {1, 2, 7, 3, 1}, {1, 2, 0, 0, 1}};
    for (uint32_t bounds = STREW_BOUNDS_CLAMP; bounds <= STREW_BOUNDS_SKIP; bounds++) {
        memset(picked, 0, sizeof picked);
        plan = gather;
        HOLDS(strew_gather_bounds(&plan, bounds, NULL) == STREW_OK);
        HOLDS(!strew_gather_run_4_i32(&plan, data, TABLE, places, FLAT, picked, FLAT, NULL));
        HOLDS(memcmp(picked, POLICIES[bounds], sizeof picked) == 0);
    }
    HOLDS(strew_gather_bounds(&plan, 4, &error) == STREW_UNKNOWN_BOUNDS && error.found == 4);
    says(&error, "unknown bounds");
    strew_scatter skips = scatter;
    HOLDS(strew_scatter_bounds(&skips, STREW_BOUNDS_SKIP, NULL) == STREW_OK);
    HOLDS(!strew_scatter_run_4_i32(&skips, data, TABLE, places, FLAT, updates, FLAT, NULL));
    HOLDS(data[0] == 0 && data[1] == 0 && data[2] == 3);
}

/* What only the border can refuse. Nothing is written then. */
static void border(void) {
    strew_error error;
    uint32_t data[TABLE + 1] = {0}, flat[FLAT + 1] = {0};
    int32_t ids[FLAT + 1] = {0};
    unsigned char *const odd = (unsigned char *)data + 1;
    static strew_gather zeros; /* never made */

    HOLDS(!strew_gather_run_4_i32(&gather, data, TABLE, ids, FLAT, flat, FLAT, &error));
#define REFUSED(plan, input, n, indices, k, output, m, wanted, named, text)                        \
    do {                                                                                           \
        HOLDS(strew_gather_run_4_i32(plan, input, n, indices, k, output, m, NULL) == wanted);      \
        HOLDS(strew_gather_run_4_i32(plan, input, n, indices, k, output, m, &error) == wanted);    \
        HOLDS(error.status == wanted && error.operand == named);                                   \
        says(&error, text);                                                                        \
    } while (0)
    REFUSED(NULL, data, TABLE, ids, FLAT, flat, FLAT, STREW_NULL_POINTER, STREW_PLAN,
            "null pointer: plan");
    REFUSED((strew_gather *)odd, data, TABLE, ids, FLAT, flat, FLAT, STREW_MISALIGNED, STREW_PLAN,
            "misaligned: plan is not aligned for its type");
    REFUSED(&zeros, data, TABLE, ids, FLAT, flat, FLAT, STREW_PLAN_NOT_MADE, STREW_PLAN,
            "plan not made: no constructor has returned STREW_OK for it");
    REFUSED(&gather, NULL, TABLE, ids, FLAT, flat, FLAT, STREW_NULL_POINTER, STREW_INPUT,
            "null pointer: input");
    REFUSED(&gather, data, TABLE, NULL, FLAT, flat, FLAT, STREW_NULL_POINTER, STREW_INDICES,
            "null pointer: indices");
    REFUSED(&gather, data, TABLE, ids, FLAT, NULL, FLAT, STREW_NULL_POINTER, STREW_OUTPUT,
            "null pointer: output");
    REFUSED(&gather, odd, TABLE, ids, FLAT, flat, FLAT, STREW_MISALIGNED, STREW_INPUT,
            "misaligned: input is not aligned for its type");
    REFUSED(&gather, data, TABLE, (int32_t *)odd, FLAT, flat, FLAT, STREW_MISALIGNED,
            STREW_INDICES, "misaligned: indices is not aligned for its type");
    REFUSED(&gather, data, TABLE, ids, FLAT, odd, FLAT, STREW_MISALIGNED, STREW_OUTPUT,
            "misaligned: output is not aligned for its type");
    REFUSED(&gather, data, SIZE_MAX / 2, ids, FLAT, flat, FLAT, STREW_LENGTH_OVERFLOW, STREW_INPUT,
            "length overflow: input does not fit the address space");
    REFUSED(&gather, (void *)(UINTPTR_MAX - 7), TABLE, ids, FLAT, flat, FLAT, STREW_LENGTH_OVERFLOW,
            STREW_INPUT, "length overflow: input does not fit the address space");
    REFUSED(&gather, data, TABLE, ids, FLAT, data, FLAT, STREW_SHARED_MEMORY, STREW_OUTPUT,
            "shared memory: output is written and overlaps input");
    REFUSED(&gather, data, TABLE, ids, FLAT, data + TABLE - 1, 1, STREW_SHARED_MEMORY, STREW_OUTPUT,
            "shared memory: output is written and overlaps input");
    REFUSED(&gather, data, TABLE, ids, FLAT, ids + 1, FLAT, STREW_SHARED_MEMORY, STREW_OUTPUT,
            "shared memory: output is written and overlaps indices");
    /* Neighbours share nothing. What has no length may be NULL, and is then too short. */
    HOLDS(strew_gather_run_4_i32(&gather, data, TABLE, ids, FLAT, data + TABLE, 1, &error) ==
          STREW_SLICE_TOO_SHORT);
    REFUSED(&gather, NULL, 0, ids, FLAT, flat, FLAT, STREW_SLICE_TOO_SHORT, STREW_INPUT,
            "slice too short: input needs 7 elements, found 0");
    HOLDS(strew_scatter_run_4_i32(&scatter, data, TABLE, ids, FLAT, data + 1, FLAT, &error) ==
          STREW_SHARED_MEMORY);
    says(&error, "shared memory: data is written and overlaps updates");
    HOLDS(error.operand == STREW_DATA && error.other == STREW_UPDATES);

    /* Layouts and constructors. A constructor that fails leaves no plan. */
    const strew_layout table = line(TABLE), five = line(FLAT);
    strew_layout result;
    size_t extent;
    strew_gather plan = gather;
    HOLDS(strew_gather_axis(NULL, &table, &five, &five, 0, &error) == STREW_NULL_POINTER);
    HOLDS(error.operand == STREW_PLAN);
    HOLDS(strew_gather_axis(&plan, &table, NULL, &five, 0, &error) == STREW_NULL_POINTER);
    HOLDS(error.operand == STREW_INDICES);
    REFUSED(&plan, data, TABLE, ids, FLAT, flat, FLAT, STREW_PLAN_NOT_MADE, STREW_PLAN,
            "plan not made: no constructor has returned STREW_OK for it");
    HOLDS(strew_gather_bounds(&plan, STREW_BOUNDS_WRAP, NULL) == STREW_PLAN_NOT_MADE);
    HOLDS(strew_layout_contiguous(1, NULL, &result, NULL) == STREW_NULL_POINTER);
    HOLDS(strew_layout_contiguous(0, NULL, &result, NULL) == STREW_OK && result.rank == 0);
    HOLDS(strew_layout_contiguous(1, table.sizes, NULL, NULL) == STREW_NULL_POINTER);
    HOLDS(strew_layout_extent(&table, &extent, NULL) == STREW_OK && extent == TABLE);
    HOLDS(strew_layout_extent(&table, NULL, NULL) == STREW_NULL_POINTER);
    HOLDS(strew_layout_bytes(&table, SIZE_MAX / 4, &result, &error) == STREW_SIZES_OVERFLOW ||
          strew_layout_extent(&result, &extent, &error) == STREW_SIZES_OVERFLOW);
    const size_t eight[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    strew_layout full;
    HOLDS(strew_layout_contiguous(8, eight, &full, NULL) == STREW_OK);
    HOLDS(strew_layout_repeated(&full, 2, &result, &error) == STREW_RANK_TOO_LARGE);
    HOLDS(error.expected == 7 && error.found == 8);
    full.rank = SIZE_MAX;
    HOLDS(strew_layout_bytes(&full, 2, &result, &error) == STREW_RANK_TOO_LARGE);
    HOLDS(strew_error_message(NULL, (char *)data, 4) == 0);
    HOLDS(strew_error_message(&error, NULL, 4) == 0);
}

/* Elements of 3 bytes, on rows and one by one, from an address that no number is aligned for. */
static void other_sizes(void) {
    unsigned char table[1 + 3 * 4 * 3], flat[1 + 3 * 2 * 3];
    for (size_t i = 0; i < sizeof table; i++)
        table[i] = (unsigned char)i;
    const size_t sizes[2][2] = {{3, 4}, {3, 2}};
    strew_layout all, some, all_bytes, some_bytes, repeated;
    HOLDS(!strew_layout_contiguous(2, sizes[0], &all, NULL));
    HOLDS(!strew_layout_contiguous(2, sizes[1], &some, NULL));
    HOLDS(!strew_layout_bytes(&all, 3, &all_bytes, NULL));
    HOLDS(!strew_layout_bytes(&some, 3, &some_bytes, NULL));
    HOLDS(!strew_layout_repeated(&some, 3, &repeated, NULL));
    strew_gather plan;
    HOLDS(!strew_gather_elements(&plan, &all_bytes, &repeated, &some_bytes, 1, NULL));
    const int16_t columns[6] = {3, 0, -1, 1, 2, 2};
    HOLDS(!strew_gather_run_1_i16(&plan, table + 1, 36, columns, 6, flat + 1, 18, NULL));
    for (int i = 0; i < 6; i++)
        HOLDS(memcmp(flat + 1 + i * 3, table + 1 + (i / 2 * 4 + (columns[i] & 3)) * 3, 3) == 0);
}

int main(void) {
    plans();
    moves();
    reductions();
    points();
    errors();
    border();
    other_sizes();
    puts("the contract of strew.h holds");
    return 0;
}
