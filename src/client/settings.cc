// SPDX-License-Identifier: Apache-2.0
#include "client/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "base/bytes.h"
#include "client/shared_files.h"

namespace client {
namespace {

constexpr char kContainerHost[] = "http://169.254.170.2";  // of AWS_CONTAINER_CREDENTIALS_RELATIVE_URI

// Where distributions have the certificates that they trust. A static program can't rely on the folder that its TLS
// library was configured with.
constexpr const char* kCertificateFiles[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem",
                                             "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"};

std::optional<std::string> find_in(const Section& section, const std::string& name) {
  const auto found = section.find(name);
  return found == section.end() || found->second.empty() ? std::nullopt : std::optional(found->second);
}

std::optional<signing::Credentials> key_in(const Section& section) {
  const auto id = find_in(section, "aws_access_key_id"), secret = find_in(section, "aws_secret_access_key");
  if (!id || !secret) return std::nullopt;
  return signing::Credentials{*id, *secret, find_in(section, "aws_session_token").value_or("")};
}

std::optional<signing::Credentials> key_in(const Environment& environment) {
  const auto id = environment("AWS_ACCESS_KEY_ID"), secret = environment("AWS_SECRET_ACCESS_KEY");
  if (!id || !secret) return std::nullopt;
  return signing::Credentials{*id, *secret, environment("AWS_SESSION_TOKEN").value_or("")};
}

std::optional<ContainerKeys> container_in(const Environment& environment) {
  ContainerKeys keys;
  if (const auto relative = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")) {
    keys.url = kContainerHost + *relative;
  } else if (const auto full = environment("AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
    keys.url = *full;
  } else {
    return std::nullopt;
  }
  keys.authorization = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or("");
  keys.authorization_file = environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").value_or("");
  return keys;
}

std::string certificates(const Environment& environment) {
  if (auto bundle = environment("AWS_CA_BUNDLE")) return *bundle;
  if (environment("SSL_CERT_FILE") || environment("SSL_CERT_DIR")) return "";  // the TLS library reads them
  for (const char* path : kCertificateFiles) {
    if (::access(path, R_OK) == 0) return path;
  }
  return "";
}

std::string to_upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::toupper(c)); });
  return text;
}

struct Files {
  Section credentials, config, services;  // of the profile
};

// Throws std::runtime_error for a profile that does not exist.
Files read_files(const Environment& environment, const std::optional<std::string>& given) {
  const std::string folder = environment("HOME").value_or("") + "/.aws";
  std::optional<std::string> named = given;
  if (!named) named = environment("AWS_PROFILE");
  if (!named) named = environment("AWS_DEFAULT_PROFILE");
  const std::string profile = named.value_or("default");
  const Sections credentials =
      read_shared_file(environment("AWS_SHARED_CREDENTIALS_FILE").value_or(folder + "/credentials"));
  const Sections config = read_shared_file(environment("AWS_CONFIG_FILE").value_or(folder + "/config"));
  Files files;
  const Section* key = find_profile(credentials, profile);
  const Section* settings = find_profile(config, profile);
  if (key) files.credentials = *key;
  if (settings) files.config = *settings;
  if (named && !key && !settings) throw std::runtime_error("The config profile (" + profile + ") could not be found");
  if (const auto services = find_in(files.config, "services")) {
    const auto found = config.find("services " + *services);
    if (found == config.end()) {
      throw std::runtime_error("The profile is configured to use the services section but the \"" + *services +
                               "\" services configuration does not exist.");
    }
    files.services = found->second;
  }
  return files;
}

// Ways of a profile to get a key that this program does not have.
std::string unsupported_in(const Section& config) {
  for (const char* name : {"role_arn", "web_identity_token_file", "sso_session", "sso_start_url", "credential_process"}) {
    if (find_in(config, name)) return name;
  }
  return "";
}

// Amazon's name of a service in host names, if it differs.
std::string host_part(const std::string& service) { return service == "cloudwatch" ? "monitoring" : service; }

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value && *value ? std::optional<std::string>(value) : std::nullopt;
  };
}

std::string Settings::endpoint_for(const std::string& service) const {
  std::optional<std::string> found = endpoint_of_service ? endpoint_of_service(service) : std::nullopt;
  if (!found) found = endpoint;
  if (!found) found = "https://" + host_part(service) + "." + region + ".amazonaws.com";
  while (found->ends_with('/')) found->pop_back();
  return *found;
}

bool Settings::is_amazon(const std::string& service) const {
  const std::string host = host_of(endpoint_for(service));
  return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
}

Profile Settings::profile_for(const std::string& service) const {
  Profile profile;
  profile.endpoint = endpoint_for(service);
  profile.region = region;
  profile.ca_file = ca_file;
  return profile;
}

std::unique_ptr<KeySource> Settings::open_keys(http::IoThreads& io) const {
  if (key) return std::make_unique<KeySource>(*key);
  if (container) return std::make_unique<KeySource>(io, *container);
  if (!unsupported_keys.empty()) {
    throw std::runtime_error("the AWS profile gets its key by " + unsupported_keys + ", which Stoker does not support");
  }
  throw std::runtime_error(
      "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run it as a task with a task role");
}

Settings read_settings(const Environment& environment, const std::optional<std::string>& profile) {
  const Files files = read_files(environment, profile);
  Settings settings;
  std::optional<std::string> region = environment("AWS_REGION");
  if (!region) region = environment("AWS_DEFAULT_REGION");
  if (!region) region = find_in(files.config, "region");
  if (region) settings.region = *region;
  settings.region_is_configured = region.has_value();
  settings.endpoint_of_service = [](const std::string&) { return std::nullopt; };
  const auto ignored = environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
  if (base::to_lower(ignored.value_or(find_in(files.config, "ignore_configured_endpoint_urls").value_or(""))) != "true") {
    settings.endpoint = environment("AWS_ENDPOINT_URL");
    // The environment's address for all services precedes the file's address for one.
    const bool only_environment = settings.endpoint.has_value();
    if (!settings.endpoint) settings.endpoint = find_in(files.config, "endpoint_url");
    settings.endpoint_of_service = [environment, only_environment, services = files.services](const std::string& service) {
      const auto found = environment("AWS_ENDPOINT_URL_" + to_upper(service));
      return found || only_environment ? found : find_in(services, service + ".endpoint_url");
    };
  }
  settings.ca_file = certificates(environment);
  if (!environment("AWS_CA_BUNDLE")) settings.ca_file = find_in(files.config, "ca_bundle").value_or(settings.ca_file);
  if (!profile) settings.key = key_in(environment);
  if (!settings.key) settings.key = key_in(files.credentials);
  if (!settings.key) settings.key = key_in(files.config);
  if (!settings.key) settings.unsupported_keys = unsupported_in(files.config);
  settings.container = container_in(environment);
  return settings;
}

}  // namespace client
