/* What a board must do for firmware.c: print, end, count. board.c has QEMU's. */
#include <stddef.h>
#include <stdint.h>

void print(const char *text);
void print_number(uint32_t number);
void end(int status) __attribute__((noreturn));

/* Instructions since the first call or the start, with QEMU's -icount shift=10; 0 where nothing
   counts them. */
uint32_t instructions(void);
/* Where the caller's stack ends. */
static inline __attribute__((always_inline)) uint32_t *stack_pointer(void) {
    uint32_t *pointer;
#if defined(__arm__)
    __asm__ volatile("mov %0, sp" : "=r"(pointer));
#else
    __asm__ volatile("mv %0, sp" : "=r"(pointer));
#endif
    return pointer;
}

/* Paints the free stack below; how many bytes of it were written to since. */
void paint_stack(uint32_t *below);
uint32_t stack_touched(uint32_t *below);
