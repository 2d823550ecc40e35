/* SPDX-License-Identifier: MIT */
#include "base/crc32c.h"

#include <string.h>

#include "base/cpu.h"

/* table[k][b] is the CRC of byte b followed by k zero bytes (Kounavis and Berry 2005, "slicing by 8"). */
static uint32_t table[8][256];

static void fill_table(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
        table[0][b] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (int b = 0; b < 256; b++)
            table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xff];
}

/* Little-endian, like all supported processors. */
static uint64_t load(const unsigned char *p)
{
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

uint32_t uat_crc32c_by_tables(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;
    if (!table[0][1])
        fill_table();
    crc = ~crc;
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word = load(p) ^ crc;
        crc = 0;
        for (int k = 0; k < 8; k++)
            crc ^= table[7 - k][word >> 8 * k & 0xff];
    }
    for (; n > 0; n--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
    return ~crc;
}

/*
 * The instruction has a latency of three cycles, but a processor can start one per cycle. So this code computes the
 * CRCs of three lanes at the same time, and then joins them. To join two parts, append one zero byte to the first part
 * for each byte of the second part. The CRC of the whole is the CRC of this longer first part xor the CRC of the second
 * part (Gopal et al. 2011, "Fast CRC computation for iSCSI polynomial using CRC32 instruction").
 */
enum { LANE = 2048 };
static uint32_t after_lane[4][256]; /* [k][b]: a CRC whose byte k is b and whose other bytes are 0, continued by LANE
                                     * zero bytes */

static void fill_lanes(void)
{
    for (int k = 0; k < 4; k++)
        for (uint32_t b = 0; b < 256; b++) {
            uint32_t crc = b << 8 * k;
            for (int i = 0; i < LANE; i += 8)
                crc = uat_cpu_crc32c(crc, 0);
            after_lane[k][b] = crc;
        }
}

static uint32_t skip_lane(uint32_t crc)
{
    return after_lane[0][crc & 0xff] ^ after_lane[1][crc >> 8 & 0xff] ^ after_lane[2][crc >> 16 & 0xff] ^
           after_lane[3][crc >> 24];
}

uint32_t uat_crc32c(uint32_t crc, const void *data, size_t n)
{
    const unsigned char *p = data;
    if (!uat_cpu_has_crc32c())
        return uat_crc32c_by_tables(crc, data, n);
    if (n >= 3 * LANE && !after_lane[0][1])
        fill_lanes();
    crc = ~crc;
    for (; n >= 3 * LANE; n -= 3 * LANE, p += 3 * LANE) {
        uint32_t second = 0, third = 0;
        for (int i = 0; i < LANE; i += 8) {
            crc = uat_cpu_crc32c(crc, load(p + i));
            second = uat_cpu_crc32c(second, load(p + LANE + i));
            third = uat_cpu_crc32c(third, load(p + 2 * LANE + i));
        }
        crc = skip_lane(skip_lane(crc) ^ second) ^ third;
    }
    for (; n >= 8; n -= 8, p += 8)
        crc = uat_cpu_crc32c(crc, load(p));
    return n > 0 ? uat_crc32c_by_tables(~crc, p, n) : ~crc;
}
