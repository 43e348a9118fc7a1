// SPDX-License-Identifier: Apache-2.0
// The settings that AWS clients read from the environment and from the shared files: endpoints, region and key.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/key_source.h"
#include "client/request.h"

namespace client {

// A variable's value; nullopt if it is unset or empty.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

// Of this process.
Environment process_environment();

struct Settings {
  std::string region = "us-east-1";
  bool region_is_configured = false;              // it is not the default
  std::optional<std::string> endpoint;            // of all services
  std::function<std::optional<std::string>(const std::string& service)> endpoint_of_service;  // AWS_ENDPOINT_URL_SQS
  std::string ca_file;                            // "": the system's
  std::optional<signing::Credentials> key;        // from the environment, or else from the shared files
  std::string unsupported_keys;                   // the setting of the profile that would have a key: "role_arn"
  std::optional<ContainerKeys> container;

  // "sqs", "s3", "cloudwatch": the configured address, or else Amazon's in the region.
  std::string endpoint_for(const std::string& service) const;
  // Without a key.
  Profile profile_for(const std::string& service) const;
  // Whether the service is Amazon's own.
  bool is_amazon(const std::string& service) const;
  // Throws std::runtime_error if there is neither a key nor a container's endpoint.
  std::unique_ptr<KeySource> open_keys(http::IoThreads& io) const;
};

// In the AWS CLI's order. `profile` is as its --profile: the environment's key does not count then. Throws
// std::runtime_error for a profile or a services section that does not exist.
Settings read_settings(const Environment& environment, const std::optional<std::string>& profile = std::nullopt);

}  // namespace client
