// SPDX-License-Identifier: Apache-2.0
// Stoker's own operations on join tokens and keys of machines, and the exchange of a token for a key, which is
// POST /stoker/join without a signature.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "shapes/stoker/key.h"
#include "wire/traits.h"

namespace shapes::stoker {

struct JoinToken {
  std::string id;
  std::optional<std::string> token;  // only where it was just made
  std::string account;
  std::optional<std::string> cluster;  // "REGION/NAME"; absent: any of the account
  base::Time createdAt, expiresAt;
  std::int32_t uses = 1, used = 0;
  std::string status;  // ACTIVE, USED, EXPIRED, REVOKED
};
BOOST_DESCRIBE_STRUCT(JoinToken, (), (id, token, account, cluster, createdAt, expiresAt, uses, used, status))

struct CreateJoinTokenRequest {
  std::optional<std::string> account;  // of another account than the caller's: for the root key only
  std::optional<std::string> cluster;  // a name
  std::optional<std::int32_t> ttlSeconds;
  std::optional<std::int32_t> uses;
};
BOOST_DESCRIBE_STRUCT(CreateJoinTokenRequest, (), (account, cluster, ttlSeconds, uses))
struct CreateJoinTokenResponse {
  JoinToken joinToken;
};
BOOST_DESCRIBE_STRUCT(CreateJoinTokenResponse, (), (joinToken))

struct ListJoinTokensRequest {
  std::optional<std::string> account;
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(ListJoinTokensRequest, (), (account, nextToken))
struct ListJoinTokensResponse {
  std::vector<JoinToken> joinTokens;
  std::optional<std::string> nextToken;
};
BOOST_DESCRIBE_STRUCT(ListJoinTokensResponse, (), (joinTokens, nextToken))

struct RevokeJoinTokenRequest {
  std::string id;
};
BOOST_DESCRIBE_STRUCT(RevokeJoinTokenRequest, (), (id))

struct CreateMachineKeyRequest {
  std::optional<std::string> account;
  std::optional<std::string> cluster;
};
BOOST_DESCRIBE_STRUCT(CreateMachineKeyRequest, (), (account, cluster))
struct CreateMachineKeyResponse {
  Key key;
};
BOOST_DESCRIBE_STRUCT(CreateMachineKeyResponse, (), (key))

// The body of POST /stoker/join.
struct JoinRequest {
  std::string token;
  std::string machine;  // a secret that the machine chose: a repeated request gets the same key
};
BOOST_DESCRIBE_STRUCT(JoinRequest, (), (token, machine))
struct JoinResponse {
  std::string accessKeyId, secretAccessKey;
};
BOOST_DESCRIBE_STRUCT(JoinResponse, (), (accessKeyId, secretAccessKey))

}  // namespace shapes::stoker

template <>
inline constexpr auto wire::kTraits<shapes::stoker::RevokeJoinTokenRequest> = wire::traits({
    {.member = "id", .required = true},
});
