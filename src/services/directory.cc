// SPDX-License-Identifier: Apache-2.0
#include "services/directory.h"

namespace services {
namespace {

std::string directory_key(std::string_view service, std::string_view operation) {
  return std::string(service) + "." + std::string(operation);
}

}  // namespace

void Directory::add(std::string_view service, const std::vector<Operation>& operations) {
  for (const Operation& row : operations) operations_.emplace(directory_key(service, row.wire.name), row);
}

const Operation* Directory::find(std::string_view service, std::string_view operation) const {
  auto found = operations_.find(directory_key(service, operation));
  return found == operations_.end() ? nullptr : &found->second;
}

}  // namespace services
