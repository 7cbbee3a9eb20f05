/*
 * store_pages.h - gives the embedded database's pages back to the system.
 *
 * Purpose: a store that was copied out of the program, or refreshed from it, has read all of it;
 * the pages are of a file and come back when they are read again.
 */
#ifndef REGIME_STORE_PAGES_H
#define REGIME_STORE_PAGES_H

/* Drops the pages of the embedded database from this process; harmless where that is not possible.
 */
void embedded_pages_drop(void);

#endif
