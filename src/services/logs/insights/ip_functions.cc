// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>

#include <array>
#include <charconv>

#include "services/logs/insights/functions.h"

namespace services::logs::insights {
namespace {

using Arguments = std::vector<Value>;

struct Address {
  std::array<std::uint8_t, 16> bytes = {};
  std::size_t size = 0;  // 4 or 16
};

std::optional<Address> parse_address(const std::string& text) {
  Address address;
  if (inet_pton(AF_INET, text.c_str(), address.bytes.data()) == 1) {
    address.size = 4;
  } else if (inet_pton(AF_INET6, text.c_str(), address.bytes.data()) == 1) {
    address.size = 16;
  } else {
    return std::nullopt;
  }
  return address;
}

// Whether the address is in "10.0.0.0/8". An address without a length stands for itself.
bool is_in_subnet(const Address& address, const std::string& subnet) {
  const std::size_t slash = subnet.find('/');
  const auto network = parse_address(subnet.substr(0, slash));
  if (!network || network->size != address.size) return false;
  unsigned bits = static_cast<unsigned>(address.size * 8);
  if (slash != std::string::npos) {
    const char* end = subnet.data() + subnet.size();
    unsigned wanted = 0;
    const auto [stopped, error] = std::from_chars(subnet.data() + slash + 1, end, wanted);
    if (error != std::errc() || stopped != end || wanted > bits) return false;
    bits = wanted;
  }
  for (std::size_t i = 0; i < address.size && bits > 0; ++i) {
    const unsigned here = std::min(bits, 8u);
    const auto mask = static_cast<std::uint8_t>(0xFF << (8 - here));
    if ((address.bytes[i] & mask) != (network->bytes[i] & mask)) return false;
    bits -= here;
  }
  return true;
}

template <std::size_t Size>
Value is_valid(const Expression&, const Arguments& arguments) {
  const auto address = parse_address(arguments[0].as_text());
  return Value::of(address && (Size == 0 || address->size == Size));
}

template <std::size_t Size>
Value in_subnet(const Expression&, const Arguments& arguments) {
  const auto address = parse_address(arguments[0].as_text());
  return Value::of(address && (Size == 0 || address->size == Size) && is_in_subnet(*address, arguments[1].as_text()));
}

bool is_private(const Address& address) {
  for (const char* network : {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "127.0.0.0/8", "169.254.0.0/16",
                              "fc00::/7", "fe80::/10", "::1/128"}) {
    if (is_in_subnet(address, network)) return true;
  }
  return false;
}

template <bool Private>
Value is_private_or_public(const Expression&, const Arguments& arguments) {
  const auto address = parse_address(arguments[0].as_text());
  return Value::of(address && is_private(*address) == Private);
}

Value to_number(const Expression&, const Arguments& arguments) {
  const auto address = parse_address(arguments[0].as_text());
  if (!address || address->size != 4) return {};
  double value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value * 256 + address->bytes[i];
  return Value::of(value);
}

}  // namespace

const std::vector<FunctionRow>& ip_functions() {
  static const std::vector<FunctionRow> rows = {
      {"isvalidip", 1, 1, &is_valid<0>},
      {"isvalidipv4", 1, 1, &is_valid<4>},
      {"isvalidipv6", 1, 1, &is_valid<16>},
      {"isipinsubnet", 2, 2, &in_subnet<0>},
      {"isipv4insubnet", 2, 2, &in_subnet<4>},
      {"isipv6insubnet", 2, 2, &in_subnet<16>},
      {"isprivateip", 1, 1, &is_private_or_public<true>},
      {"ispublicip", 1, 1, &is_private_or_public<false>},
      {"ipv4tonumber", 1, 1, &to_number},
  };
  return rows;
}

}  // namespace services::logs::insights
