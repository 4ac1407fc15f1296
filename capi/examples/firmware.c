/* A firmware in C: plans made once at start, calls that are compared with plain loops, and what
   each costs. Prints one line a case: name, instructions, bytes of stack. README.md says how to
   build it. */
#include "board.h"
#include "strew.h"

enum { ROWS = 256, WIDTH = 32, IDS = 64, POINTS = 20 };

/* Tensors. All plans and arrays are the firmware's own; strew has no memory. */
static float table[ROWS * WIDTH], data[ROWS * WIDTH], output[IDS * WIDTH], wanted[ROWS * WIDTH];
static int32_t ids[IDS], chosen[IDS * WIDTH], pairs[IDS * 2];
static uint8_t places[4];
static struct { uint16_t x, y, z; } points[POINTS], picked[4];

static const strew_layout TABLE = {.rank = 2, .sizes = {ROWS, WIDTH}, .strides = {WIDTH, 1}};
static const strew_layout LIST = {.rank = 1, .sizes = {IDS}, .strides = {1}};
static const strew_layout LINES = {.rank = 2, .sizes = {IDS, WIDTH}, .strides = {WIDTH, 1}};
/* The table once more, as [32, 32, 8], and 64 pairs of coordinates that choose rows of 8. */
static const strew_layout GRID = {.rank = 3, .sizes = {32, 32, 8}, .strides = {256, 8, 1}};
static const strew_layout PAIRS = {.rank = 2, .sizes = {IDS, 2}, .strides = {2, 1}};
static const strew_layout CELLS = {.rank = 2, .sizes = {IDS, 8}, .strides = {8, 1}};
static const strew_layout POINT_LIST = {.rank = 1, .sizes = {POINTS}, .strides = {1}};
static const strew_layout FOUR = {.rank = 1, .sizes = {4}, .strides = {1}};
static const strew_layout LINE = {.rank = 1, .sizes = {ROWS * WIDTH}, .strides = {1}};
static const strew_layout ONE = {.rank = 0};
/* Bins, and one update for all indices. */
static const strew_layout BINS = {.rank = 1, .sizes = {ROWS}, .strides = {1}};
static const strew_layout ONE_FOR_ALL = {.rank = 2, .sizes = {IDS, WIDTH}, .strides = {0, 0}};

static strew_gather lookup, best, corners, points_by_place, one;
static strew_scatter lines, cells, counts;
static strew_error error;

static void check(int holds, const char *what) {
    if (holds)
        return;
    char text[192];
    print(what);
    if (error.status != STREW_OK) {
        strew_error_message(&error, text, sizeof text);
        print(": ");
        print(text);
    }
    print("\n");
    end(1);
}

static void plan(void) {
    strew_layout from, to;
    check(!strew_gather_axis(&lookup, &TABLE, &LIST, &LINES, 0, &error) &&
              !strew_gather_elements(&best, &TABLE, &LINES, &LINES, 0, &error) &&
              !strew_gather_nd(&corners, &GRID, &PAIRS, &CELLS, 0, &error) &&
              !strew_gather_axis(&one, &LINE, &ONE, &ONE, 0, &error) &&
              !strew_scatter_axis(&lines, &TABLE, &LIST, &LINES, 0, &error) &&
              !strew_scatter_nd(&cells, &GRID, &PAIRS, &CELLS, 0, &error) &&
              !strew_scatter_axis(&counts, &BINS, &LINES, &ONE_FOR_ALL, 0, &error),
          "plan");
    /* Elements of 6 bytes: rows of bytes. */
    check(!strew_layout_bytes(&POINT_LIST, sizeof points[0], &from, &error) &&
              !strew_layout_bytes(&FOUR, sizeof points[0], &to, &error) &&
              !strew_gather_axis(&points_by_place, &from, &FOUR, &to, 0, &error) &&
              !strew_gather_bounds(&points_by_place, STREW_BOUNDS_CLAMP, &error),
          "plan of points");
}

/* The calls. */
#define ALL(array) array, sizeof array / sizeof array[0]

static strew_status nothing(void) { return STREW_OK; }
static strew_status gather_axis_0(void) {
    return strew_gather_run_4_i32(&lookup, ALL(table), ALL(ids), ALL(output), &error);
}
static strew_status gather_elements(void) {
    return strew_gather_run_4_i32(&best, ALL(table), ALL(chosen), ALL(output), &error);
}
static strew_status gather_pairs(void) {
    return strew_gather_run_4_i32(&corners, ALL(table), ALL(pairs), ALL(output), &error);
}
static strew_status gather_one(void) {
    return strew_gather_run_4_i32(&one, ALL(table), ids, 1, output, 1, &error);
}
static strew_status gather_points(void) {
    return strew_gather_run_1_u8(&points_by_place, points, sizeof points, ALL(places), picked,
                                 sizeof picked, &error);
}
static strew_status scatter_axis_0(void) {
    return strew_scatter_run_4_i32(&lines, ALL(data), ALL(ids), ALL(output), &error);
}
static strew_status scatter_pairs(void) {
    return strew_scatter_run_4_i32(&cells, ALL(data), ALL(pairs), ALL(output), &error);
}
static strew_status scatter_add_axis_0(void) {
    return strew_scatter_reduce_f32_i32(&lines, STREW_ADD, ALL(data), ALL(ids), ALL(output),
                                        &error);
}
static strew_status histogram(void) {
    static const float one_more = 1;
    return strew_scatter_reduce_f32_i32(&counts, STREW_ADD, ALL(data), ALL(chosen), &one_more, 1,
                                        &error);
}

