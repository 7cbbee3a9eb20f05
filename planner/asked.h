/*
 * asked.h - the most that a request may ask.
 *
 * Purpose: the limits of a request's fields that the planner must know too: a move names no value
 *          that cannot be asked for.
 * Units:   requests, tokens, devices, GB/s (1e9 bytes per second).
 */
#ifndef REGIME_ASKED_H
#define REGIME_ASKED_H

#define ASKED_CONCURRENCY_MAX 1e6
#define ASKED_TOKENS_MAX 1e8
#define ASKED_RANKS_MAX 1024
#define ASKED_GBPS_MAX 1e6

#endif
