#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Extracts the plain ELF kernel from a bzImage: vmlinux.py BZIMAGE VMLINUX

QEMU starts an ELF kernel with a PVH note directly. So the emulated processor need not unpack the kernel, which saves
several seconds per boot. Offsets are from Documentation/x86/boot.rst in Linux.
"""
import lzma
import sys
import zlib


def unpack(payload):
    if payload.startswith(b'\xfd7zXZ\x00'):
        return lzma.LZMADecompressor().decompress(payload)
    if payload.startswith(b'\x1f\x8b'):
        return zlib.decompressobj(31).decompress(payload)
    sys.exit(f'vmlinux.py: {sys.argv[1]}: compressed neither with xz nor with gzip: starts with {payload[:6].hex()}')


def main():
    with open(sys.argv[1], 'rb') as image:
        data = image.read()
    if data[0x202:0x206] != b'HdrS':
        sys.exit(f'vmlinux.py: {sys.argv[1]}: not a bzImage')
    setup_size = ((data[0x1f1] or 4) + 1) * 512
    offset = setup_size + int.from_bytes(data[0x248:0x24c], 'little')
    length = int.from_bytes(data[0x24c:0x250], 'little')
    kernel = unpack(data[offset:offset + length])
    if not kernel.startswith(b'\x7fELF'):
        sys.exit(f'vmlinux.py: {sys.argv[1]}: what is packed inside is not an ELF file')
    with open(sys.argv[2], 'wb') as out:
        out.write(kernel)


main()
