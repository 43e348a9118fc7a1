// SPDX-License-Identifier: Apache-2.0
#include "client/objects.h"

#include <boost/describe/class.hpp>
#include <chrono>

#include "base/bytes.h"
#include "base/utf8.h"
#include "signing/sigv4.h"
#include "wire/type_of.h"
#include "wire/xml.h"

namespace client {
namespace asio = boost::asio;
namespace {

using Steady = std::chrono::steady_clock;

constexpr base::Duration kWholeRequest = std::chrono::seconds(30);  // as in Amazon's agent
constexpr std::size_t kMaxErrorBody = 64 * 1024;
constexpr std::size_t kMaxErrorText = 512;

struct ErrorBody {
  std::string Code;
  std::string Message;
  std::string RequestId;
};
BOOST_DESCRIBE_STRUCT(ErrorBody, (), (Code, Message, RequestId))

base::Duration until(Steady::time_point end) {
  return std::max(std::chrono::ceil<base::Duration>(end - Steady::now()), base::Duration(1));
}

// "/prefix" of "https://host/prefix/"
std::string path_of(const std::string& url) {
  const std::string after = url.substr(url.find("://") + 3);
  const std::size_t slash = after.find('/');
  std::string path = slash == after.npos ? "" : after.substr(slash);
  while (path.ends_with('/')) path.pop_back();
  return path;
}

http::Request request_for(const Profile& profile, const ObjectName& name) {
  http::Request request;
  request.head.method = "GET";
  request.head.target =
      path_of(profile.endpoint) + "/" + base::percent_encode(name.bucket) + "/" + base::percent_encode(name.key, true);
  request.head.headers.set("Host", host_of(profile.endpoint));
  signing::sign(request, profile.credentials, profile.region, "s3", base::SystemClock().now());
  return request;
}

// At most `most` + 1 bytes, so that the caller can detect a larger object.
asio::awaitable<base::Result<std::string>> read_body(http::ResponseStream& stream, std::size_t most,
                                                     Steady::time_point end) {
  std::string body;
  while (body.size() <= most) {
    base::Result<std::string> piece = co_await stream.read_piece(until(end));
    if (!piece) co_return base::Error{piece.error()};
    if (piece->empty()) break;
    body += *piece;
  }
  if (body.size() > most) body.resize(most + 1);
  co_return body;
}

// In the format of Amazon's SDK for Go, which Amazon's agent reports.
ObjectRead refusal(int status, const std::string& body) {
  ErrorBody error;
  try {
    wire::read_xml(wire::type_of<ErrorBody>(), body, &error);
  } catch (const wire::ApiError&) {
    error = {};  // a proxy's page, or an empty body
  }
  std::string text = error.Code.empty() ? "" : error.Code + ": " + error.Message + " ";
  if (text.size() > kMaxErrorText) text = text.substr(0, kMaxErrorText) + "... ";
  text += "status code: " + std::to_string(status);
  if (!error.RequestId.empty()) text += ", request id: " + error.RequestId.substr(0, kMaxErrorText);
  const bool busy = status >= 500 || status == 429 || error.Code == "SlowDown" || error.Code == "RequestTimeout";
  return {base::Error{base::to_printable(text)}, busy};
}

ObjectRead no_answer(const Profile& profile, const std::string& why) {
  return {base::Error{"RequestError: send request failed, " + profile.endpoint + " does not answer: " + why}, true};
}

}  // namespace

std::optional<ObjectName> parse_object_arn(std::string_view arn) {
  if (!arn.starts_with("arn:")) return std::nullopt;
  arn.remove_prefix(4);
  constexpr std::string_view kService = ":s3:::";
  const std::size_t partition = arn.find(':');
  if (partition == arn.npos || partition == 0 || !arn.substr(partition).starts_with(kService)) return std::nullopt;
  arn.remove_prefix(partition + kService.size());
  const std::size_t slash = arn.find('/');
  if (slash == arn.npos || slash == 0 || slash + 1 == arn.size()) return std::nullopt;
  return ObjectName{std::string(arn.substr(0, slash)), std::string(arn.substr(slash + 1))};
}

namespace {

asio::awaitable<ObjectRead> read_object(http::IoThreads& io, Profile profile, http::Request request, std::size_t most) {
  http::Client http(io, endpoint_of(profile));
  const Steady::time_point end = Steady::now() + kWholeRequest;
  auto opened = co_await http.open(std::move(request), kWholeRequest);
  if (!opened) co_return no_answer(profile, opened.error());
  http::ResponseStream& stream = **opened;
  const bool found = stream.status() == 200;
  const std::size_t limit = found ? most : kMaxErrorBody;
  base::Result<std::string> body = co_await read_body(stream, limit, end);
  if (!body) co_return no_answer(profile, body.error());
  if (!found) co_return refusal(stream.status(), *body);
  if (body->size() > most) {
    ObjectRead too_large{base::Error{"the object has more than " + std::to_string(most) + " bytes"}};
    co_return too_large;
  }
  ObjectRead read{std::move(*body)};
  co_return read;
}

}  // namespace

asio::awaitable<ObjectRead> get_object(http::IoThreads& io, Profile profile, ObjectName name, std::size_t most) {
  http::Request request = request_for(profile, name);
  return read_object(io, std::move(profile), std::move(request), most);
}

asio::awaitable<ObjectRead> get_presigned(http::IoThreads& io, Profile profile, std::string url, std::size_t most) {
  http::Request request;
  request.head.method = "GET";
  const std::size_t host = url.find("://");
  request.head.target = url.substr(std::min(url.find('/', host == url.npos ? 0 : host + 3), url.size()));
  request.head.headers.set("Host", host_of(profile.endpoint));
  return read_object(io, std::move(profile), std::move(request), most);
}

}  // namespace client
