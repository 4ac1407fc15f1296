/* Rows of a table by index, and sums of rows: README.md says how to build it. */
#include "strew.h"

#include <stdio.h>

static int refused(const strew_error *error) {
    char text[192];
    strew_error_message(error, text, sizeof text);
    printf("%s\n", text);
    return 1;
}

int main(void) {
    /* A table of 3 rows of 2, and two indices. All numbers count elements. */
    const strew_layout table = {.rank = 2, .sizes = {3, 2}, .strides = {2, 1}};
    const strew_layout ids = {.rank = 1, .sizes = {2}, .strides = {1}};
    const strew_layout rows = {.rank = 2, .sizes = {2, 2}, .strides = {2, 1}};
    strew_gather lookup;
    strew_scatter add;
    strew_error error;
    if (strew_gather_axis(&lookup, &table, &ids, &rows, 0, &error) != STREW_OK ||
        strew_scatter_axis(&add, &table, &ids, &rows, 0, &error) != STREW_OK)
        return refused(&error);

    /* Rows 2 and 0; -1 would be the last one. Then they are added to where they came from. */
    float data[6] = {1, 2, 3, 4, 5, 6}, gathered[4];
    const int32_t two_zero[2] = {2, 0}, too_far[2] = {2, 3};
    if (strew_gather_run_4_i32(&lookup, data, 6, two_zero, 2, gathered, 4, &error) != STREW_OK ||
        strew_scatter_reduce_f32_i32(&add, STREW_ADD, data, 6, two_zero, 2, gathered, 4, &error))
        return refused(&error);
    printf("%g %g %g %g\n", gathered[0], gathered[1], gathered[2], gathered[3]);
    printf("%g %g %g %g %g %g\n", data[0], data[1], data[2], data[3], data[4], data[5]);

    /* An index out of bounds: the data stay as they are. */
    if (strew_scatter_run_4_i32(&add, data, 6, too_far, 2, gathered, 4, &error) != STREW_OK)
        refused(&error);
    return 0;
}
