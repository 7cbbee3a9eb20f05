/*
 * number.c - nine significant digits by integer scaling.
 *
 * A double is m x 2^e. Multiplied by a power of ten P x 2^p that brings it to [1e8, 1e10), its
 * integer part holds the digits and its fraction decides the rounding. P has 64 bits and an error
 * below two units of its last place, so the 128-bit product errs by less than 2^66; where the
 * fraction is that near to one half, exact integers decide. Powers 10^0 to 10^27 are exact in P and
 * need no second look.
 */
#include "number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DIGITS 9
#define SHORT_DIGITS 5
#define SMALLEST_9_DIGITS 100000000u
#define SMALLEST_10_DIGITS 1000000000u
#define EXACT_INTEGERS_BELOW 9007199254740992.0 /* 2^53 */
#define FINE_POWERS 28
#define COARSE_FIRST (-11)

__extension__ typedef unsigned __int128 uint128;

/* 5^0 to 5^27, the largest that fits 64 bits. */
static const uint64_t POWERS_OF_5[FINE_POWERS] = {
    0x1,
    0x5,
    0x19,
    0x7d,
    0x271,
    0xc35,
    0x3d09,
    0x1312d,
    0x5f5e1,
    0x1dcd65,
    0x9502f9,
    0x2e90edd,
    0xe8d4a51,
    0x48c27395,
    0x16bcc41e9,
    0x71afd498d,
    0x2386f26fc1,
    0xb1a2bc2ec5,
    0x3782dace9d9,
    0x1158e460913d,
    0x56bc75e2d631,
    0x1b1ae4d6e2ef5,
    0x878678326eac9,
    0x2a5a058fc295ed,
    0xd3c21bcecceda1,
    0x422ca8b0a00a425,
    0x14adf4b7320334b9,
    0x6765c793fa10079d,
};

/* The leading 64 bits of 10^(28 j) for j = COARSE_FIRST, COARSE_FIRST + 1, ... */
static const uint64_t COARSE_POWERS[] = {
    0xe61acf033d1a45df, 0xe858ad248f5c22c9, 0xea9c227723ee8bcb, 0xece53cec4a314ebd,
    0xef340a98172aace4, 0xf18899b1bc3f8ca1, 0xf3e2f893dec3f126, 0xf64335bcf065d37d,
    0xf8a95fcf88747d94, 0xfb158592be068d2e, 0xfd87b5f28300ca0d, 0x8000000000000000,
    0x813f3978f8940984, 0x82818f1281ed449f, 0x83c7088e1aab65db, 0x850fadc09923329e,
    0x865b86925b9bc5c2, 0x87aa9aff79042286, 0x88fcf317f22241e2, 0x8a5296ffe33cc92f,
    0x8bab8eefb6409c1a, 0x8d07e33455637eb2, 0x8e679c2f5e44ff8f, 0x8fcac257558ee4e6,
};

/* value = mantissa x 2^exponent, the top bit of the mantissa set. */
struct binary {
    uint64_t mantissa;
    int exponent;
};

/* value ~ digits x 10^(exponent - 8), digits in [1e8, 1e9). */
struct decimal {
    uint32_t digits;
    int exponent;
};

static struct binary binary_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent)
        mantissa |= UINT64_C(1) << 52;
    else
        exponent = 1;
    int shift = __builtin_clzll(mantissa);
    return (struct binary){mantissa << shift, exponent - 1075 - shift};
}

/* 10^power as mantissa x 2^exponent; exact for 0 <= power < 28, else under 2 units off. */
static struct binary power_of_10(int power)
{
    int coarse = (power - FINE_POWERS * COARSE_FIRST) / FINE_POWERS + COARSE_FIRST;
    uint64_t fine = POWERS_OF_5[power - FINE_POWERS * coarse];
    /* floor(power x log2(10)) - 63, exact for |power| < 1650 */
    int exponent = power * 217706 / 65536 - (power * 217706 % 65536 < 0) - 63;

