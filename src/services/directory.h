// SPDX-License-Identifier: Apache-2.0
// All operations of all services, for calls from one service to another.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "services/operation.h"

namespace services {

class Directory {
 public:
  // Only before the server listens. Rows neither change nor move afterwards.
  void add(std::string_view service, const std::vector<Operation>& operations);

  // nullptr for an unknown operation.
  const Operation* find(std::string_view service, std::string_view operation) const;

 private:
  std::unordered_map<std::string, Operation> operations_;  // by "sqs.SendMessage"
};

}  // namespace services
