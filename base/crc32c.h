/* SPDX-License-Identifier: MIT */
/* CRC-32C (Castagnoli; RFC 3720, appendix B.4). It detects damaged files. */
#ifndef UAT_CRC32C_H
#define UAT_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continue a CRC. crc: the CRC of the bytes before data; 0 if there are none. Returns the CRC of those bytes followed
 * by the n bytes at data. */
uint32_t uat_crc32c(uint32_t crc, const void *data, size_t n);

/* uat_crc32c() without the processor's instruction. */
uint32_t uat_crc32c_by_tables(uint32_t crc, const void *data, size_t n);

#endif
