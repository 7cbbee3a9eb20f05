/*
 * basis.h - what a number rests on.
 */
#ifndef REGIME_BASIS_H
#define REGIME_BASIS_H

#define BASIS_LIST(X)                                                                              \
    X(BASIS_MEASURED, "measured")                                                                  \
    X(BASIS_CALIBRATED, "calibrated")                                                              \
    X(BASIS_DERIVED, "derived")                                                                    \
    X(BASIS_ASSUMED, "assumed")                                                                    \
    X(BASIS_NO_RECORD, "no record")
#define X(ID, NAME) ID,

enum basis { BASIS_LIST(X) BASIS_COUNT };

#undef X

#endif
