// SPDX-License-Identifier: Apache-2.0
#include "lines.h"

#include <array>
#include <cstdio>

namespace bench {
namespace {

// SplitMix64.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

// Bits of the line's random number, one after another.
class Dice {
 public:
  explicit Dice(std::uint64_t number) : bits_(mix(number)), more_(mix(bits_)) {}

  unsigned roll(unsigned below) {
    const unsigned value = static_cast<unsigned>((bits_ & 0xffffffff) * below >> 32);
    bits_ = bits_ >> 8 | more_ << 56;
    more_ = mix(more_);
    return value;
  }
  // Small values are common, as with users, items and durations.
  unsigned skewed(unsigned below) { return roll(roll(below) + 1); }

 private:
  std::uint64_t bits_, more_;
};

int print_access(char* out, std::size_t size, Dice& dice) {
  constexpr std::array kPaths = {"/api/v1/items", "/api/v1/users", "/api/v1/orders", "/login", "/assets/app.js"};
  constexpr std::array kStates = {"200", "200", "200", "200", "200", "200", "304", "404", "500"};
  return std::snprintf(out, size, "web-%u [access] GET %s/%u HTTP/1.1 status=%s duration_ms=%u bytes=%u request_id=%08x",
                       dice.roll(8), kPaths[dice.roll(kPaths.size())], dice.skewed(20000), kStates[dice.roll(kStates.size())],
                       dice.skewed(400), dice.skewed(20000), dice.roll(0xffffffff));
}

int print_other(char* out, std::size_t size, Dice& dice) {
  switch (dice.roll(6)) {
    case 0:
    case 1:
      return std::snprintf(out, size, "worker-%u [scheduler] task %u finished step %u of 40 in %u ms, queue depth %u",
                           dice.roll(4), dice.skewed(20000), dice.roll(40) + 1, dice.skewed(2000), dice.skewed(50));
    case 2:
      return std::snprintf(out, size, "web-%u [cache] hit for key session:%u, ttl 300 s, backend redis-0.internal:6379",
                           dice.roll(8), dice.skewed(5000));
    case 3:
      return std::snprintf(out, size, "web-%u [db] slow query took %u ms: SELECT id, name, price FROM items WHERE "
                           "user_id = $1 ORDER BY created_at DESC LIMIT 50", dice.roll(8), 200 + dice.skewed(800));
    case 4:
      return std::snprintf(out, size, "gpu-%u [inference] batch of %u images on device %u: forward pass %u ms, memory "
                           "%u MiB of 16160 MiB", dice.roll(4), dice.roll(32) + 1, dice.roll(8), dice.skewed(90) + 10,
                           dice.skewed(16000));
    default:
      return std::snprintf(out, size, "web-%u [health] check passed: database ok, cache ok, object store ok, %u "
                           "connections open", dice.roll(8), dice.skewed(300));
  }
}

}  // namespace

void append_line(std::uint64_t number, std::string& out) {
  Dice dice(number);
  const std::uint64_t ms = number / 20;  // 20,000 lines a second
  const unsigned level = dice.roll(20);
  char line[384];
  int size = std::snprintf(line, sizeof line, "2026-11-16T%02u:%02u:%02u.%03uZ %s ", static_cast<unsigned>(ms / 3600000 % 24),
                           static_cast<unsigned>(ms / 60000 % 60), static_cast<unsigned>(ms / 1000 % 60),
                           static_cast<unsigned>(ms % 1000), level == 0 ? "WARN " : level == 1 ? "DEBUG" : "INFO ");
  const auto used = static_cast<std::size_t>(size);
  size += dice.roll(5) < 2 ? print_access(line + used, sizeof line - used, dice)
                           : print_other(line + used, sizeof line - used, dice);
  out.append(line, static_cast<std::size_t>(size));
  if (number % kRareEvery == 77) out += " java.lang.OutOfMemoryError: GPU 7";
}

}  // namespace bench
