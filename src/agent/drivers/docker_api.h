// SPDX-License-Identifier: Apache-2.0
// Calls of Docker's Engine API over its unix socket.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/byte_stream.h"
#include "http/client.h"

namespace agent::drivers {

// Long: the engine may be busy with a hundred other containers.
inline constexpr base::Duration kEngineDeadline = std::chrono::minutes(2);

struct EngineReply {
  int status = 0;  // 0: no reply; `body` has the reason
  std::string body;

  bool ok() const { return status >= 200 && status < 400; }
  bool not_found() const { return status == 404; }
  // The engine's error text: {"message": "..."}.
  std::string message() const;
  // null when the body is not JSON.
  boost::json::value json() const;
};

// A nested member, or nullptr when it is missing or a parent is not an object.
const boost::json::value* find(const boost::json::value& in, std::initializer_list<std::string_view> path);
std::string text_at(const boost::json::value& in, std::initializer_list<std::string_view> path);
std::int64_t number_at(const boost::json::value& in, std::initializer_list<std::string_view> path);
bool flag_at(const boost::json::value& in, std::initializer_list<std::string_view> path);

// "filters=..." of list and event queries, percent-encoded. Example: {"label": ["a=b"]}.
std::string filter_query(const boost::json::object& filters);
// Matches what has all of these labels.
std::string label_query(const std::vector<std::string>& labels);

class DockerApi {
 public:
  DockerApi(http::IoThreads& io, std::string socket);

  // Gets /version and /info, blocking, and chooses the API version. Fails without an engine.
  base::Result<std::string> connect();
  const boost::json::value& version() const { return version_; }
  const boost::json::value& info() const { return info_; }

  // `target` has no version prefix: "/containers/json?all=1".
  boost::asio::awaitable<EngineReply> get(std::string target, base::Duration deadline = kEngineDeadline);
  boost::asio::awaitable<EngineReply> post(std::string target, std::string body = "",
                                           base::Duration deadline = kEngineDeadline);
  boost::asio::awaitable<EngineReply> remove(std::string target);
  // Imports an image from a tar.
  boost::asio::awaitable<EngineReply> import(std::string target, std::string tar);
  // Opens a streaming reply of any status: output, progress, events.
  boost::asio::awaitable<base::Result<std::unique_ptr<http::ResponseStream>>> open(std::string method,
                                                                                   std::string target,
                                                                                   base::Duration deadline);
  // Posts a request whose accepted connection becomes a stream in both directions.
  boost::asio::awaitable<base::Result<http::ByteStreamReply>> upgrade(std::string target, std::string body);

 private:
  boost::asio::awaitable<EngineReply> send(http::Request request, base::Duration deadline);
  base::Result<boost::json::value> get_now(const std::string& target);

  std::string socket_;
  std::string prefix_;  // "/v1.41"
  http::Client client_;
  boost::json::value version_;
  boost::json::value info_;
};

// The unix socket of DOCKER_HOST, or the default one.
std::string default_socket();

// "1.41" -> 41; 0 when the version is invalid.
int api_minor(std::string_view version);

}  // namespace agent::drivers
