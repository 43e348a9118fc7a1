// SPDX-License-Identifier: Apache-2.0
// An S3 that tasks use in place of the server's own: Amazon's, Ceph's, any. Every machine must reach it.
#pragma once

#include <string>

namespace doors::agents {

struct ExternalObjects {
  std::string endpoint;  // "https://ceph:7480"
  std::string region = "us-east-1";
  std::string access_key_id, secret_access_key;
};

}  // namespace doors::agents
