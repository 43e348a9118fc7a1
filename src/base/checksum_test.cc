// SPDX-License-Identifier: Apache-2.0
#include "base/checksum.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/crc.h"
#include "base/hash.h"
#include "base/random.h"

namespace base {
namespace {

std::string sum(Checksum kind, std::string_view bytes) {
  Hasher hasher(kind);
  hasher.update(bytes);
  return hasher.finish();
}

std::string hex(Checksum kind, std::string_view bytes) { return to_hex(sum(kind, bytes)); }

constexpr Checksum kAll[] = {Checksum::Md5,       Checksum::Crc32, Checksum::Crc32c,
                             Checksum::Crc64Nvme, Checksum::Sha1,  Checksum::Sha256};
constexpr Checksum kCrcs[] = {Checksum::Crc32, Checksum::Crc32c, Checksum::Crc64Nvme};

// The check values of the CRC catalogue.
TEST(Checksum, ComputesTheKnownCrcs) {
  EXPECT_EQ(hex(Checksum::Crc32, "123456789"), "cbf43926");
  EXPECT_EQ(hex(Checksum::Crc32c, "123456789"), "e3069283");
  EXPECT_EQ(hex(Checksum::Crc64Nvme, "123456789"), "ae8b14860a799888");
  EXPECT_EQ(hex(Checksum::Crc32, ""), "00000000");
  EXPECT_EQ(hex(Checksum::Crc64Nvme, ""), "0000000000000000");
}

// RFC 3720 B.4, and the NVM Express command set's own examples: 4096 bytes each.
TEST(Checksum, ComputesThePublishedCrcsOfLongerStrings) {
  EXPECT_EQ(hex(Checksum::Crc32c, std::string(32, '\0')), "8a9136aa");
  EXPECT_EQ(hex(Checksum::Crc32c, std::string(32, '\xff')), "62a8ab43");
  EXPECT_EQ(hex(Checksum::Crc64Nvme, std::string(4096, '\0')), "6482d367eb22b64e");
  EXPECT_EQ(hex(Checksum::Crc64Nvme, std::string(4096, '\xff')), "c0ddba7302eca3ac");
}

TEST(Checksum, AHasherMatchesTheOneCallDigest) {
  const std::string bytes = random_bytes(1000);
  EXPECT_EQ(sum(Checksum::Md5, bytes), md5(bytes));
  EXPECT_EQ(sum(Checksum::Sha1, bytes), sha1(bytes));
  EXPECT_EQ(sum(Checksum::Sha256, bytes), sha256(bytes));
}

TEST(Checksum, TheSumDoesNotDependOnHowTheInputIsCut) {
  const std::string bytes = random_bytes(3000);
  for (Checksum kind : kAll) {
    for (std::size_t step : {1u, 7u, 64u, 129u, 1000u}) {
      Hasher hasher(kind);
      for (std::size_t at = 0; at < bytes.size(); at += step) hasher.update(std::string_view(bytes).substr(at, step));
      EXPECT_EQ(hasher.finish(), sum(kind, bytes)) << int(kind) << " in steps of " << step;
    }
  }
}

TEST(Checksum, AMovedHasherContinues) {
  Hasher first(Checksum::Crc32);
  first.update("1234");
  Hasher second = std::move(first);
  second.update("56789");
  EXPECT_EQ(to_hex(second.finish()), "cbf43926");
}

// Bit by bit, as the definition says.
std::uint64_t by_bits(std::uint64_t polynomial, std::uint64_t state, std::string_view bytes) {
  for (char c : bytes) {
    state ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) state = (state >> 1) ^ (state & 1 ? polynomial : 0);
  }
  return state;
}

TEST(Crc, TablesAndFoldingMatchTheDefinition) {
  struct Case {
    const Crc& crc;
    std::uint64_t polynomial, start;
  };
  const std::string bytes = random_bytes(700);
  for (const Case& one : {Case{kCrc32, 0xedb88320, 0xffffffff}, Case{kCrc32c, 0x82f63b78, 0x12345678},
                          Case{kCrc64Nvme, 0x9a6c9329ac4bc9b5, ~std::uint64_t(0)}}) {
    for (std::size_t from = 0; from < 17; ++from) {
      for (std::size_t size = 0; from + size <= bytes.size(); ++size) {
        const std::string_view part = std::string_view(bytes).substr(from, size);
        const std::uint64_t expected = by_bits(one.polynomial, one.start, part);
        ASSERT_EQ(one.crc.update_by_table(one.start, part), expected) << size << " bytes from " << from;
        ASSERT_EQ(one.crc.update(one.start, part), expected) << size << " bytes from " << from;
      }
    }
  }
}

TEST(Crc, TwoCrcsCombineToTheCrcOfTheConcatenation) {
  const std::string bytes = random_bytes(100'000);
  for (Checksum kind : kCrcs) {
    for (std::size_t cut : {0u, 1u, 5u, 4096u, 99'999u, 100'000u}) {
      const std::string_view first = std::string_view(bytes).substr(0, cut),
                             second = std::string_view(bytes).substr(cut);
      EXPECT_EQ(combine_crc(kind, sum(kind, first), sum(kind, second), second.size()), sum(kind, bytes)) << cut;
    }
  }
}

TEST(Crc, PartsOfTerabytesCombineInAnyGrouping) {
  const std::uint64_t size = std::uint64_t(5) << 40;
  for (Checksum kind : kCrcs) {
    const std::string a = sum(kind, "a"), b = sum(kind, "b"), c = sum(kind, "c");
    EXPECT_EQ(combine_crc(kind, combine_crc(kind, a, b, size), c, size),
              combine_crc(kind, a, combine_crc(kind, b, c, size), 2 * size));
  }
}

}  // namespace
}  // namespace base
