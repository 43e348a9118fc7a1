// SPDX-License-Identifier: Apache-2.0
#include "client/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/bytes.h"

namespace client {
namespace {

constexpr char kContainerHost[] = "http://169.254.170.2";  // of AWS_CONTAINER_CREDENTIALS_RELATIVE_URI

// Where distributions have the certificates that they trust. A static program can't rely on the folder that its TLS
// library was configured with.
constexpr const char* kCertificateFiles[] = {"/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/cert.pem",
                                             "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem"};

using Section = std::map<std::string, std::string>;

// The section of a shared file. Sections of the config file are named "profile NAME", except the default one.
Section read_section(const std::string& path, const std::string& name) {
  Section section;
  std::ifstream file(path);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    const std::string_view text = base::trim(line);
    if (text.starts_with('[')) {
      std::string_view title = base::trim(text.substr(1, text.find(']') - 1));
      if (title.starts_with("profile ")) title = base::trim(title.substr(8));
      inside = title == name;
    }
    const std::size_t equals = text.find('=');
    if (!inside || equals == text.npos || text.starts_with('#') || text.starts_with(';')) continue;
    section[std::string(base::trim(text.substr(0, equals)))] = base::trim(text.substr(equals + 1));
  }
  return section;
}

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
  throw std::runtime_error(
      "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run it as a task with a task role");
}

Settings read_settings(const Environment& environment) {
  const std::string folder = environment("HOME").value_or("") + "/.aws";
  const std::string profile = environment("AWS_PROFILE").value_or("default");
  const Section credentials =
      read_section(environment("AWS_SHARED_CREDENTIALS_FILE").value_or(folder + "/credentials"), profile);
  const Section config = read_section(environment("AWS_CONFIG_FILE").value_or(folder + "/config"), profile);

  Settings settings;
  std::optional<std::string> region = environment("AWS_REGION");
  if (!region) region = environment("AWS_DEFAULT_REGION");
  if (!region) region = find_in(config, "region");
  if (region) settings.region = *region;
  settings.endpoint = environment("AWS_ENDPOINT_URL");
  if (!settings.endpoint) settings.endpoint = find_in(config, "endpoint_url");
  settings.endpoint_of_service = [environment](const std::string& service) {
    std::string name = "AWS_ENDPOINT_URL_" + service;
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return char(std::toupper(c)); });
    return environment(name);
  };
  settings.ca_file = certificates(environment);
  settings.key = key_in(environment);
  if (!settings.key) settings.key = key_in(credentials);
  if (!settings.key) settings.key = key_in(config);
  settings.container = container_in(environment);
  return settings;
}

}  // namespace client