/* Runs a call once for its instructions, and once more for its stack. */
static void measure(const char *name, strew_status (*call)(void)) {
    strew_status (*volatile indirect)(void) = nothing;
    uint32_t before = instructions();
    indirect();
    const uint32_t own = instructions() - before;
    indirect = call;
    before = instructions();
    const strew_status status = indirect();
    const uint32_t count = instructions() - before - own;
    check(status == STREW_OK, name);
    uint32_t *const below = stack_pointer();
    paint_stack(below);
    indirect();
    const uint32_t stack = stack_touched(below);
    print(name);
    print(" ");
    print_number(count);
    print(" ");
    print_number(stack);
    print("\n");
}

static void compare(const float *found, uint32_t n, const char *what) {
    for (uint32_t i = 0; i < n; i++)
        check(found[i] == wanted[i], what);
}

static void fill(void) {
    uint32_t state = 1;
    for (uint32_t i = 0; i < ROWS * WIDTH; i++)
        table[i] = (float)i;
    for (uint32_t i = 0; i < IDS * WIDTH; i++) {
        state = state * 1664525 + 1013904223;
        chosen[i] = (int32_t)(state >> 24) - (i % 5 == 0 ? ROWS : 0);
    }
    for (uint32_t i = 0; i < IDS; i++)
        ids[i] = (int32_t)(i * 37 % ROWS) - (i % 3 == 0 ? ROWS : 0);
    for (uint32_t i = 0; i < IDS * 2; i++)
        pairs[i] = (int32_t)(i * 11 % 32);
    for (uint32_t i = 0; i < POINTS; i++)
        points[i].x = (uint16_t)i, points[i].y = (uint16_t)(i * 2), points[i].z = (uint16_t)(i * 3);
    places[0] = 3, places[1] = 0, places[2] = 255, places[3] = 7;
}

static uint32_t row(int32_t id) { return (uint32_t)(id < 0 ? id + ROWS : id); }

static void reset(void) {
    for (uint32_t i = 0; i < ROWS * WIDTH; i++)
        data[i] = wanted[i] = 0;
}

int main(void) {
    fill();
    plan();

    measure("gather_axis_0", gather_axis_0);
    for (uint32_t i = 0; i < IDS * WIDTH; i++)
        wanted[i] = table[row(ids[i / WIDTH]) * WIDTH + i % WIDTH];
    compare(output, IDS * WIDTH, "gather_axis_0 differs");

    measure("gather_elements", gather_elements);
    for (uint32_t i = 0; i < IDS * WIDTH; i++)
        wanted[i] = table[row(chosen[i]) * WIDTH + i % WIDTH];
    compare(output, IDS * WIDTH, "gather_elements differs");

    measure("gather_one", gather_one);
    wanted[0] = table[ids[0] + (ids[0] < 0 ? ROWS * WIDTH : 0)];
    compare(output, 1, "gather_one differs");

    measure("gather_points", gather_points);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t at = places[i] < POINTS ? places[i] : POINTS - 1;
        check(picked[i].x == points[at].x && picked[i].z == points[at].z, "gather_points differs");
    }

    measure("gather_pairs", gather_pairs);
    for (uint32_t i = 0; i < IDS * 8; i++)
        wanted[i] = table[pairs[i / 8 * 2] * 256 + pairs[i / 8 * 2 + 1] * 8 + (int32_t)(i % 8)];
    compare(output, IDS * 8, "gather_pairs differs");

    reset();
    measure("scatter_pairs", scatter_pairs);
    for (uint32_t i = 0; i < IDS * 8; i++)
        wanted[pairs[i / 8 * 2] * 256 + pairs[i / 8 * 2 + 1] * 8 + (int32_t)(i % 8)] = output[i];
    compare(data, ROWS * WIDTH, "scatter_pairs differs");

    reset();
    measure("scatter_axis_0", scatter_axis_0);
    for (uint32_t i = 0; i < IDS * WIDTH; i++)
        wanted[row(ids[i / WIDTH]) * WIDTH + i % WIDTH] = output[i];
    compare(data, ROWS * WIDTH, "scatter_axis_0 differs");

    /* Twice, since the call is measured twice. */
    reset();
    measure("scatter_add_axis_0", scatter_add_axis_0);
    for (uint32_t i = 0; i < 2 * IDS * WIDTH; i++)
        wanted[row(ids[i / WIDTH % IDS]) * WIDTH + i % WIDTH] += output[i % (IDS * WIDTH)];
    compare(data, ROWS * WIDTH, "scatter_add_axis_0 differs");

    /* Twice, as above. */
    reset();
    measure("histogram", histogram);
    for (uint32_t i = 0; i < 2 * IDS * WIDTH; i++)
        wanted[row(chosen[i % (IDS * WIDTH)])] += 1;
    compare(data, ROWS * WIDTH, "histogram differs");

    /* An index out of bounds: an error with all its data, and no trace of the scatter. */
    ids[IDS - 1] = ROWS;
    check(scatter_add_axis_0() == STREW_INDEX_OUT_OF_BOUNDS && error.entry == IDS - 1 &&
              error.magnitude == ROWS && !error.negative && error.expected == ROWS,
          "not refused");
    compare(data, ROWS * WIDTH, "a trace of what failed");
    char text[192];
    strew_error_message(&error, text, sizeof text);
    print(text);
    print("\n");
    return 0;
}
