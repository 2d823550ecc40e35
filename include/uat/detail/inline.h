/* SPDX-License-Identifier: MIT */
/* UAT_INLINE: the specifiers of the library's inline functions. A C++20 module may export a template that calls them,
 * and cannot name a function with internal linkage. In C, `inline` alone would need a definition elsewhere. */
#ifndef UAT_DETAIL_INLINE_H
#define UAT_DETAIL_INLINE_H

#ifdef __cplusplus
#define UAT_INLINE inline
#else
#define UAT_INLINE static inline
#endif

#endif
