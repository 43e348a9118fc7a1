// SPDX-License-Identifier: Apache-2.0
#include "cli/connection.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "cli/contexts.h"

namespace cli {
namespace {

constexpr char kService[] = "ecs";  // whose endpoint is the server's, where services have their own

bool has_credentials(const std::string& data) {
  std::error_code ignored;
  return std::filesystem::exists(data + "/credentials", ignored);
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

bool is_server_of(const std::string& data, const std::string& endpoint) {
  std::ifstream file(data + "/endpoint");
  std::string own;
  return std::getline(file, own) && without_slash(own) == without_slash(endpoint);
}

std::optional<std::string> configured_endpoint(const client::Settings& settings) {
  std::optional<std::string> found = settings.endpoint_of_service(kService);
  if (!found) found = settings.endpoint;
  if (found) found = without_slash(*found);
  return found;
}

signing::Credentials key_of(const client::Settings& settings) {
  if (settings.key) return *settings.key;
  if (!settings.unsupported_keys.empty()) {
    throw std::runtime_error("the AWS profile gets its key by " + settings.unsupported_keys +
                             ", which Stoker does not support");
  }
  throw std::runtime_error(
      "no key for the server: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name an AWS profile with --profile");
}

std::optional<std::string> given_profile(const Options& options) {
  return options.profile.empty() ? std::nullopt : std::optional(options.profile);
}

void use_settings(Options& options, const client::Settings& settings, const std::string& endpoint) {
  client::Profile profile = settings.profile_for(kService);
  profile.endpoint = without_slash(endpoint);
  profile.credentials = key_of(settings);
  if (!options.ca_file.empty()) profile.ca_file = options.ca_file;
  options.remote = std::move(profile);
  if (!options.region_is_given) options.region = settings.region;
}

void use_context(Options& options, const std::string& name, const client::Environment& environment) {
  if (name == kLocalContext) return;  // the server of this machine
  const Contexts contexts = read_contexts(contexts_path(environment));
  const Context* context = contexts.find(name);
  if (!context) throw std::runtime_error("no such context: " + name + " (see `stoker context list`)");
  std::optional<std::string> profile = given_profile(options);
  if (!profile && !context->profile.empty()) profile = context->profile;
  client::Settings settings = client::read_settings(environment, profile);
  if (!profile && !context->access_key.empty()) {
    settings.key = signing::Credentials{context->access_key, context->secret_key, ""};
  }
  if (options.ca_file.empty()) options.ca_file = context->ca_file;
  use_settings(options, settings, context->endpoint);
  if (!options.region_is_given && !context->region.empty()) options.region = context->region;
  if (!options.cluster_is_given && !context->cluster.empty()) options.cluster = context->cluster;
}

void use_profile(Options& options, const client::Environment& environment) {
  const client::Settings settings = client::read_settings(environment, options.profile);
  const auto endpoint = configured_endpoint(settings);
  if (!endpoint) throw std::runtime_error("the AWS profile " + options.profile + " has no endpoint_url: add --endpoint");
  use_settings(options, settings, *endpoint);
}

// 3: only what the environment names.
bool use_environment(Options& options, const client::Environment& environment) {
  const bool named = environment("AWS_ENDPOINT_URL") || environment("AWS_ENDPOINT_URL_ECS") || environment("AWS_PROFILE") ||
                     environment("AWS_DEFAULT_PROFILE");
  if (!named) return false;
  client::Settings settings;
  try {
    settings = client::read_settings(environment);
  } catch (const std::runtime_error&) {
    if (has_credentials(options.data)) return false;  // this machine's server needs no AWS profile
    throw;
  }
  const auto endpoint = configured_endpoint(settings);
  if (!endpoint) return false;
  if (is_server_of(options.data, *endpoint)) return false;
  use_settings(options, settings, *endpoint);
  return true;
}

}  // namespace

Options connected(Options options, const client::Environment& environment) {
  if (!options.endpoint.empty()) {
    use_settings(options, client::read_settings(environment, given_profile(options)), options.endpoint);
    return options;
  }
  if (options.data_is_given) return options;
  if (!options.context.empty()) {
    use_context(options, options.context, environment);
    return options;
  }
  if (!options.profile.empty()) {
    use_profile(options, environment);
    return options;
  }
  if (const auto context = environment("STOKER_CONTEXT")) {
    use_context(options, *context, environment);
    return options;
  }
  if (environment("STOKER_DATA") || use_environment(options, environment)) return options;
  if (const std::string current = read_contexts(contexts_path(environment)).current; !current.empty()) {
    use_context(options, current, environment);
    return options;
  }
  if (has_credentials(options.data)) return options;
  const client::Settings settings = client::read_settings(environment);
  if (const auto endpoint = configured_endpoint(settings)) use_settings(options, settings, *endpoint);
  return options;
}

}  // namespace cli
