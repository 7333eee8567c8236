#include <math.h>
#include <stdint.h>
#include <string.h>

static uint64_t function_random_word(double x, double y) {
    const double seed = x + 0.0, counter = y + 0.0;
    uint64_t k0, a, b = 0;
    memcpy(&k0, &seed, sizeof k0);
    memcpy(&a, &counter, sizeof a);
    const uint64_t k2 = k0 ^ UINT64_C(2004413935125273122);
    a += k0;
    a += b;
    b = (b << 16 | b >> 48) ^ a;
    a += b;
    b = (b << 42 | b >> 22) ^ a;
    a += b;
    b = (b << 12 | b >> 52) ^ a;
    a += b;
    b = (b << 31 | b >> 33) ^ a;
    b += k2 + 1;
    a += b;
    b = (b << 16 | b >> 48) ^ a;
    a += b;
    b = (b << 32 | b >> 32) ^ a;
    a += b;
    b = (b << 24 | b >> 40) ^ a;
    a += b;
    b = (b << 21 | b >> 43) ^ a;
    a += k2;
    b += k0 + 2;
    a += b;
    b = (b << 16 | b >> 48) ^ a;
    a += b;
    b = (b << 42 | b >> 22) ^ a;
    a += b;
    b = (b << 12 | b >> 52) ^ a;
    a += b;
    b = (b << 31 | b >> 33) ^ a;
    a += k0;
    b += 3;
    a += b;
    b = (b << 16 | b >> 48) ^ a;
    return a;
}

static double function_random_number(double x, double y) {
    if (isnan(x) || isnan(y)) return (double)NAN;
    return ((double)(function_random_word(x, y) >> 12) + 0.5) / 4503599627370496.0;
}

static double function_rounded(double x) {
    volatile const double y = x;
    return y;
}

static double function_polynomial_g(double x) {
    const double xx = x * x;
    const double xxxx = xx * xx;
    const double xxxxxxxx = xxxx * xxxx;
    return (((1.442694860148316 + function_rounded(-0.7213381070742675 * x)) + function_rounded((0.4807274254175942 + function_rounded(-0.35911738669875315 * x)) * xx)) + function_rounded(((0.2802197610134402 + function_rounded(-0.21195081743291738 * x)) + function_rounded((0.13981394757562135 + function_rounded(-0.07046951802358968 * x)) * xx)) * xxxx)) + function_rounded((0.022917835826037083 + function_rounded(-0.0034980018506413904 * x)) * xxxxxxxx);
}

static double function_polynomial_p(double x) {
    const double xx = x * x;
    const double xxxx = xx * xx;
    const double xxxxxxxx = xxxx * xxxx;
    return (((2.506628274843889 + function_rounded(0.5790872156300829 * x)) + function_rounded((0.08170047135001608 + function_rounded(0.008072919802459876 * x)) * xx)) + function_rounded(((0.0005625366462591132 + function_rounded(2.751936866127779e-05 * x)) + function_rounded((1.027531131658367e-06 + function_rounded(4.990994587813471e-08 * x)) * xx)) * xxxx)) + function_rounded(2.359207277749226e-10 * xxxxxxxx);
}

static double function_polynomial_q(double x) {
    const double xx = x * x;
    const double xxxx = xx * xx;
    const double xxxxxxxx = xxxx * xxxx;
    return (((1.0 + function_rounded(0.049556866482025196 * x)) + function_rounded((0.01733963603230943 + function_rounded(0.0006412529664892484 * x)) * xx)) + function_rounded(((7.634914957327903e-05 + function_rounded(1.5426095423681082e-06 * x)) + function_rounded((1.3121346058911856e-07 + function_rounded(1.9922977584637943e-09 * x)) * xx)) * xxxx)) + function_rounded(2.134536793920487e-12 * xxxxxxxx);
}

static double function_normal_quantile(double u) {
    const double w = function_rounded(function_rounded(u * (1.0 - u)) * 4.0);
    uint64_t bits;
    double f;
    memcpy(&bits, &w, sizeof bits);
    const double n = 1023.0 - (double)(bits >> 52);
    bits = (bits & UINT64_C(4503599627370495)) | UINT64_C(4607182418800017408);
    memcpy(&f, &bits, sizeof f);
    f -= 1.0;
    const double l = n - function_rounded(f * function_polynomial_g(f));
    return (u - 0.5) * (function_polynomial_p(l) / function_polynomial_q(l));
}

static double function_normal_number(double x, double y) {
    return function_normal_quantile(function_random_number(x, y));
}

/*
 * x: x, shape []
 * output: output, shape []
 */
void function(double x, double output[1]);

void function(double x, double output[1]) {
    const double v0 = x;
    const double v1 = function_normal_number(7.0, v0);
    output[0] = v1;
}
