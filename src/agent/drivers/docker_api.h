// SPDX-License-Identifier: Apache-2.0
// Docker's Engine API over its unix socket: calls and what comes back.
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
#include "http/client.h"

namespace agent::drivers {

// The engine answers at once, but it may be busy with a hundred other containers.
inline constexpr base::Duration kEngineDeadline = std::chrono::minutes(2);

struct Answer {
  int status = 0;  // 0: no answer, and `body` says why
  std::string body;

  bool ok() const { return status >= 200 && status < 400; }
  bool not_found() const { return status == 404; }
  // The engine's own words: {"message": "..."}.
  std::string message() const;
  // null where it is no JSON.
  boost::json::value json() const;
};

// A member of members, or nullptr. What is looked for in the wrong kind of value is not there.
const boost::json::value* find(const boost::json::value& in, std::initializer_list<std::string_view> path);
std::string text_at(const boost::json::value& in, std::initializer_list<std::string_view> path);
std::int64_t number_at(const boost::json::value& in, std::initializer_list<std::string_view> path);
bool flag_at(const boost::json::value& in, std::initializer_list<std::string_view> path);

// "filters=" of lists and events, ready for a query: {"label": ["a=b"]}.
std::string filter_query(const boost::json::object& filters);
// For what has all of these labels.
std::string label_query(const std::vector<std::string>& labels);

class DockerApi {
 public:
  DockerApi(http::IoThreads& io, std::string socket);

  // Asks /version and /info, blocking, and chooses the version to speak. An error: nobody there.
  base::Result<std::string> connect();
  const boost::json::value& version() const { return version_; }
  const boost::json::value& info() const { return info_; }

  // `target` begins behind the version: "/containers/json?all=1".
  boost::asio::awaitable<Answer> get(std::string target, base::Duration deadline = kEngineDeadline);
  boost::asio::awaitable<Answer> post(std::string target, std::string body = "",
                                      base::Duration deadline = kEngineDeadline);
  boost::asio::awaitable<Answer> remove(std::string target);
  // An image out of a tar, named so.
  boost::asio::awaitable<Answer> import(std::string target, std::string tar);
  // An answer that comes in pieces, whatever its status: output, progress, events.
  boost::asio::awaitable<base::Result<std::unique_ptr<http::ResponseStream>>> open(std::string method,
                                                                                   std::string target,
                                                                                   base::Duration deadline);

 private:
  boost::asio::awaitable<Answer> send(http::Request request, base::Duration deadline);
  base::Result<boost::json::value> ask_now(const std::string& target);

  std::string socket_;
  std::string prefix_;  // "/v1.41"
  http::Client client_;
  boost::json::value version_;
  boost::json::value info_;
};

// "unix:///run/podman/podman.sock" of DOCKER_HOST, where it names a unix socket.
std::string default_socket();

// "1.41" <-> 41; 0 for what is no version of that API.
int api_minor(std::string_view version);

}  // namespace agent::drivers
