// SPDX-License-Identifier: Apache-2.0
// Which addresses webhooks may be sent to: a URL comes from outside, and must not reach what only this machine can.
#pragma once

#include <optional>
#include <string_view>

namespace webhooks {

enum class AddressKind {
  Public,
  Private,   // loopback, link-local and private networks: only where the server is configured for it
  Metadata,  // where clouds and ECS hand out credentials: never
  Invalid,   // multicast, broadcast and reserved: never
};

// nullopt for text that is not an IPv4 or IPv6 address. IPv4 addresses within IPv6 ones count as themselves.
std::optional<AddressKind> classify_address(std::string_view text);

bool may_send_to(AddressKind kind, bool private_networks);
// Why not, to follow "is": "in a private network; ...".
std::string_view reason(AddressKind kind);

}  // namespace webhooks
