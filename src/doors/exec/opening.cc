// SPDX-License-Identifier: Apache-2.0
#include "doors/exec/opening.h"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

namespace doors::exec {
namespace ip = boost::asio::ip;
namespace {

constexpr std::size_t kNetworkBytes = 8;

}  // namespace

std::string network_of(const std::string& peer) {
  const std::string host = peer.substr(0, peer.rfind(':'));
  if (!host.starts_with('[')) return host;
  boost::system::error_code error;
  const ip::address_v6 address = ip::make_address_v6(host.substr(1, host.size() - 2), error);
  if (error) return host;
  if (address.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, address).to_string();
  const auto bytes = address.to_bytes();
  return std::string(bytes.begin(), bytes.begin() + kNetworkBytes);
}

}  // namespace doors::exec