    fine <<= __builtin_clzll(fine);
    if (coarse == 0)
        return (struct binary){fine, exponent};
    uint128 product = (uint128)fine * COARSE_POWERS[coarse - COARSE_FIRST];
    if (!(product >> 127))
        product <<= 1;
    return (struct binary){(uint64_t)(product >> 64), exponent};
}

/* Just enough of big integers to compare a double with a decimal exactly: 1,100 bits and room. */
#define BIG_WORDS 40

struct big {
    uint32_t words[BIG_WORDS]; /* least significant first */
    int n;
};

static void big_set(struct big *big, uint64_t value)
{
    big->words[0] = (uint32_t)value;
    big->words[1] = (uint32_t)(value >> 32);
    big->n = 2;
}

static void big_multiply(struct big *big, uint32_t factor)
{
    uint64_t carry = 0;

    for (int i = 0; i < big->n; i++) {
        carry += (uint64_t)big->words[i] * factor;
        big->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        big->words[big->n++] = (uint32_t)carry;
}

/* Times base^power by repeated multiplication; base is at most 5. */
static void big_scale(struct big *big, uint32_t base, int power)
{
    for (int i = 0; i < power; i++)
        big_multiply(big, base);
}

static int big_compare(const struct big *a, const struct big *b)
{
    for (int i = BIG_WORDS - 1; i >= 0; i--) {
        uint32_t left = i < a->n ? a->words[i] : 0, right = i < b->n ? b->words[i] : 0;
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

/* The sign of value x 10^power - halves / 2, exactly. */
static int compare_exactly(struct binary value, int power, uint64_t halves)
{
    struct big left, right;
    int twos;

    /* value x 2 x 10^power = m x 5^power x 2^twos against halves; odd m keeps the numbers short */
    int zeros = __builtin_ctzll(value.mantissa);
    big_set(&left, value.mantissa >> zeros);
    big_set(&right, halves);
    twos = value.exponent + zeros + 1 + power;
    big_scale(power > 0 ? &left : &right, 5, power > 0 ? power : -power);
    big_scale(twos > 0 ? &left : &right, 2, twos > 0 ? twos : -twos);
    return big_compare(&left, &right);
}

/* value > 0, rounded to nine digits, ties to even. */
static struct decimal decimal_of(struct binary value)
{
    /* floor(log10(2^n)) = floor(n x 78913 / 2^18) for |n| < 1650; the value may be one decade above
     */
    int n = (value.exponent + 63) * 78913;
    int exponent = n / 262144 - (n % 262144 < 0);

    for (;;) {
        int power = DIGITS - 1 - exponent;
        struct binary ten = power_of_10(power);
        uint128 product = (uint128)value.mantissa * ten.mantissa;
        int shift = -(value.exponent + ten.exponent);
        uint64_t whole = (uint64_t)(product >> shift);
        if (whole >= SMALLEST_10_DIGITS) {
            exponent++;
            continue;
        }
        uint128 half = (uint128)1 << (shift - 1), error = (uint128)1 << 66;
        uint128 fraction = product & ((half << 1) - 1);
        int side = fraction < half ? -1 : fraction > half;
        bool exact = power >= 0 && power < FINE_POWERS;
        if (!exact && fraction + error > half && half + error > fraction)
            side = compare_exactly(value, power, 2 * whole + 1);
        if (side > 0 || (side == 0 && whole % 2))
            whole++;
        if (whole == SMALLEST_10_DIGITS)
            return (struct decimal){SMALLEST_9_DIGITS, exponent + 1};
        return (struct decimal){(uint32_t)whole, exponent};
    }
}

/* "00" to "99". */
static const char PAIRS[201] = "00010203040506070809101112131415161718192021222324"
                               "25262728293031323334353637383940414243444546474849"
                               "50515253545556575859606162636465666768697071727374"
                               "75767778798081828384858687888990919293949596979899";

static size_t write_integer(uint64_t value, char *ret_text)
{
    char digits[20];
    size_t at = sizeof(digits);

    for (; value >= 100; value /= 100) {
        at -= 2;
        memcpy(digits + at, PAIRS + value % 100 * 2, 2);
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, PAIRS + value * 2, 2);
    } else {
        digits[--at] = (char)('0' + value);
    }
    memcpy(ret_text, digits + at, sizeof(digits) - at);
    return sizeof(digits) - at;
}

/* The nine digits; returns how many are left without the zeros at the end. */
static int write_digits(uint32_t value, char ret_digits[DIGITS])
{
    size_t high = value / 10000, low = value % 10000;
    int n = DIGITS;

    ret_digits[0] = (char)('0' + high / 10000);
    high %= 10000;
    memcpy(ret_digits + 1, PAIRS + high / 100 * 2, 2);
    memcpy(ret_digits + 3, PAIRS + high % 100 * 2, 2);
    memcpy(ret_digits + 5, PAIRS + low / 100 * 2, 2);
    memcpy(ret_digits + 7, PAIRS + low % 100 * 2, 2);
    while (n > 1 && ret_digits[n - 1] == '0')
        n--;
    return n;
}

/* "d.ddde+XX", the exponent with two digits at least, as printf writes it. */
static size_t write_scientific(const char *digits, int n, int exponent, char *ret_text)
{
    size_t at = 0;
    int absolute = exponent < 0 ? -exponent : exponent;

    ret_text[at++] = digits[0];
    if (n > 1) {
        ret_text[at++] = '.';
        memcpy(ret_text + at, digits + 1, (size_t)n - 1);
        at += (size_t)n - 1;
    }
    ret_text[at++] = 'e';
    ret_text[at++] = exponent < 0 ? '-' : '+';
    if (absolute < 10)
        ret_text[at++] = '0';
    return at + write_integer((uint64_t)absolute, ret_text + at);
}

/* "ddd.ddd" or "0.000ddd", for exponents -4 to 8; the nine digits are all copied, n of them count.
 */
static size_t write_fixed(const char digits[DIGITS], int n, int exponent, char *ret_text)
{
    static const char ZEROS[] = {'0', '.', '0', '0', '0', '0'};

    if (exponent < 0) {
        size_t at = (size_t)(1 - exponent);
        memcpy(ret_text, ZEROS, sizeof(ZEROS));
        memcpy(ret_text + at, digits, DIGITS);
        return at + (size_t)n;
    }
    size_t whole = (size_t)exponent + 1;
    memcpy(ret_text, digits, DIGITS);
    if ((size_t)n <= whole)
        return whole;
    ret_text[whole] = '.';
    memcpy(ret_text + whole + 1, digits + whole, DIGITS - whole);
    return (size_t)n + 1;
}

size_t number_write(double value, char *ret_text)
{
    static const char NOTHING[] = {'n', 'u', 'l', 'l'};
    size_t sign = 0;
    char digits[DIGITS];

    if (!isfinite(value)) {
        memcpy(ret_text, NOTHING, sizeof(NOTHING));
        return sizeof(NOTHING);
    }
    if (value < 0) {
        ret_text[sign++] = '-';
        value = -value;
    }
    if (value < EXACT_INTEGERS_BELOW && value == (double)(int64_t)value)
        return sign + write_integer((uint64_t)value, ret_text + sign);

    struct decimal decimal = decimal_of(binary_of(value));
    int n = write_digits(decimal.digits, digits);
    if (decimal.exponent < -4 || decimal.exponent >= DIGITS)
        return sign + write_scientific(digits, n, decimal.exponent, ret_text + sign);
    return sign + write_fixed(digits, n, decimal.exponent, ret_text + sign);
}

double number_short(double value)
{
    if (!isfinite(value) || value == 0.0)
        return value;
    /* Powers of ten below 1e22 are exact, so that the quotient is the nearest decimal. */
    int decimals = SHORT_DIGITS - 1 - (int)floor(log10(fabs(value)));
    double unit = pow(10.0, fabs((double)decimals));
    return decimals >= 0 ? round(value * unit) / unit : round(value / unit) * unit;
}
