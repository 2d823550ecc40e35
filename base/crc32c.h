/* SPDX-License-Identifier: MIT */
/* CRC-32C (Castagnoli; RFC 3720, appendix B.4), which detects damaged files. */
#ifndef UAT_CRC32C_H
#define UAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of some bytes and the n bytes at data that follow them. crc: the CRC of the former, 0 if there are none. */
uint32_t uat_crc32c(uint32_t crc, const void *data, size_t n);

/* The same, without the processor's instruction. */
uint32_t uat_crc32c_by_tables(uint32_t crc, const void *data, size_t n);

#endif
