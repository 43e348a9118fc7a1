// SPDX-License-Identifier: Apache-2.0
#include "webhooks/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace webhooks {
namespace {

using Bytes16 = std::array<std::uint8_t, 16>;

struct Network {
  std::uint32_t address;
  int bits;
  AddressKind kind;
};

constexpr std::uint32_t ipv4(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// The first that contains the address decides.
constexpr Network kNetworks[] = {
    {ipv4(169, 254, 169, 254), 32, AddressKind::Metadata},  // EC2's, Google's, Azure's
    {ipv4(169, 254, 170, 0), 24, AddressKind::Metadata},    // ECS's and EKS's credentials
    {ipv4(100, 100, 100, 200), 32, AddressKind::Metadata},  // Alibaba's
    {ipv4(0, 0, 0, 0), 8, AddressKind::Private},            // Linux connects 0.0.0.0 to itself
    {ipv4(10, 0, 0, 0), 8, AddressKind::Private},
    {ipv4(100, 64, 0, 0), 10, AddressKind::Private},
    {ipv4(127, 0, 0, 0), 8, AddressKind::Private},
    {ipv4(169, 254, 0, 0), 16, AddressKind::Private},
    {ipv4(172, 16, 0, 0), 12, AddressKind::Private},
    {ipv4(192, 0, 0, 0), 24, AddressKind::Private},
    {ipv4(192, 168, 0, 0), 16, AddressKind::Private},
    {ipv4(198, 18, 0, 0), 15, AddressKind::Private},
    {ipv4(224, 0, 0, 0), 3, AddressKind::Invalid},  // multicast, reserved, broadcast
};

AddressKind classify_v4(std::uint32_t address) {
  for (const Network& network : kNetworks) {
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - network.bits);
    if ((address & mask) == (network.address & mask)) return network.kind;
  }
  return AddressKind::Public;
}

std::uint32_t v4_at(const Bytes16& bytes, std::size_t at) {
  return ipv4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
}

bool starts_with(const Bytes16& bytes, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

AddressKind classify_v6(const Bytes16& bytes) {
  if (starts_with(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) return classify_v4(v4_at(bytes, 12));  // mapped
  if (starts_with(bytes, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return classify_v4(v4_at(bytes, 12));  // NAT64
  if (starts_with(bytes, {0x20, 0x02})) return classify_v4(v4_at(bytes, 2));                                    // 6to4
  if (starts_with(bytes, {0xfd, 0x00, 0x0e, 0xc2})) return AddressKind::Metadata;                               // EC2's
  if (starts_with(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) return AddressKind::Private;  // ::, ::1, IPv4-compatible
  if (bytes[0] == 0xff) return AddressKind::Invalid;
  const bool unique_local = (bytes[0] & 0xfe) == 0xfc;
  const bool local = bytes[0] == 0xfe && (bytes[1] & 0x80) != 0;  // link-local and site-local
  return unique_local || local ? AddressKind::Private : AddressKind::Public;
}

}  // namespace

std::optional<AddressKind> classify_address(std::string_view text) {
  const std::string address(text.substr(0, text.find('%')));  // without the zone
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return classify_v4(ntohl(v4.s_addr));
  in6_addr v6{};
  if (inet_pton(AF_INET6, address.c_str(), &v6) != 1) return std::nullopt;
  Bytes16 bytes{};
  std::copy(std::begin(v6.s6_addr), std::end(v6.s6_addr), bytes.begin());
  return classify_v6(bytes);
}

bool may_send_to(AddressKind kind, bool private_networks) {
  return kind == AddressKind::Public || (kind == AddressKind::Private && private_networks);
}

std::string_view reason(AddressKind kind) {
  switch (kind) {
    case AddressKind::Public: return "public";
    case AddressKind::Private: return "in a private network; start the server with --webhook-private-networks to allow it";
    case AddressKind::Metadata: return "a metadata service's, which no webhook may reach";
    case AddressKind::Invalid: return "not the address of one host";
  }
  return "";
}

}  // namespace webhooks
