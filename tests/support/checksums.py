# SPDX-License-Identifier: Apache-2.0
"""S3's checksums by hand: boto3 computes CRC32C and CRC64NVME only where awscrt is there."""
import base64
import functools
import hashlib
import zlib


@functools.lru_cache(maxsize=None)
def _table(polynomial):
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
        table.append(value)
    return table


def _crc(data, polynomial, bits):
    table, ones = _table(polynomial), (1 << bits) - 1
    value = ones
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ value >> 8
    return (value ^ ones).to_bytes(bits // 8, "big")


RAW = {
    "CRC32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
    "CRC32C": lambda data: _crc(data, 0x82F63B78, 32),
    "CRC64NVME": lambda data: _crc(data, 0x9A6C9329AC4BC9B5, 64),
    "SHA1": lambda data: hashlib.sha1(data).digest(),
    "SHA256": lambda data: hashlib.sha256(data).digest(),
}
ALGORITHMS = tuple(RAW)
CRCS = ("CRC32", "CRC32C", "CRC64NVME")  # these can be of a whole multipart object
COMPOSITE = ("CRC32", "CRC32C", "SHA1", "SHA256")  # these can be a checksum of the parts'


def encoded(raw):
    return base64.b64encode(raw).decode()


def checksum(algorithm, data):
    """As S3 writes it."""
    return encoded(RAW[algorithm](data))


def composite(algorithm, parts):
    """The checksum of the parts' checksums, and how many there are."""
    return encoded(RAW[algorithm](b"".join(RAW[algorithm](part) for part in parts))) + f"-{len(parts)}"


def multipart_etag(parts):
    whole = hashlib.md5(b"".join(hashlib.md5(part).digest() for part in parts))
    return f'"{whole.hexdigest()}-{len(parts)}"'
