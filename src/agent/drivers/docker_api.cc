// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_api.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <cstdlib>

#include "base/bytes.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

// The newest version that this code supports. An older engine is used with its own version.
constexpr int kNewestMinor = 47;
constexpr std::size_t kMaxMessageBytes = 4096;
constexpr base::Duration kConnectDeadline = std::chrono::seconds(10);

http::Request make_request(std::string method, std::string target, std::string body) {
  http::Request request;
  request.head.method = std::move(method);
  request.head.target = std::move(target);
  request.body = std::move(body);
  return request;
}

}  // namespace

std::string EngineReply::message() const {
  std::string text = text_at(json(), {"message"});
  if (text.empty()) text = body.empty() ? "the engine returned status " + std::to_string(status) : body;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(0, kMaxMessageBytes);
}

json::value EngineReply::json() const {
  boost::system::error_code error;
  json::value value = json::parse(body, error);
  return error ? json::value() : value;
}

const json::value* find(const json::value& in, std::initializer_list<std::string_view> path) {
  const json::value* at = &in;
  for (std::string_view name : path) {
    const json::object* object = at->if_object();
    at = object ? object->if_contains(name) : nullptr;
    if (!at) return nullptr;
  }
  return at;
}

std::string text_at(const json::value& in, std::initializer_list<std::string_view> path) {
  const json::value* value = find(in, path);
  return value && value->is_string() ? std::string(value->get_string()) : "";
}

std::int64_t number_at(const json::value& in, std::initializer_list<std::string_view> path) {
  const json::value* value = find(in, path);
  if (!value || !value->is_number()) return 0;
  boost::system::error_code inexact;
  return value->to_number<std::int64_t>(inexact);
}

bool flag_at(const json::value& in, std::initializer_list<std::string_view> path) {
  const json::value* value = find(in, path);
  return value && value->is_bool() && value->get_bool();
}

std::string filter_query(const json::object& filters) {
  return "filters=" + base::percent_encode(json::serialize(filters));
}

std::string label_query(const std::vector<std::string>& labels) {
  json::object filters;
  filters["label"] = json::array(labels.begin(), labels.end());
  return filter_query(filters);
}

int api_minor(std::string_view version) {
  if (!version.starts_with("1.")) return 0;
  version.remove_prefix(2);
  int minor = 0;
  std::from_chars(version.data(), version.data() + version.size(), minor);
  return minor;
}

std::string default_socket() {
  const char* host = std::getenv("DOCKER_HOST");
  constexpr std::string_view kScheme = "unix://";
  if (host && std::string_view(host).starts_with(kScheme)) return host + kScheme.size();
  return "/var/run/docker.sock";
}

DockerApi::DockerApi(http::IoThreads& io, std::string socket)
    : socket_(std::move(socket)), client_(io, http::Endpoint::unix_socket(socket_)) {}

base::Result<std::string> DockerApi::connect() {
  auto version = get_now("/version");
  if (!version) return base::Error{version.error()};
  const int minor = api_minor(text_at(*version, {"ApiVersion"}));
  if (minor == 0) return base::Error{socket_ + " is not the socket of a Docker engine"};
  prefix_ = "/v1." + std::to_string(std::min(minor, kNewestMinor));
  auto info = get_now(prefix_ + "/info");
  if (!info) return base::Error{info.error()};
  version_ = std::move(*version);
  info_ = std::move(*info);
  return prefix_;
}

base::Result<json::value> DockerApi::get_now(const std::string& target) {
  auto response = client_.send_now(make_request("GET", target, ""), kConnectDeadline);
  if (!response) return base::Error{"no Docker engine responds at " + socket_ + ": " + response.error()};
  const EngineReply reply{response->status, std::move(response->body)};
  if (!reply.ok()) return base::Error{"the engine at " + socket_ + ": " + reply.message()};
  return reply.json();
}

asio::awaitable<EngineReply> DockerApi::send(http::Request request, base::Duration deadline) {
  request.head.target.insert(0, prefix_);
  base::Result<http::Response> response = co_await client_.send(std::move(request), deadline);
  EngineReply reply;
  if (response) {
    reply.status = response->status;
    reply.body = std::move(response->body);
  } else {
    reply.body = response.error();
  }
  co_return reply;
}

asio::awaitable<EngineReply> DockerApi::get(std::string target, base::Duration deadline) {
  http::Request request = make_request("GET", std::move(target), "");
  return send(std::move(request), deadline);
}

asio::awaitable<EngineReply> DockerApi::post(std::string target, std::string body, base::Duration deadline) {
  http::Request request = make_request("POST", std::move(target), std::move(body));
  if (!request.body.empty()) request.head.headers.set("Content-Type", "application/json");
  return send(std::move(request), deadline);
}

asio::awaitable<EngineReply> DockerApi::remove(std::string target) {
  http::Request request = make_request("DELETE", std::move(target), "");
  return send(std::move(request), kEngineDeadline);
}

asio::awaitable<EngineReply> DockerApi::import(std::string target, std::string tar) {
  http::Request request = make_request("POST", std::move(target), std::move(tar));
  request.head.headers.set("Content-Type", "application/x-tar");
  return send(std::move(request), kEngineDeadline);
}

asio::awaitable<base::Result<std::unique_ptr<http::ResponseStream>>> DockerApi::open(std::string method,
                                                                                     std::string target,
                                                                                     base::Duration deadline) {
  http::Request request = make_request(std::move(method), prefix_ + target, "");
  return client_.open(std::move(request), deadline);
}

asio::awaitable<base::Result<http::ByteStreamReply>> DockerApi::upgrade(std::string target, std::string body) {
  http::Request request = make_request("POST", prefix_ + target, std::move(body));
  request.head.headers.set("Content-Type", "application/json");
  http::Endpoint endpoint = http::Endpoint::unix_socket(socket_);
  return http::open_byte_stream(std::move(endpoint), std::move(request), kEngineDeadline);
}

}  // namespace agent::drivers
