/*
 * environment.h - a variable of an environment that is handed over, not the process's own.
 */
#ifndef REGIME_ENVIRONMENT_H
#define REGIME_ENVIRONMENT_H

/* The value of a variable, as it stands there; NULL where it is not set or empty. */
const char *environment_find(const char *const *environment, const char *name);

#endif
