// SPDX-License-Identifier: Apache-2.0
// User data of EC2 instances, an operator's file of instance types, and public keys that a client imports.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "model/instance_types.h"
#include "services/ec2/filters.h"
#include "services/ec2/key_material.h"
#include "services/ec2/user_data.h"

using namespace services::ec2;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto settings = read_user_data(text);
  CHECK(!settings.cluster.empty()) << "an agent without a cluster";
  for (const char* start : {"#!/bin/bash\n", "#cloud-config\n", "Content-Type: multipart/mixed; boundary=b\n\n--b\n"}) {
    read_user_data(start + text);
  }
  parse_public_key("ssh-rsa " + text);
  parse_public_key(text);
  if (const auto types = model::parse_instance_types(text, {})) {
    for (const auto& [name, type] : *types) CHECK(type.vcpus > 0 && type.memory_mib > 0) << name;
  }
  CHECK(matches_wildcards("*", text)) << "a lone wildcard matches everything";
  matches_wildcards(text, text);
  return 0;
}
