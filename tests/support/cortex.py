"""C on a Cortex-M4 with its unit for float, as qemu-system-arm has it: compiled by arm-none-eabi-gcc with newlib.

Programs print and exit by semihosting.
"""

import subprocess
from pathlib import Path

from chasles.export.targets.c import CORTEX

STARTUP = """#include <stdint.h>
extern void _start(void);
static void reset(void) {
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* the unit for float is on */
    __asm volatile("dsb\\n isb");
    _start();
}
__attribute__((section(".vectors"), used)) static const void *const vectors[] = {(void *)0x20400000, (void *)reset};
"""
PLACES = "-Wl,--section-start=.vectors=0x0"

PAINTED = """#include <stdint.h>
#include <stdio.h>
#include "NAME.h"
enum { DEPTH = 16384 };
static NUMBER buffer[64];
static __attribute__((noinline)) uint32_t used(void) {
    register uint32_t top __asm("sp");
    volatile uint8_t *const low = (volatile uint8_t *)(top - DEPTH);
    for (int i = 0; i < DEPTH - 64; i++) low[i] = 0xA5;
    NAME(ARGUMENTS);
    int i = 0;
    while (i < DEPTH - 64 && low[i] == 0xA5) i++;
    return (uint32_t)(DEPTH - i);
}
int main(void) {
    for (int i = 0; i < 64; i++) buffer[i] = (NUMBER)(30.5 + i);
    printf("%u\\n", (unsigned)used());
    return 0;
}
"""


def run(folder: Path, *files: str, timeout: float = 60.0) -> str:
    """What a program of these files of a folder prints; where it ends with another code than 0, RuntimeError."""
    (folder / "startup.c").write_text(STARTUP, "ascii")
    options = [*CORTEX.split(), "-O2", "--specs=rdimon.specs", *PLACES.split(), "startup.c", *files, "-lm"]
    subprocess.run(["arm-none-eabi-gcc", *options, "-o", "program.elf"], cwd=folder, check=True, timeout=timeout)
    command = "qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -semihosting -kernel program.elf"
    done = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise RuntimeError(f"{done.stdout}\n{done.stderr}")
    return done.stdout


def painted_stack(folder: Path, name: str, number: str, arguments: int) -> int:
    """Bytes of stack that a call of an exported function writes to, with all that it calls."""
    text = PAINTED.replace("NAME", name).replace("NUMBER", number)
    (folder / "painted.c").write_text(text.replace("ARGUMENTS", ", ".join(["buffer"] * arguments)), "ascii")
    return int(run(folder, "painted.c", f"{name}.c"))
