/* SPDX-License-Identifier: MIT */
/* The registers of x86-64 that a call does not preserve, apart from the integer registers, as clobbers of the inline
 * assembly of spawns and generators. */
#ifndef UAT_DETAIL_REGISTERS_H
#define UAT_DETAIL_REGISTERS_H

#if defined(__AVX512F__) || defined(__clang__) /* clang lets any file name them */
#define UAT_LOST_512                                                                                                   \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",      \
        "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define UAT_LOST_512
#endif

#define UAT_LOST_VECTORS                                                                                               \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",         \
        "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)" UAT_LOST_512

#endif
