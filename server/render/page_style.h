/*
 * page_style.h - the style sheet of the page, light and dark, from 320 px up.
 */
#ifndef REGIME_PAGE_STYLE_H
#define REGIME_PAGE_STYLE_H

extern const char PAGE_STYLE[];

#endif
