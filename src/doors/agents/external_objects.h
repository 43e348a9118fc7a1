// SPDX-License-Identifier: Apache-2.0
// An S3 that tasks use in place of the server's own: Amazon's, Ceph's, any. Every machine must reach it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/time.h"

namespace doors::agents {

struct ExternalObjects {
  std::string endpoint;  // "https://ceph:7480"
  std::string region = "us-east-1";
  std::string access_key_id, secret_access_key;  // never leave the server: agents get presigned URLs
  // The buckets that tasks of an account may read environment files from, "*" for all.
  std::map<std::string, std::set<std::string>> allowed = {};

  // Not for keys with "." or ".." among their parts: a server that resolves these would read elsewhere, with our signature.
  bool allows(const std::string& account, const std::string& bucket, const std::string& key) const;
  // The presigned URL of an object.
  std::string url_of(const std::string& bucket, const std::string& key, base::Time now) const;
};

}  // namespace doors::agents
