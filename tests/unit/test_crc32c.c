/* SPDX-License-Identifier: MIT */
/* Description: the CRC-32C agrees with RFC 3720, and with the definition for all lengths. This holds with the
 * processor's instruction, with lanes and with tables, and for data in one piece or in several. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "tests/test.h"

enum { SIZE = 20000, CUTS = 300 };

static uint32_t by_definition(uint32_t crc, const unsigned char *p, size_t n)
{
    for (crc = ~crc; n > 0; n--) {
        crc ^= *p++;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
    }
    return ~crc;
}

static void check(uint32_t crc, const unsigned char *p, size_t n)
{
    assert_int_equal(uat_crc32c(crc, p, n), by_definition(crc, p, n));
    assert_int_equal(uat_crc32c_by_tables(crc, p, n), by_definition(crc, p, n));
}

TEST(rfc3720)
{
    unsigned char bytes[32] = {0};
    assert_int_equal(uat_crc32c(0, bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, 32);
    assert_int_equal(uat_crc32c(0, bytes, 32), 0x62a8ab43);
    for (unsigned char i = 0; i < 32; i++)
        bytes[i] = i;
    assert_int_equal(uat_crc32c(0, bytes, 32), 0x46dd794e);
    assert_int_equal(uat_crc32c_by_tables(0, bytes, 32), 0x46dd794e);
    for (unsigned char i = 0; i < 32; i++)
        bytes[i] = (unsigned char)(31 - i);
    assert_int_equal(uat_crc32c(0, bytes, 32), 0x113fdb5c);
}

TEST(lengths)
{
    static unsigned char bytes[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)random();
    for (size_t n = 0; n < 100; n++)
        check((uint32_t)random(), bytes + n % 9, n);
    for (size_t i = 0; i < CUTS; i++) {
        size_t at = (size_t)random() % SIZE, n = (size_t)random() % (SIZE - at);
        check((uint32_t)random(), bytes + at, n);
        assert_int_equal(uat_crc32c(uat_crc32c(0, bytes, at), bytes + at, SIZE - at), uat_crc32c(0, bytes, SIZE));
    }
}
