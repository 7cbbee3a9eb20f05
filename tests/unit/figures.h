/*
 * figures.h - cmocka checks of doubles; include after cmocka.h.
 */
#ifndef REGIME_FIGURES_H
#define REGIME_FIGURES_H

#include <math.h>

/* Fails, naming both values and the expression, unless |actual - expected| <= tolerance. */
#define assert_near(ACTUAL, EXPECTED, TOLERANCE)                                                   \
    do {                                                                                           \
        double actual_ = (ACTUAL);                                                                 \
        double expected_ = (EXPECTED);                                                             \
        if (!(fabs(actual_ - expected_) <= (TOLERANCE))) {                                         \
            fail_msg("%s is %.17g, not %.17g", #ACTUAL, actual_, expected_);                       \
        }                                                                                          \
    } while (0)

/* The same without tolerance: counts are whole numbers that a double holds exactly. */
#define assert_figure(ACTUAL, EXPECTED) assert_near(ACTUAL, EXPECTED, 0.0)

#endif
