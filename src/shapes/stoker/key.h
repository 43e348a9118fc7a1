// SPDX-License-Identifier: Apache-2.0
// Stoker's own operations, on access keys. Spoken by the `stoker` command only.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/traits.h"

namespace shapes::stoker {

struct Key {
  std::string id;
  std::optional<std::string> secret;  // only where a key was just made
  std::string account;
  base::Time createdAt;
  bool root = false;
  // Of a machine's key: the name of the machine, "" before it has registered. Other keys do not have it.
  std::optional<std::string> machine = {};
};
BOOST_DESCRIBE_STRUCT(Key, (), (id, secret, account, createdAt, root, machine))

struct CreateKeyRequest {
  std::optional<std::string> account;
};
BOOST_DESCRIBE_STRUCT(CreateKeyRequest, (), (account))
struct CreateKeyResponse {
  Key key;
};
BOOST_DESCRIBE_STRUCT(CreateKeyResponse, (), (key))

struct KeyPair {
  std::string id;
  std::string secret;
  std::optional<std::string> account;  // of this key; absent: the request's
};
BOOST_DESCRIBE_STRUCT(KeyPair, (), (id, secret, account))

struct ImportKeysRequest {
  std::optional<std::string> account;
  std::vector<KeyPair> keys;
};
BOOST_DESCRIBE_STRUCT(ImportKeysRequest, (), (account, keys))
struct ImportKeysResponse {
  std::vector<Key> keys;
};
BOOST_DESCRIBE_STRUCT(ImportKeysResponse, (), (keys))

struct ListKeysRequest {};
BOOST_DESCRIBE_STRUCT(ListKeysRequest, (), ())
struct ListKeysResponse {
  std::vector<Key> keys;
};
BOOST_DESCRIBE_STRUCT(ListKeysResponse, (), (keys))

struct DeleteKeyRequest {
  std::string id;
};
BOOST_DESCRIBE_STRUCT(DeleteKeyRequest, (), (id))

}  // namespace shapes::stoker

template <>
inline constexpr auto wire::kTraits<shapes::stoker::KeyPair> = wire::traits({
    {.member = "id", .required = true},
    {.member = "secret", .required = true, .secret = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::ImportKeysRequest> = wire::traits({
    {.member = "keys", .required = true},
});
template <>
inline constexpr auto wire::kTraits<shapes::stoker::DeleteKeyRequest> = wire::traits({
    {.member = "id", .required = true},
});
