// SPDX-License-Identifier: Apache-2.0
// CountHeldMessages of SQS: messages in flight that workers have received and not deleted yet.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace shapes::stoker {

struct CountHeldMessages {
  std::vector<std::string> accessKeys;  // with which they were received
};
BOOST_DESCRIBE_STRUCT(CountHeldMessages, (), (accessKeys))

struct HeldMessages {
  std::string queue;  // its name
  std::int64_t count = 0;
};
BOOST_DESCRIBE_STRUCT(HeldMessages, (), (queue, count))

struct CountHeldMessagesResult {
  std::vector<HeldMessages> queues;  // by name
};
BOOST_DESCRIBE_STRUCT(CountHeldMessagesResult, (), (queues))

}  // namespace shapes::stoker
