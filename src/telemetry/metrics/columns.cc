// SPDX-License-Identifier: Apache-2.0
#include "telemetry/metrics/columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "telemetry/metrics/bits.h"

namespace telemetry {
namespace {

enum TimeMode : std::uint64_t { kRegular, kIrregular };
enum ValueMode : std::uint64_t { kConstant, kXor, kDecimals };  // kDecimals + number of decimals

// Changes of the interval by size: a prefix, and the bits of the zigzag number.
struct TimeClass {
  std::uint64_t prefix;
  int prefix_bits, bits;
};
constexpr TimeClass kTimeClasses[] = {{0b0, 1, 0}, {0b10, 2, 7}, {0b110, 3, 12}, {0b1110, 4, 20}, {0b1111, 4, 64}};

const TimeClass& time_class(std::uint64_t zigzag) {
  for (const TimeClass& one : kTimeClasses) {
    if (one.bits == 64 || zigzag < std::uint64_t{1} << one.bits) return one;
  }
  return kTimeClasses[4];
}

void append_bits(const std::string& bits, std::string& out) {
  append_varint(bits.size(), out);
  out += bits;
}

constexpr int kMaxDecimals = 6;
constexpr std::array<double, kMaxDecimals + 1> kPowers = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
// Integers up to here are exact in a double, and so are their differences in 64 bits.
constexpr double kMaxInteger = 1e15;

std::optional<std::vector<std::int64_t>> to_integers(const std::vector<double>& values, int decimals) {
  std::vector<std::int64_t> integers;
  integers.reserve(values.size());
  const double power = kPowers[static_cast<std::size_t>(decimals)];
  for (double value : values) {
    const double scaled = std::round(value * power);
    if (!(std::abs(scaled) < kMaxInteger) || scaled / power != value || (value == 0 && std::signbit(value))) {
      return std::nullopt;
    }
    integers.push_back(static_cast<std::int64_t>(scaled));
  }
  return integers;
}

// The fewest decimals with which all values are exact.
std::optional<std::pair<int, std::vector<std::int64_t>>> find_decimals(const std::vector<double>& values) {
  for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
    // Most columns fail or pass with their first values.
    const std::vector<double> first(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(values.size(), 8)));
    if (!to_integers(first, decimals)) continue;
    if (auto integers = to_integers(values, decimals)) return std::pair(decimals, std::move(*integers));
  }
  return std::nullopt;
}

// Groups of numbers share a width: either as differences to the one before, or to the smallest of the group.
constexpr std::size_t kGroup = 32;
constexpr int kWidthBits = 6;  // a width is at most 63: integers are below 1e15

void put_group(const std::int64_t* group, std::size_t size, std::int64_t before, BitWriter& bits) {
  const std::int64_t least = *std::min_element(group, group + size);
  std::uint64_t differences = 0, offsets = 0;
  std::int64_t last = before;
  for (std::size_t i = 0; i < size; ++i) {
    differences |= to_zigzag(group[i] - last);
    offsets |= static_cast<std::uint64_t>(group[i] - least);
    last = group[i];
  }
  const int difference_bits = std::bit_width(differences), offset_bits = std::bit_width(offsets);
  const int base_bits = std::bit_width(to_zigzag(least - before));
  const bool use_offsets = kWidthBits + base_bits + offset_bits * static_cast<int>(size) <
                           difference_bits * static_cast<int>(size);
  bits.put(use_offsets, 1);
  bits.put(static_cast<std::uint64_t>(use_offsets ? offset_bits : difference_bits), kWidthBits);
  if (use_offsets) {
    bits.put(static_cast<std::uint64_t>(base_bits), kWidthBits);
    bits.put(to_zigzag(least - before), base_bits);
  }
  last = before;
  for (std::size_t i = 0; i < size; ++i) {
    if (use_offsets) {
      bits.put(static_cast<std::uint64_t>(group[i] - least), offset_bits);
    } else {
      bits.put(to_zigzag(group[i] - last), difference_bits);
    }
    last = group[i];
  }
}

std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

void get_group(std::size_t size, std::int64_t& last, BitReader& bits, std::vector<std::int64_t>& out) {
  const bool use_offsets = bits.get(1) == 1;
  const int width = static_cast<int>(bits.get(kWidthBits));
  std::int64_t least = 0;
  if (use_offsets) {
    const int base_bits = static_cast<int>(bits.get(kWidthBits));
    least = wrapping_add(last, from_zigzag(bits.get(base_bits)));
  }
  for (std::size_t i = 0; i < size; ++i) {
    const std::uint64_t number = bits.get(width);
    last = use_offsets ? wrapping_add(least, static_cast<std::int64_t>(number)) : wrapping_add(last, from_zigzag(number));
    out.push_back(last);
  }
}

std::string pack_integers(const std::vector<std::int64_t>& integers) {
  std::string packed;
  BitWriter bits(packed);
  std::int64_t before = 0;
  for (std::size_t i = 0; i < integers.size(); i += kGroup) {
    const std::size_t size = std::min(kGroup, integers.size() - i);
    put_group(&integers[i], size, before, bits);
    before = integers[i + size - 1];
  }
  bits.finish();
  return packed;
}

