// SPDX-License-Identifier: Apache-2.0
#include "api/registry.h"

#include <algorithm>

#include "api/errors.h"
#include "api/identify.h"

namespace api {

Registry::Registry(std::vector<services::Service> services) : services_(std::move(services)) {
  for (services::Service& service : services_) {
    auto& table = error_tables_.emplace_back(service.wire.errors.begin(), service.wire.errors.end());
    for (const wire::ErrorSpec& spec : common_errors()) {
      if (!service.wire.find_error(spec.name)) table.push_back(spec);
    }
  }
  for (std::size_t i = 0; i < services_.size(); ++i) services_[i].wire.errors = error_tables_[i];
}

const services::Service* Registry::find_signed(std::string_view signing_name) const {
  auto found = std::find_if(services_.begin(), services_.end(),
                            [&](const services::Service& service) { return service.signing_name == signing_name; });
  return found == services_.end() ? nullptr : &*found;
}

const services::Service* Registry::find_addressed(const http::RequestHead& head) const {
  const std::string_view prefix = addressed_service(head);
  if (prefix.empty()) return nullptr;
  auto found = std::find_if(services_.begin(), services_.end(),
                            [&](const services::Service& service) { return service.wire.target_prefix == prefix; });
  return found == services_.end() ? nullptr : &*found;
}

}  // namespace api
