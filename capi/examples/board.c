/* QEMU's machines mps2-an386 (Cortex-M4F), mps2-an385 (Cortex-M3), microbit (Cortex-M0) and virt
   (RISC-V): start, semihosting, counters. */
#include "board.h"

extern uint32_t stack_top[];
int main(void);
void start(void);

#if defined(__arm__)

static uint32_t semihosting(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void start(void) {
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* the floating-point unit */
#endif
    end(main());
}

static void fault(void) { end(2); }

__attribute__((section(".vectors"), used)) static const struct {
    uint32_t *stack;
    void (*handlers[6])(void);
} vectors = {stack_top, {start, fault, fault, fault, fault, fault}};

#else

static uint32_t semihosting(uint32_t operation, const void *argument) {
    register uint32_t a0 __asm__("a0") = operation;
    register const void *a1 __asm__("a1") = argument;
    __asm__ volatile(".option push\n.option norvc\n"
                     "slli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n"
                     ".option pop" : "+r"(a0) : "r"(a1) : "memory");
    return a0;
}

__attribute__((used)) static void start_c(void) { end(main()); }
__attribute__((used, aligned(4))) static void fault(void) { end(2); }

__attribute__((section(".vectors"), naked, used)) void start(void) {
    __asm__ volatile("la sp, stack_top\nla t0, fault\ncsrw mtvec, t0\nj start_c");
}

#endif

void print(const char *text) { semihosting(0x04, text); } /* SYS_WRITE0 */

void print_number(uint32_t number) {
    char digits[11], *first = digits + 10;
    *first = 0;
    do {
        *--first = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    print(first);
}

void end(int status) {
    const uint32_t argument[2] = {0x20026 /* ADP_Stopped_ApplicationExit */, (uint32_t)status};
    semihosting(0x20, argument); /* SYS_EXIT_EXTENDED */
    for (;;) {
    }
}

uint32_t instructions(void) {
#if defined(__ARM_ARCH_7EM__) || defined(CMSDK_TIMER)
    /* CMSDK timer 0 counts down every 40 ns, and an instruction takes 1024 ns. */
    static uint32_t passed, before;
    volatile uint32_t *const timer = (volatile uint32_t *)0x40000000;
    if (timer[0] == 0) {
        timer[2] = timer[1] = before = UINT32_MAX;
        timer[0] = 1;
    }
    const uint32_t now = timer[1];
    passed += before - now;
    before = now;
    return (uint32_t)(((uint64_t)passed * 40 + 512) / 1024);
#elif defined(__riscv)
    /* QEMU counts the time of instructions here, 1024 ns for each. */
    uint32_t time;
    __asm__ volatile("csrr %0, minstret" : "=r"(time));
    return time / 1024;
#else
    return 0;
#endif
}

/* Words. The first ones are the frame of the function that paints. */
enum { OWN = 16, PAINTED = 1024 };
static const uint32_t PAINT = 0xA5C3F00D;

__attribute__((noinline)) void paint_stack(uint32_t *below) {
    for (int word = OWN + 1; word <= PAINTED; word++)
        ((volatile uint32_t *)below)[-word] = PAINT;
}

__attribute__((noinline)) uint32_t stack_touched(uint32_t *below) {
    int word = PAINTED;
    while (word > OWN && ((volatile uint32_t *)below)[-word] == PAINT)
        word--;
    return (uint32_t)word * 4;
}
