// SPDX-License-Identifier: Apache-2.0
// For tests: a server on loopback that replies from a table, and the data folder of that server.
#pragma once

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "base/random.h"
#include "cli/commands.h"
#include "http/server.h"

namespace cli {

class FakeServer : public testing::Test {
 protected:
  // `fails`: the connection breaks after the last piece.
  struct Reply {
    int status = 200;
    std::vector<std::string> pieces;
    bool fails = false;
  };

  FakeServer() {
    base::set_log_level(base::LogLevel::Off);
    server_.listen_tcp("127.0.0.1", 0);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/credentials")
        << "[default]\naws_access_key_id = AKIATEST\naws_secret_access_key = s3cret\n";
    std::ofstream(folder_ + "/endpoint") << endpoint() << '\n';
    options_.data = folder_;
    options_.data_is_given = true;  // whatever the environment names
    pthread_sigmask(SIG_SETMASK, nullptr, &signals_);
  }
  ~FakeServer() override {
    base::set_log_level(base::LogLevel::Info);
    std::filesystem::remove_all(folder_);
    pthread_sigmask(SIG_SETMASK, &signals_, nullptr);  // `stoker run` blocks signals
  }

  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  // Replies to an operation, or to a path: in this order, and the last one to all further requests.
  void reply(const std::string& operation, std::string body, int status = 200) {
    add(operation, {status, {std::move(body)}, false});
  }
  void reply_error(const std::string& operation, const std::string& code, const std::string& message) {
    reply(operation, R"({"__type":")" + code + R"(","message":")" + message + "\"}", 400);
  }
  void reply_in_pieces(const std::string& path, std::vector<std::string> pieces, bool fails = false) {
    add(path, {200, std::move(pieces), fails});
  }

  // The bodies of the requests for an operation; for a path, the query strings.
  std::vector<std::string> requests(const std::string& operation) {
    return table_.with([&](Table& table) { return table.requests[operation]; });
  }

  // "POST /path?query" of each request for a path or operation.
  std::vector<std::string> targets(const std::string& operation) {
    return table_.with([&](Table& table) { return table.targets[operation]; });
  }
  // The heads of all requests, in order.
  std::vector<http::RequestHead> heads() {
    return table_.with([](Table& table) { return table.heads; });
  }

  Options options_;

 private:
  struct Table {
    std::map<std::string, std::deque<Reply>> replies;
    std::map<std::string, std::vector<std::string>> requests, targets;
    std::vector<http::RequestHead> heads;
  };

  void add(const std::string& operation, Reply reply) {
    table_.with([&](Table& table) { table.replies[operation].push_back(std::move(reply)); });
  }

  // "ListTasks" of "AmazonEC2ContainerServiceV20141113.ListTasks", or the path.
  static std::string operation_of(const http::RequestHead& head) {
    const auto target = head.headers.find("X-Amz-Target");
    if (!target) return std::string(head.path());
    return std::string(target->substr(target->rfind('.') + 1));
  }

  Reply next_reply(const std::string& operation, const http::RequestHead& head, std::string request) {
    return table_.with([&](Table& table) {
      table.targets[operation].push_back(head.method + " " + head.target);
      table.heads.push_back(head);
      table.requests[operation].push_back(std::move(request));
      std::deque<Reply>& left = table.replies[operation];
      if (left.empty()) return Reply{404, {R"({"__type":"UnknownOperation","message":")" + operation + "\"}"}, false};
      Reply reply = left.front();
      if (left.size() > 1) left.pop_front();
      return reply;
    });
  }

  static boost::asio::awaitable<http::Response> serve(FakeServer& self, http::Exchange& exchange) {
    std::string request = co_await exchange.read_body(1024 * 1024);
    const std::string operation = operation_of(exchange.head());
    if (request.empty()) request = std::string(exchange.head().query());
    Reply reply = self.next_reply(operation, exchange.head(), std::move(request));
    http::Response response;
    response.status = reply.status;
    if (reply.pieces.size() == 1 && !reply.fails) {
      response.body = reply.pieces.front();
      co_return response;
    }
    co_await exchange.start(response);
    for (std::string& piece : reply.pieces) {
      co_await exchange.write_piece(std::move(piece));
    }
    if (reply.fails) throw std::runtime_error("the reply breaks here");
    co_return response;
  }

  std::string folder_ = testing::TempDir() + "cli_" + base::random_uuid();
  sigset_t signals_{};
  base::Guarded<Table> table_;
  http::IoThreads io_{1};
  http::Server server_{io_, [this](http::Exchange& exchange) { return serve(*this, exchange); }};
};

}  // namespace cli
