// SPDX-License-Identifier: Apache-2.0
#include "cli/profile.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace cli {
namespace {

std::string value_of(const std::string& line, const std::string& name) {
  const std::string prefix = name + " = ";
  return line.starts_with(prefix) ? line.substr(prefix.size()) : std::string();
}

}  // namespace

client::Profile read_profile(const Options& options) {
  if (!options.remote) return read_profile(options.data, options.region);
  client::Profile profile = *options.remote;
  profile.region = options.region;
  return profile;
}

client::Profile read_profile(const std::string& data, const std::string& region) {
  client::Profile profile{.region = region};
  std::ifstream credentials(data + "/credentials");
  if (!credentials) {
    throw std::runtime_error("no Stoker data in " + data +
                             ", or its credentials cannot be read: start a server with `stoker up --data " + data +
                             "`, or name one elsewhere with --endpoint or `stoker context add`");
  }
  for (std::string line; std::getline(credentials, line);) {
    if (auto id = value_of(line, "aws_access_key_id"); !id.empty()) profile.credentials.access_key = id;
    if (auto secret = value_of(line, "aws_secret_access_key"); !secret.empty()) profile.credentials.secret_key = secret;
  }
  if (std::filesystem::is_socket(data + "/socket")) profile.socket = data + "/socket";
  std::ifstream endpoint(data + "/endpoint");
  if (!std::getline(endpoint, profile.endpoint)) profile.endpoint = "http://127.0.0.1:4566";
  return profile;
}

}  // namespace cli
