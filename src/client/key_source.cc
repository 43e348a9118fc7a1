// SPDX-License-Identifier: Apache-2.0
#include "client/key_source.h"

#include <boost/describe/class.hpp>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "base/bytes.h"
#include "base/log.h"
#include "client/request.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/timestamp.h"
#include "wire/type_of.h"

namespace client {
namespace asio = boost::asio;
namespace {

// The SDKs renew at the same distance.
constexpr base::Duration kRenewBefore = std::chrono::minutes(5);
constexpr base::Duration kRenewalPause = std::chrono::seconds(5);  // after a failed renewal
constexpr base::Duration kKeyDeadline = std::chrono::seconds(5);
constexpr base::Duration kLongestRenewal = std::chrono::seconds(10);

struct ContainerKeyBody {
  std::optional<std::string> AccessKeyId, SecretAccessKey, Token, Expiration, message;
};
BOOST_DESCRIBE_STRUCT(ContainerKeyBody, (), (AccessKeyId, SecretAccessKey, Token, Expiration, message))

std::string authorization_of(const ContainerKeys& container) {
  if (container.authorization_file.empty()) return container.authorization;
  std::ifstream file(container.authorization_file);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error(container.authorization_file + " cannot be read");
  return std::string(base::trim(line));
}

ContainerKeyBody parse_key_body(const http::Response& response, const std::string& url) {
  ContainerKeyBody body;
  try {
    wire::read_json(wire::type_of<ContainerKeyBody>(), response.body, &body);
  } catch (const wire::ApiError&) {
    body = {};
  }
  if (response.status == 200 && body.AccessKeyId && body.SecretAccessKey) return body;
  throw std::runtime_error(url + " has no credentials: status " + std::to_string(response.status) + " " +
                           body.message.value_or(""));
}

}  // namespace

struct KeySource::Renewed {
  signing::Credentials key;
  base::Time expires;
};

KeySource::KeySource(signing::Credentials fixed) : key_(std::move(fixed)) {}

KeySource::KeySource(http::IoThreads& io, ContainerKeys container) : container_(std::move(container)) {
  auto endpoint = parse_endpoint(container_.url);
  if (!endpoint) throw std::runtime_error("AWS_CONTAINER_CREDENTIALS_FULL_URI: " + endpoint.error());
  http_ = std::make_unique<http::Client>(io, *endpoint);
}

bool KeySource::is_due(base::Time now) const { return http_ && now >= expires_ - kRenewBefore && now >= next_try_; }

bool KeySource::expire() {
  if (http_) expires_ = next_try_ = {};
  return http_ != nullptr;
}

asio::awaitable<KeySource::Renewed> KeySource::request_key() {
  const std::string after = container_.url.substr(container_.url.find("://") + 3);
  const std::size_t slash = after.find('/');
  http::Request request;
  request.head.method = "GET";
  request.head.target = slash == after.npos ? "/" : after.substr(slash);
  request.head.headers.set("Host", host_of(container_.url));
  std::string authorization = authorization_of(container_);
  if (!authorization.empty()) request.head.headers.set("Authorization", std::move(authorization));
  base::Result<http::Response> response = co_await http_->send(std::move(request), kKeyDeadline);
  if (!response) throw std::runtime_error(response.error());
  ContainerKeyBody body = parse_key_body(*response, container_.url);
  Renewed renewed;
  renewed.key = {*body.AccessKeyId, *body.SecretAccessKey, body.Token.value_or("")};
  // Without an expiration the key is renewed from time to time.
  const base::Time later = base::SystemClock().now() + 3 * kRenewBefore;
  renewed.expires = wire::from_iso8601(body.Expiration.value_or("")).value_or(later);
  co_return renewed;
}

asio::awaitable<void> KeySource::renew() {
  renewing_ = true;
  try {
    Renewed renewed = co_await request_key();
    key_ = std::move(renewed.key);
    expires_ = renewed.expires;
    error_.clear();
  } catch (const std::exception& failure) {
    error_ = failure.what();
    base::log_warn("credentials not renewed", {{"error", error_}});
  }
  // A key that expires soon although it is new is not requested at once again.
  next_try_ = base::SystemClock().now() + kRenewalPause;
  renewing_ = false;
  renewed_.notify();
}

asio::awaitable<signing::Credentials> KeySource::get() {
  if (is_due(base::SystemClock().now()) && !renewing_) co_await renew();
  while (http_ && renewing_ && base::SystemClock().now() >= expires_) {
    co_await renewed_.wait(kLongestRenewal);
  }
  if (key_.access_key.empty()) throw std::runtime_error("no credentials: " + error_);
  co_return key_;
}

}  // namespace client
