// SPDX-License-Identifier: Apache-2.0
// What accounts use, and their quotas: an operation of our own.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shapes::stoker {

struct Account {
  std::string account;
  std::int64_t bytes = 0, queues = 0, objects = 0;
  std::optional<std::int64_t> maxBytes = {}, maxQueues = {}, maxObjects = {};  // absent: unlimited
};
BOOST_DESCRIBE_STRUCT(Account, (), (account, bytes, queues, objects, maxBytes, maxQueues, maxObjects))

struct ListAccountsRequest {
  std::optional<std::string> nextToken = {};
};
BOOST_DESCRIBE_STRUCT(ListAccountsRequest, (), (nextToken))
struct ListAccountsResponse {
  std::vector<Account> accounts;
  std::optional<std::string> nextToken = {};
};
BOOST_DESCRIBE_STRUCT(ListAccountsResponse, (), (accounts, nextToken))

}  // namespace shapes::stoker
