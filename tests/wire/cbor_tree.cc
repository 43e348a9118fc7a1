// SPDX-License-Identifier: Apache-2.0
#include "cbor_tree.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>

namespace {

struct Tree {
  const std::string& in;
  std::size_t at = 0;

  std::uint8_t byte() { return static_cast<std::uint8_t>(in.at(at++)); }
  std::uint64_t big_endian(int count) {
    std::uint64_t value = 0;
    while (count-- > 0) value = value * 256 + byte();
    return value;
  }
  bool ends() { return static_cast<std::uint8_t>(in.at(at)) == 0xFF && ++at; }

  static std::string number(double value) { return std::isnan(value) ? "NaN" : std::to_string(value); }

  std::string real(int info, std::uint64_t bits) {
    if (info == 27) {
      double value;
      std::memcpy(&value, &bits, 8);
      return number(value);
    }
    if (info == 26) {
      float value;
      auto low = static_cast<std::uint32_t>(bits);
      std::memcpy(&value, &low, 4);
      return number(value);
    }
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                   : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                  : std::ldexp(mantissa, -24);
    return number(bits & 0x8000 ? -value : value);
  }

  std::string item() {
    int first = byte(), major = first >> 5, info = first & 31;
    bool open = info == 31;
    std::uint64_t count = info < 24 ? info : open ? 0 : big_endian(1 << (info - 24));
    std::string out;
    switch (major) {
      case 0: return number(static_cast<double>(count));
      case 1: return number(-1 - static_cast<double>(count));
      case 2:
      case 3:
        if (open) {
          while (!ends()) out += item();
          return out;
        }
        at += count;
        return in.substr(at - count, count);
      case 4:
        for (std::uint64_t i = 0; open ? !ends() : i < count; ++i) {
          std::string held = item();
          out += held + " ";
        }
        return "[" + out + "]";
      case 5: {
        std::map<std::string, std::string> members;
        for (std::uint64_t i = 0; open ? !ends() : i < count; ++i) {
          std::string key = item();
          std::string held = item();
          if (held != "null") members[key] = held;
        }
        for (const auto& [key, held] : members) out += key + ":" + held + " ";
        return "{" + out + "}";
      }
      case 6: return "@" + std::to_string(count) + " " + item();
      default: break;
    }
    if (info >= 25 && info <= 27) return real(info, count);
    return info == 20 ? "false" : info == 21 ? "true" : "null";
  }
};

}  // namespace

std::string cbor_tree(const std::string& bytes) {
  Tree tree{bytes};
  std::string text = tree.item();
  if (tree.at != bytes.size()) throw std::runtime_error("bytes after the end");
  return text;
}
