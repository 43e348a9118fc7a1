// SPDX-License-Identifier: Apache-2.0
#include "state/task_name.h"

#include <array>
#include <cstring>

#include "base/check.h"
#include "base/random.h"

namespace state {
namespace {

constexpr std::size_t kHalf = 16;

// Odd, so that multiplication by it has an inverse.
constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;

// Newton's method: each round doubles the number of correct bits, starting with three.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int round = 0; round < 5; ++round) x *= 2 - odd * x;
  return x;
}
constexpr std::uint64_t kUnmix = inverse(kMix);
static_assert(kMix * kUnmix == 1);

// Other bits than those of kMix: for the secret.
constexpr std::uint64_t kSpread = 0xbf58476d1ce4e5b9;
constexpr int kMarkBits = 24;
constexpr std::uint64_t kMarkMask = (std::uint64_t{1} << kMarkBits) - 1;

// The upper bits of a secret are random; the lower ones follow from them. They mark names whose first half is mixed with
// the secret, so that the first digits differ between installations. Names of earlier versions have no mark, except
// one in 16 million.
constexpr std::uint64_t mark_of(std::uint64_t secret) { return ((secret >> kMarkBits) * kSpread) >> (64 - kMarkBits); }
constexpr std::uint64_t cover_of(std::uint64_t secret) {
  return (secret & kMarkMask) == mark_of(secret) ? secret * kSpread : 0;
}

void write_hex(std::uint64_t value, char* out) {
  for (std::size_t i = kHalf; i-- > 0; value >>= 4) out[i] = "0123456789abcdef"[value & 15];
}

std::optional<std::uint64_t> read_hex(std::string_view digits) {
  std::uint64_t value = 0;
  for (char digit : digits) {
    if (digit >= '0' && digit <= '9') {
      value = value << 4 | static_cast<std::uint64_t>(digit - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      value = value << 4 | static_cast<std::uint64_t>(digit - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

}  // namespace

TaskName new_task_name(LaunchNumber launch, std::int64_t place) {
  CHECK(place < kNumbersOfALaunch) << "a launch with too many tasks";
  TaskName name{.number = task_numbers(launch).first + place};
  const std::string random = base::random_bytes(sizeof name.secret);
  std::uint64_t secret = 0;
  std::memcpy(&secret, random.data(), sizeof secret);
  secret = (secret & ~kMarkMask) | mark_of(secret);
  name.secret = static_cast<std::int64_t>(secret);
  return name;
}

std::string to_text(const TaskName& name) {
  std::string out(2 * kHalf, '0');
  const auto secret = static_cast<std::uint64_t>(name.secret);
  write_hex(static_cast<std::uint64_t>(name.number) * kMix ^ cover_of(secret), out.data());
  write_hex(secret, out.data() + kHalf);
  return out;
}

std::optional<TaskName> parse_task_name(std::string_view text) {
  if (text.size() != 2 * kHalf) return std::nullopt;
  const auto number = read_hex(text.substr(0, kHalf)), secret = read_hex(text.substr(kHalf));
  if (!number || !secret) return std::nullopt;
  return TaskName{static_cast<std::int64_t>((*number ^ cover_of(*secret)) * kUnmix), static_cast<std::int64_t>(*secret)};
}

}  // namespace state
