/* check.h - cmocka with a relative comparison of doubles. */
#ifndef REGIME_CHECK_H
#define REGIME_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Fails unless got is within `relative` of want. */
#define assert_near(GOT, WANT, RELATIVE)                                                           \
    do {                                                                                           \
        double got_ = (GOT), want_ = (WANT);                                                       \
        if (!(fabs(got_ - want_) <= (RELATIVE)*fabs(want_) + 1e-12)) {                             \
            print_error("%s = %.9g, want %.9g\n", #GOT, got_, want_);                              \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

#endif
