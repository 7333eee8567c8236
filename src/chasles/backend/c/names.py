"""Names in C: words that it has already, for itself or for what is in functions."""

from __future__ import annotations

import re

from chasles.backend.c.prelude import NAMES
from chasles.backend.statements.words import word

_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main
    alignas alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual
    and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept
    consteval constinit const_cast decltype delete dynamic_cast explicit export final friend import module mutable
    namespace new noexcept not not_eq operator or or_eq override private protected public reinterpret_cast requires
    static_cast template this throw try typeid typename using virtual wchar_t xor xor_eq"""  # C, what C23 and C++ add
_MACROS = """
    linux unix near far arm sun I complex imaginary errno math_errhandling stdin stdout stderr tzname fd_set physadr
    quad strtodf L_ctermid L_tmpnam P_tmpdir EIO PI LOW ADC CAN CRC DAC DMA DWT FMC FPU ITM MPU PWR RCC RNG RTC SCB TPI
    USB SET"""  # of compilers, of the library, of newlib, of Arduino and of the makers of microcontrollers
_MATHEMATICS = """
    acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 exp10 expm1 pow10 frexp ilogb ldexp log
    log10 log1p log2 logb modf scalbn scalbln scalb cbrt fabs hypot pow sqrt erf erfc lgamma tgamma gamma ceil floor
    nearbyint rint lrint llrint round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim
    fmax fmin fma sincos significand drem finite j0 j1 jn y0 y1 yn dadd dsub dmul ddiv dsqrt dfma fadd fsub fmul fdiv
    fsqrt ffma roundeven fromfp ufromfp nextup nextdown llogb canonicalize totalorder getpayload setpayload cospi sinpi
    tanpi acospi asinpi atanpi atan2pi compoundn rootn rsqrt pown powr"""
_PLAIN = (
    "signgam fpclassify signbit isfinite isinf isnan isnormal issignaling iszero issubnormal matherr float_t double_t"
)
_LIBRARY = """
    abort abs atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs malloc qsort rand realloc
    srand strtod strtol system printf fprintf sprintf snprintf scanf fscanf sscanf puts putchar gets getchar fopen
    fclose fread fwrite fflush remove rename memcpy memmove memset memcmp memchr strcpy strcat strcmp strlen strchr
    strstr index rindex bcmp bcopy bzero ffs time clock difftime mktime signal raise longjmp setjmp assert
    tolower toupper isalpha isdigit isspace read write open close stat link unlink pipe select poll send recv accept
    bind connect listen kill wait fork execve alarm pause sleep random srandom setup loop yield"""

WORDS = frozenset(
    " ".join((_KEYWORDS, _MACROS, _PLAIN)).split()
    + [f"{name}{suffix}" for name in _MATHEMATICS.split() for suffix in ("", "f", "l")]
    + [*NAMES]
)
LOCAL = re.compile(  # names of what functions have inside, and of macros and types
    r"[vr]\d+|i|k|kept|status|attempt|searching|(now|new|in\d+|out\d+)_\w*|\w*_part\d+"
    r"|[A-Z][A-Z0-9_]{3,}|M_[A-Z0-9_]+(l|f\d+x?)?|(FP|MATH|U?INT|HUGE)_\w*|U?INT\d*\w*|HUGE\w*|NAN|EOF|X?_?[PT]LOSS"
    r"|(PRI|SCN)[diouxX]\w+|(sa|si|sigev)_\w+|(u?int\w*|size|ptrdiff)_t|[A-Z0-9_]*_(MAX|MIN|C)|A\d\d?|B[01]{1,8}"
)


class Reserved(frozenset[str]):
    """Words, and those of the pattern LOCAL."""

    def __contains__(self, x: object) -> bool:
        return super().__contains__(x) or (isinstance(x, str) and LOCAL.fullmatch(x) is not None)


ARRAYS = Reserved(WORDS)  # what no array may be called
FUNCTIONS = Reserved(WORDS | frozenset(_LIBRARY.split()))  # and what no function may be


def exported_name(name: str) -> str:
    """The name of the function that the file of a kernel defines."""
    return word(name, FUNCTIONS)
