// SPDX-License-Identifier: Apache-2.0
// The services of this server, as doors look them up.
#pragma once

#include <string_view>
#include <vector>

#include "http/message.h"
#include "services/operation.h"

namespace api {

class Registry {
 public:
  explicit Registry(std::vector<services::Service> services);
  Registry(const Registry&) = delete;

  const std::vector<services::Service>& services() const { return services_; }

  // By the name in the credential scope; nullptr where there is none of that name.
  const services::Service* find_signed(std::string_view signing_name) const;
  // For a request that was not signed: by its target or its path.
  const services::Service* find_addressed(const http::RequestHead& head) const;

 private:
  std::vector<std::vector<wire::ErrorSpec>> error_tables_;  // a service's own and the common errors
  std::vector<services::Service> services_;
};

}  // namespace api
