"""The board as a PNG file, made with nothing but the standard library."""

import struct
import zlib

TILE = 100
GAP = 4
ON, OFF, FRAME = b"\xff\xc8\x3d", b"\x2f\x36\x40", b"\x14\x17\x1b"


def draw(lights):
    width, height = TILE * len(lights[0]), TILE * len(lights)
    frame = b"\x00" + FRAME * width
    rows = []
    for row in lights:
        tiles = b"".join(FRAME * GAP + (ON if light else OFF) * (TILE - 2 * GAP) + FRAME * GAP for light in row)
        rows += [frame] * GAP + [b"\x00" + tiles] * (TILE - 2 * GAP) + [frame] * GAP
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in parts)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
