// SPDX-License-Identifier: Apache-2.0
#include "base/crc.h"

#include <bit>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace base {
namespace {

std::uint64_t load(const char* bytes) {
  std::uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap64(value);
  return value;
}

#ifdef __x86_64__
#define STOKER_WITH_PCLMUL __attribute__((target("pclmul,sse4.1")))

// For shorter input the tables are as fast.
constexpr std::size_t kLeastToFold = 128;

bool can_fold() {
  static const bool can = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return can;
}

STOKER_WITH_PCLMUL __m128i load_block(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// A block's lower half holds its higher powers. A product of two reflected halves is one power
// short in 128 bits, so the constants are too.
STOKER_WITH_PCLMUL __m128i fold(__m128i block, __m128i constants, __m128i next) {
  __m128i first = _mm_clmulepi64_si128(block, constants, 0x00);
  __m128i second = _mm_clmulepi64_si128(block, constants, 0x11);
  return _mm_xor_si128(_mm_xor_si128(first, second), next);
}
#endif

}  // namespace

std::uint64_t Crc::update(std::uint64_t state, std::string_view bytes) const {
#ifdef __x86_64__
  if (bytes.size() >= kLeastToFold && can_fold()) return update_by_folding(state, bytes);
#endif
  return update_by_table(state, bytes);
}

std::uint64_t Crc::update_by_table(std::uint64_t state, std::string_view bytes) const {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t mixed = state ^ load(at);
    state = 0;
    for (std::size_t i = 0; i < 8; ++i) state ^= tables_[7 - i][(mixed >> (8 * i)) & 0xff];
  }
  for (; left > 0; ++at, --left) {
    state = (state >> 8) ^ tables_[0][(state ^ static_cast<unsigned char>(*at)) & 0xff];
  }
  return state;
}

#ifdef __x86_64__
// Folds four blocks at a time into the next four. The result is 128 bits with the same
// remainder, which the tables reduce.
STOKER_WITH_PCLMUL std::uint64_t Crc::update_by_folding(std::uint64_t state, std::string_view bytes) const {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  __m128i a = _mm_xor_si128(load_block(at), _mm_cvtsi64_si128(static_cast<long long>(state)));
  __m128i b = load_block(at + 16), c = load_block(at + 32), d = load_block(at + 48);
  __m128i constants = load_block(reinterpret_cast<const char*>(&by_four_blocks_));
  for (at += 64, left -= 64; left >= 64; at += 64, left -= 64) {
    a = fold(a, constants, load_block(at));
    b = fold(b, constants, load_block(at + 16));
    c = fold(c, constants, load_block(at + 32));
    d = fold(d, constants, load_block(at + 48));
  }
  constants = load_block(reinterpret_cast<const char*>(&by_block_));
  a = fold(fold(fold(a, constants, b), constants, c), constants, d);
  for (; left >= 16; at += 16, left -= 16) a = fold(a, constants, load_block(at));
  char rest[16];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(rest), a);
  state = update_by_table(0, std::string_view(rest, sizeof rest));
  return update_by_table(state, std::string_view(at, left));
}
#endif

// Multiplies polynomials modulo ours; bit 63 is the power 0.
std::uint64_t Crc::multiply(std::uint64_t a, std::uint64_t b) const {
  std::uint64_t product = 0;
  for (; a != 0; a <<= 1) {
    if (a >> 63) product ^= b;
    b = times_x(b);
  }
  return product;
}

std::uint64_t Crc::combine(std::uint64_t first, std::uint64_t second, std::uint64_t second_size) const {
  std::uint64_t power = power_of_x(8);
  for (; second_size != 0; second_size >>= 1) {
    if (second_size & 1) first = multiply(power, first);
    power = multiply(power, power);
  }
  return first ^ second;
}

}  // namespace base