// Gorilla's: equal to the one before; or the bits that differ, in the window of the one before or in a new one.
std::string pack_doubles(const std::vector<double>& values) {
  std::string packed;
  BitWriter bits(packed);
  std::uint64_t before = 0;
  int leading = 65, trailing = 0;
  for (double value : values) {
    const auto now = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t differs = now ^ before;
    before = now;
    if (differs == 0) {
      bits.put(0, 1);
      continue;
    }
    const int zeros_left = std::countl_zero(differs), zeros_right = std::countr_zero(differs);
    if (leading <= zeros_left && trailing <= zeros_right && 64 - leading - trailing <= 64 - zeros_left - zeros_right + 12) {
      bits.put(0b10, 2);
    } else {
      leading = zeros_left;
      trailing = zeros_right;
      bits.put(0b11, 2);
      bits.put(static_cast<std::uint64_t>(leading), 6);
      bits.put(static_cast<std::uint64_t>(63 - leading - trailing), 6);
    }
    bits.put(differs >> trailing, 64 - leading - trailing);
  }
  bits.finish();
  return packed;
}

std::vector<double> unpack_doubles(std::string_view packed, std::size_t count, bool& ok) {
  BitReader bits(packed);
  std::vector<double> values;
  values.reserve(count);
  std::uint64_t now = 0;
  int leading = 0, size = 64;
  for (std::size_t i = 0; i < count && bits.ok(); ++i) {
    if (bits.get(1) == 1) {
      if (bits.get(1) == 1) {
        leading = static_cast<int>(bits.get(6));
        size = static_cast<int>(bits.get(6)) + 1;
        if (leading + size > 64) {
          ok = false;
          return values;
        }
      }
      now ^= bits.get(size) << (64 - leading - size);
    }
    values.push_back(std::bit_cast<double>(now));
  }
  ok = bits.ok();
  return values;
}

std::vector<double> unpack_integers(std::string_view packed, std::size_t count, int decimals, bool& ok) {
  BitReader bits(packed);
  std::vector<std::int64_t> integers;
  integers.reserve(count);
  std::int64_t last = 0;
  for (std::size_t i = 0; i < count && bits.ok(); i += kGroup) get_group(std::min(kGroup, count - i), last, bits, integers);
  ok = bits.ok();
  std::vector<double> values;
  values.reserve(count);
  const double power = kPowers[static_cast<std::size_t>(decimals)];
  for (std::int64_t integer : integers) values.push_back(static_cast<double>(integer) / power);
  return values;
}

}  // namespace

void append_times(const std::vector<std::int64_t>& times, std::string& out) {
  if (times.empty()) return;
  const std::int64_t interval = times.size() > 1 ? wrapping_subtract(times[1], times[0]) : 0;
  bool regular = true;
  for (std::size_t i = 2; i < times.size() && regular; ++i) regular = wrapping_subtract(times[i], times[i - 1]) == interval;
  append_varint(regular ? kRegular : kIrregular, out);
  append_signed(times[0], out);
  append_signed(interval, out);
  if (regular) return;
  std::string packed;
  BitWriter bits(packed);
  std::int64_t last = interval;
  for (std::size_t i = 2; i < times.size(); ++i) {
    const std::int64_t now = wrapping_subtract(times[i], times[i - 1]);
    const std::uint64_t changed = to_zigzag(wrapping_subtract(now, last));
    const TimeClass& one = time_class(changed);
    bits.put(one.prefix, one.prefix_bits);
    bits.put(changed, one.bits);
    last = now;
  }
  bits.finish();
  append_bits(packed, out);
}

std::vector<std::int64_t> read_times(ByteReader& in, std::size_t count) {
  std::vector<std::int64_t> times;
  if (count == 0) return times;
  times.reserve(count);
  const std::uint64_t mode = in.varint();
  std::int64_t time = in.signed_varint(), interval = in.signed_varint();
  if (mode > kIrregular) in.take(static_cast<std::uint64_t>(-1));
  BitReader bits(mode == kIrregular ? in.take(in.varint()) : std::string_view());
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    if (mode == kIrregular && i > 1) {
      std::size_t kind = 0;
      while (kind < 4 && bits.get(1) == 1) ++kind;
      interval = wrapping_add(interval, from_zigzag(bits.get(kTimeClasses[kind].bits)));
    }
    if (i > 0) time = wrapping_add(time, interval);
    times.push_back(time);
  }
  if (!bits.ok()) in.take(static_cast<std::uint64_t>(-1));
  return times;
}

void append_values(const std::vector<double>& values, std::string& out) {
  if (values.empty()) return;
  const auto same = [&](double value) { return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(values[0]); };
  if (std::all_of(values.begin(), values.end(), same)) {
    append_varint(kConstant, out);
    append_double(values[0], out);
    return;
  }
  const auto decimals = find_decimals(values);
  const std::string integers = decimals ? pack_integers(decimals->second) : "";
  const std::string doubles = pack_doubles(values);
  if (decimals && integers.size() <= doubles.size()) {
    append_varint(kDecimals + static_cast<std::uint64_t>(decimals->first), out);
    append_bits(integers, out);
  } else {
    append_varint(kXor, out);
    append_bits(doubles, out);
  }
}

std::vector<double> read_values(ByteReader& in, std::size_t count) {
  if (count == 0) return {};
  const std::uint64_t mode = in.varint();
  if (mode == kConstant) return std::vector<double>(count, in.real());
  const std::string_view packed = in.take(in.varint());
  bool ok = in.ok() && mode <= kDecimals + static_cast<std::uint64_t>(kMaxDecimals);
  std::vector<double> values;
  if (ok && mode == kXor) values = unpack_doubles(packed, count, ok);
  if (ok && mode >= kDecimals) values = unpack_integers(packed, count, static_cast<int>(mode - kDecimals), ok);
  if (!ok) in.take(static_cast<std::uint64_t>(-1));
  return values;
}

}  // namespace telemetry
