/* SPDX-License-Identifier: MIT */
/* How the library writes what C and C++ write differently.
 * UAT_INLINE: the specifiers of the library's inline functions. A C++20 module may export a template that calls them,
 * and cannot name a function with internal linkage. In C, `inline` alone would need a definition elsewhere. The library
 * itself has these functions, too, for other languages: its file inlines.c sets UAT_INLINE before.
 * UAT_CAST(): the cast of a pointer to another type of pointer or to an integer, without a warning for an old cast. */
#ifndef UAT_DETAIL_INLINE_H
#define UAT_DETAIL_INLINE_H

#include <stddef.h>

#ifdef __cplusplus
#define UAT_INLINE            inline
#define UAT_CAST(type, value) reinterpret_cast<type>(value)
#else
#ifndef UAT_INLINE
#define UAT_INLINE static inline
#endif
#define UAT_CAST(type, value) ((type)(value))
#endif

#endif
