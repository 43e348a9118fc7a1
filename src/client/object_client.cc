// SPDX-License-Identifier: Apache-2.0
#include "client/object_client.h"

#include <unistd.h>

#include <boost/describe/class.hpp>

#include "base/bytes.h"
#include "base/file.h"
#include "base/utf8.h"
#include "signing/sigv4.h"
#include "wire/type_of.h"
#include "wire/xml.h"

namespace client {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kObjectDeadline = std::chrono::seconds(60);  // for a whole call
constexpr base::Duration kIdleDownload = std::chrono::seconds(30);
constexpr std::size_t kMaxObjectError = 512;  // bytes of its text
// Callers send hundreds of requests at once: opening a connection costs more than a small request.
constexpr http::ClientLimits kObjectLimits{.idle_connections = 256};
// Of the day before and this one, and before and after the credentials changed.
constexpr std::size_t kMaxSigningKeys = 4;

struct ObjectErrorBody {
  std::string Code;
  std::string Message;
};
BOOST_DESCRIBE_STRUCT(ObjectErrorBody, (), (Code, Message))

ObjectErrorBody parse_object_error(const std::string& body) {
  ObjectErrorBody error;
  try {
    wire::read_xml(wire::type_of<ObjectErrorBody>(), body, &error);
  } catch (const wire::ApiError&) {
    error = {};  // a proxy's page, or an empty body
  }
  return error;
}

std::string endpoint_path(const std::string& url) {
  const std::string after = url.substr(url.find("://") + 3);
  const std::size_t slash = after.find('/');
  std::string path = slash == after.npos ? "" : after.substr(slash);
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

struct ObjectClient::Call {
  std::string method;
  ObjectName name;
  base::Headers headers = {};
  std::string body = {};
};

bool ObjectReply::retryable() const {
  return status == 0 || status >= 500 || status == 429 || code == "SlowDown" || code == "RequestTimeout" ||
         code == "ExpiredToken";
}

ObjectClient::ObjectClient(http::IoThreads& io, Profile profile, KeySource& keys)
    : profile_(std::move(profile)),
      path_(endpoint_path(profile_.endpoint)),
      keys_(keys),
      signing_keys_(kMaxSigningKeys),
      http_(io, endpoint_of(profile_), kObjectLimits) {}

asio::awaitable<http::Request> ObjectClient::signed_request(Call call) {
  signing::Credentials key = co_await keys_.get();
  http::Request request;
  request.head.method = std::move(call.method);
  request.head.target =
      path_ + "/" + base::percent_encode(call.name.bucket) + "/" + base::percent_encode(call.name.key, true);
  request.head.headers = std::move(call.headers);
  request.head.headers.set("Host", host_of(profile_.endpoint));
  request.body = std::move(call.body);
  signing::sign(request, key, profile_.region, "s3", base::SystemClock().now(), signing_keys_);
  co_return request;
}

ObjectReply ObjectClient::reply_to(base::Result<http::Response> response) {
  ObjectReply reply;
  if (!response) {
    reply.message = profile_.endpoint + " does not answer: " + response.error();
    return reply;
  }
  reply.status = response->status;
  reply.headers = std::move(response->headers);
  if (reply.ok()) return reply;
  ObjectErrorBody error = parse_object_error(response->body);
  reply.code = std::move(error.Code);
  reply.message = base::to_printable(error.Message.substr(0, kMaxObjectError));
  if (reply.message.empty()) reply.message = "status " + std::to_string(reply.status);
  if (reply.code == "ExpiredToken") keys_.expire();
  return reply;
}

asio::awaitable<ObjectReply> ObjectClient::send(Call call) {
  http::Request request = co_await signed_request(std::move(call));
  base::Result<http::Response> response = co_await http_.send(std::move(request), kObjectDeadline);
  co_return reply_to(std::move(response));
}

asio::awaitable<ObjectReply> ObjectClient::head(ObjectName name) {
  Call call{"HEAD", std::move(name)};
  ObjectReply reply = co_await send(std::move(call));
  co_return reply;
}

asio::awaitable<ObjectReply> ObjectClient::put(ObjectName name, base::Headers headers, std::string body) {
  Call call{"PUT", std::move(name), std::move(headers), std::move(body)};
  ObjectReply reply = co_await send(std::move(call));
  co_return reply;
}

asio::awaitable<ObjectReply> ObjectClient::get_to_file(ObjectName name, std::string path) {
  Call call{"GET", std::move(name)};
  http::Request request = co_await signed_request(std::move(call));
  ::unlink(path.c_str());  // what an earlier attempt left
  base::File file = base::File::create(path);
  http::BodySink sink = [&file](std::string_view piece) { file.write_all(piece); };
  base::Result<http::Response> response = co_await http_.download(std::move(request), std::move(sink), kIdleDownload);
  co_return reply_to(std::move(response));
}

}  // namespace client
