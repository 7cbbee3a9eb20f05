/*
 * price.h - what a part costs per hour: prices on record, and the one that stands for a part.
 *
 * Purpose: the price that a cost rests on where a request gives none, by one rule that can be
 * shown: the median of the part's on-demand list prices. Offers of marketplaces, spot and reserved
 *          prices and weak rows count only where there is no list price at all.
 * Units:   US dollars per device and hour.
 * Ownership: plain data; texts are the catalogue's.
 * Threads: pure.
 */
#ifndef REGIME_PRICE_H
#define REGIME_PRICE_H

#include <stdbool.h>

/* Kinds of price; the names are those of the records. */
#define PRICE_KIND_LIST(X)                                                                         \
    X(PRICE_ON_DEMAND, "on_demand")                                                                \
    X(PRICE_SPOT, "spot")                                                                          \
    X(PRICE_RESERVED, "reserved")                                                                  \
    X(PRICE_MARKETPLACE, "marketplace")

#define X(ID, NAME) ID,

enum price_kind { PRICE_KIND_LIST(X) PRICE_KIND_COUNT };

#undef X

/* A price on record. */
struct price {
    const char *id, *provider;
    const char *date; /* that it was read at; NULL = nobody noted it */
    int hardware;     /* in the library */
    enum price_kind kind;
    bool weak; /* second-hand, estimated or only a starting price */
    double usd_per_device_hour;
    double low, high; /* where it is the middle of a range; else it itself */
};

/* What a price of a part rests on. */
enum price_basis {
    PRICE_NONE,   /* no record */
    PRICE_LISTED, /* on-demand list prices */
    PRICE_WEAK,   /* offers and doubtful rows, as there is nothing else */
    PRICE_GIVEN   /* the request gives it */
};

struct part_price {
    enum price_basis basis;
    double usd_per_device_hour;  /* the median of `rows` prices; NAN without any */
    double low, high;            /* of those rows; NAN */
    int rows;                    /* that it rests on */
    const char *oldest, *newest; /* their dates; NULL where none is noted */
    const struct price *prices;  /* every row of the part, cheapest first */
    int n;
};

/* The price of a part from its n rows, which are sorted by price. */
void price_settle(const struct price *prices, int n, struct part_price *ret_price);

/* Whether a row is one of those that the settled price rests on. */
bool price_counts(const struct part_price *settled, const struct price *row);

/* The records' name of a kind, and back (PRICE_KIND_COUNT when unknown). */
const char *price_kind_name(enum price_kind kind);
enum price_kind price_kind_parse(const char *name);

/* "list prices", "weak offers", "given", "no record". */
const char *price_basis_name(enum price_basis basis);

#endif
