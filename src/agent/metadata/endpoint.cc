// SPDX-License-Identifier: Apache-2.0
#include "agent/metadata/endpoint.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "agent/metadata/credentials.h"
#include "agent/metadata/loopback_address.h"
#include "base/log.h"
#include "base/random.h"

namespace agent {
namespace {

constexpr const char* kHost = "127.0.0.1";
constexpr unsigned short kAnyPort = 0;
// Below the ranges of the kernel and of the scheduler, so that no task's host port collides with ours.
constexpr unsigned short kFirstPort = 21000, kPortCount = 11000;
constexpr int kRandomPorts = 8;

struct Url {
  std::string scheme, host, rest;
  unsigned short port = 0;
};

// Parses "http://[::1]:4566/x"; nullopt for an invalid URL.
std::optional<Url> parse_url(const std::string& text) {
  std::size_t mark = text.find("://");
  if (mark == std::string::npos) return std::nullopt;
  Url url;
  url.scheme = text.substr(0, mark);
  std::string after = text.substr(mark + 3);
  std::size_t end = std::min(after.find('/'), after.size());
  url.rest = after.substr(end);
  std::string authority = after.substr(0, end);
  std::size_t bracket = authority.find(']');
  std::size_t colon = authority.find(':', bracket == std::string::npos ? 0 : bracket);
  url.host = authority.substr(0, colon);
  if (url.host.starts_with('[')) url.host = url.host.substr(1, url.host.size() - 2);
  url.port = url.scheme == "https" ? 443 : 80;
  if (colon != std::string::npos) url.port = static_cast<unsigned short>(std::atoi(authority.c_str() + colon + 1));
  return url;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.") || host == "0.0.0.0";
}

// In the order to try: the preferred ports, some random ones, then any.
std::vector<unsigned short> candidate_ports(std::initializer_list<unsigned short> preferred) {
  std::vector<unsigned short> ports;
  for (unsigned short port : preferred) {
    if (port != kAnyPort) ports.push_back(port);
  }
  for (int i = 0; i < kRandomPorts; ++i) {
    std::string bytes = base::random_bytes(2);
    unsigned number = static_cast<unsigned char>(bytes[0]) * 256u + static_cast<unsigned char>(bytes[1]);
    ports.push_back(static_cast<unsigned short>(kFirstPort + number % kPortCount));
  }
  ports.push_back(kAnyPort);
  return ports;
}

}  // namespace

std::string MetadataEndpoint::Listener::url() const {
  if (!server) return "";
  std::string port = server->port() == 80 ? "" : ":" + std::to_string(server->port());
  return "http://" + address + port;
}

MetadataEndpoint::MetadataEndpoint(http::IoThreads& io, const MetadataRegistry& registry, MetadataSettings settings)
    : io_(io), registry_(registry), settings_(std::move(settings)) {
  std::ifstream in(std::filesystem::path(settings_.folder) / "ports");
  std::string name;
  unsigned short port = 0;
  while (in >> name >> port) ports_[name] = port;

  host_ = listen("host", kHost, candidate_ports({saved_port("host")}));
  if (!host_.server) throw std::runtime_error("cannot listen on 127.0.0.1 for the metadata endpoint");
  listen_on_link_address();
  if (!link_.server) {
    std::string bridge = settings_.bridge_address.empty() ? interface_address("docker0") : settings_.bridge_address;
    if (!bridge.empty()) bridge_ = listen("bridge", bridge, candidate_ports({saved_port("bridge")}));
  }
  start_relays();
  base::log_info("metadata endpoint opened", {{"host", host_.url()},
                                              {"containers", link_.server ? link_.url() : bridge_.url()},
                                              {"server", container_server_url_}});
}

MetadataEndpoint::~MetadataEndpoint() {
  relays_.clear();
  link_.server.reset();
  if (!added_address_ || address_in_use(settings_.link_address)) return;
  base::Result<bool> removed = remove_loopback_address(settings_.link_address);
  if (!removed) base::log_warn("loopback address not removed", {{"error", removed.error()}});
}

void MetadataEndpoint::listen_on_link_address() {
  if (settings_.link_address.empty()) return;
  base::Result<bool> added = add_loopback_address(settings_.link_address);
  if (!added) {
    base::log_info("containers have no credentials endpoint", {{"reason", added.error()}});
    return;
  }
  added_address_ = *added;
  // The saved port comes first: the containers of an earlier agent use it.
  link_ = listen("link", settings_.link_address, candidate_ports({saved_port("link"), settings_.link_port}));
}

// Listens on the first available port.
MetadataEndpoint::Listener MetadataEndpoint::listen(const std::string& name, const std::string& address,
                                                    std::vector<unsigned short> ports) {
  Listener listener;
  listener.address = address;
  for (unsigned short port : ports) {
    try {
      auto server = std::make_unique<http::Server>(io_, metadata_handler(registry_));
      server->listen_tcp(address, port);
      listener.server = std::move(server);
      save_port(name, listener.server->port());
      return listener;
    } catch (const std::runtime_error& error) {
      base::log_info("metadata port unavailable, trying another", {{"reason", error.what()}});
    }
  }
  return listener;
}

void MetadataEndpoint::start_relays() {
  host_server_url_ = container_server_url_ = settings_.server_url;
  const std::optional<Url> server = parse_url(settings_.server_url);
  if (!server) return;
  const bool tls = server->scheme == "https";
  if (tls) {
    const std::string relayed = open_relay("host-relay", kHost);
    if (!relayed.empty()) host_server_url_ = relayed;
  }
  if (!tls && !is_loopback(server->host)) return;
  const std::string address = link_.server ? link_.address : bridge_.address;
  const std::string relayed = address.empty() ? "" : open_relay("relay", address);
  if (!relayed.empty() || is_loopback(server->host)) container_server_url_ = relayed;
}

// Returns its URL; "" where it cannot listen.
std::string MetadataEndpoint::open_relay(const std::string& name, const std::string& address) {
  const Url server = *parse_url(settings_.server_url);
  const std::string host = server.host == "0.0.0.0" ? kHost : server.host;
  const bool tls = server.scheme == "https";
  RelayRoute route{.listen_address = address,
                   .server = tls ? http::Endpoint::tls(host, server.port, settings_.ca_file)
                                 : http::Endpoint::tcp(host, server.port)};
  for (unsigned short port : candidate_ports({saved_port(name)})) {
    try {
      route.listen_port = port;
      relays_.push_back(std::make_unique<Relay>(io_.at(0), route));
      save_port(name, relays_.back()->port());
      return "http://" + address + ":" + std::to_string(relays_.back()->port()) + server.rest;
    } catch (const std::runtime_error& error) {
      base::log_info("relay port unavailable, trying another", {{"reason", error.what()}});
    }
  }
  return "";
}

unsigned short MetadataEndpoint::saved_port(const std::string& name) const {
  auto found = ports_.find(name);
  return found == ports_.end() ? kAnyPort : found->second;
}

// A container's variables never change, so the next agent must listen on the same ports.
void MetadataEndpoint::save_port(const std::string& name, unsigned short port) {
  if (saved_port(name) == port) return;
  ports_[name] = port;
  std::filesystem::path file = std::filesystem::path(settings_.folder) / "ports";
  std::filesystem::path draft = file;
  draft += ".new";
  std::ofstream out(draft, std::ios::trunc);
  for (const auto& [listener, number] : ports_) out << listener << " " << number << "\n";
  out.close();
  std::error_code failed;
  std::filesystem::rename(draft, file, failed);
  if (!out || failed) base::log_warn("metadata ports not saved", {{"file", file.string()}});
}

std::map<std::string, std::string> MetadataEndpoint::credentials_for(bool host,
                                                                     const std::string& credentials_id) const {
  if (credentials_id.empty()) return {};
  std::string path = credentials_path(credentials_id);
  if (host) return {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", host_.url() + path}};
  // All SDKs support the address without a port.
  if (link_.server && link_.url() == "http://169.254.170.2") {
    return {{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", path}};
  }
  if (link_.server) return {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", link_.url() + path}};
  std::optional<shapes::agent::Credentials> credentials = registry_.credentials(credentials_id);
  if (!credentials) return {};
  std::map<std::string, std::string> keys = {{"AWS_ACCESS_KEY_ID", credentials->accessKeyId},
                                             {"AWS_SECRET_ACCESS_KEY", credentials->secretAccessKey}};
  if (!credentials->sessionToken.empty()) keys["AWS_SESSION_TOKEN"] = credentials->sessionToken;
  return keys;
}

std::map<std::string, std::string> MetadataEndpoint::environment_for(const std::string& network_mode,
                                                                     const std::string& endpoint_id,
                                                                     const std::string& credentials_id) const {
  std::map<std::string, std::string> variables = {{"AWS_REGION", settings_.region},
                                                  {"AWS_DEFAULT_REGION", settings_.region}};
  if (network_mode == "none") return variables;
  bool host = network_mode == "host";
  std::string server = host ? host_server_url_ : container_server_url_;
  if (!server.empty()) variables["AWS_ENDPOINT_URL"] = server;
  std::string metadata = host ? host_.url() : link_.server ? link_.url() : bridge_.url();
  if (!metadata.empty()) {
    variables["ECS_CONTAINER_METADATA_URI_V4"] = metadata + "/v4/" + endpoint_id;
    variables["ECS_CONTAINER_METADATA_URI"] = metadata + "/v3/" + endpoint_id;
  }
  variables.merge(credentials_for(host, credentials_id));
  return variables;
}

}  // namespace agent
