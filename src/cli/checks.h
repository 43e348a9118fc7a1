// SPDX-License-Identifier: Apache-2.0
// CLI11 validators: they return an error, or "".
#pragma once

#include <string>

#include "base/byte_size.h"
#include "base/duration.h"
#include "client/request.h"

namespace cli {

inline std::string check_account(const std::string& account) {
  const bool valid = account.size() == 12 && account.find_first_not_of("0123456789") == account.npos;
  return valid ? "" : "an account must have 12 digits";
}

inline std::string check_duration(const std::string& text) {
  return base::parse_duration(text) ? "" : "invalid duration '" + text + "': use 90s, 65m, 2h or 1d";
}

inline std::string check_size(const std::string& text) {
  return base::parse_size(text) ? "" : "invalid size '" + text + "': use 64M, 10G or a number of bytes";
}

inline std::string check_store(const std::string& url) {
  if (url.starts_with("postgresql://") || url.starts_with("postgres://")) return "";
  return "unsupported store: the URL must begin with postgresql://";
}

inline std::string check_endpoint(const std::string& url) {
  const auto endpoint = client::parse_endpoint(url);
  return endpoint ? "" : endpoint.error();
}

}  // namespace cli
