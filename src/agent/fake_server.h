// SPDX-License-Identifier: Apache-2.0
// For tests: a server that responds to the calls of an agent, and records them and the messages of its sessions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/tasks/test_machine.h"
#include "http/server.h"
#include "wire/frame.h"

namespace agent {

inline constexpr const char* kTestInstance = "arn:aws:ecs:us-east-1:000000000000:container-instance/default/i1";

class FakeServer {
 public:
  FakeServer() : server_(io_, [this](http::Exchange& exchange) { return handle(exchange); }) {
    server_.listen_tcp("127.0.0.1", 0);
  }
  ~FakeServer() { close(); }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

  template <class T>
  void send(std::string_view type, const T& message) {
    std::lock_guard lock(mutex_);
    ASSERT_TRUE(socket_);
    socket_->send(wire::write_frame(type, message));
  }
  // Waits for the telemetry session.
  template <class T>
  void send_telemetry(std::string_view type, const T& message) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, kTestDeadline, [&] { return telemetry_ != nullptr; }));
    telemetry_->send(wire::write_frame(type, message));
  }
  void close() {
    std::lock_guard lock(mutex_);
    if (socket_) socket_->close();
  }

  // Waits for the next message of this type. Messages of other types stay for later calls.
  wire::Frame receive(const std::string& type) {
    return wait_for(frames_, [&](const wire::Frame& frame) { return frame.type == type; });
  }
  // Waits for the next call of this operation and returns its body.
  std::string receive_call(const std::string& operation) {
    return wait_for(calls_, [&](const wire::Frame& call) { return call.type == operation; }).message;
  }
  void reject_next_registration(const std::string& error) {
    std::lock_guard lock(mutex_);
    rejections_.push_back(error);
  }
  void reject_log_streams(const std::string& error) {
    std::lock_guard lock(mutex_);
    stream_error_ = error;
  }

 private:
  template <class Match>
  wire::Frame wait_for(std::vector<wire::Frame>& list, Match matches) {
    std::unique_lock lock(mutex_);
    wire::Frame found;
    bool received = changed_.wait_for(lock, kTestDeadline, [&] {
      auto at = std::find_if(list.begin(), list.end(), matches);
      if (at == list.end()) return false;
      found = *at;
      list.erase(at);
      return true;
    });
    EXPECT_TRUE(received) << "the message or call never arrived";
    return found;
  }

  void record(std::vector<wire::Frame>& list, wire::Frame frame) {
    std::lock_guard lock(mutex_);
    list.push_back(std::move(frame));
    changed_.notify_all();
  }

  std::string response_to(const std::string& operation, int& status) {
    std::lock_guard lock(mutex_);
    if (operation == "RegisterContainerInstance" && !rejections_.empty()) {
      status = 400;
      std::string error = rejections_.front();
      rejections_.erase(rejections_.begin());
      return error;
    }
    if (operation == "CreateLogStream" && !stream_error_.empty()) {
      status = 400;
      return stream_error_;
    }
    if (operation == "RegisterContainerInstance") {
      return std::string(R"({"containerInstance":{"containerInstanceArn":")") + kTestInstance + "\"}}";
    }
    if (operation == "DiscoverPollEndpoint") {
      return R"({"endpoint":")" + url() + R"(","telemetryEndpoint":")" + url() + "/telemetry\"}";
    }
    return "{}";
  }

  boost::asio::awaitable<http::Response> handle(http::Exchange& exchange) {
    http::Response response;
    const bool session = exchange.head().headers.find("Upgrade") != nullptr;
    if (session) {
      co_await read_session(exchange);
      co_return response;
    }
    if (exchange.head().method == "GET") co_return no_such_object(exchange.head());
    std::string body = co_await exchange.read_body(1 << 20);
    const std::string* named = exchange.head().headers.find("X-Amz-Target");
    std::string target = named ? *named : "";
    std::string operation = target.substr(target.find('.') + 1);
    if (target.starts_with("Logs_")) body = *exchange.head().headers.find("Authorization") + "\n" + body;
    response.body = response_to(operation, response.status);
    response.headers.set("Content-Type", "application/x-amz-json-1.1");
    record(calls_, {operation, std::move(body)});
    co_return response;
  }

  // Records the path as the operation and the Authorization header as the body.
  http::Response no_such_object(const http::RequestHead& head) {
    record(calls_, {"GET " + head.target, std::string(head.headers.get("Authorization"))});
    return {404, {}, "<Error><Code>NoSuchBucket</Code><Message>The bucket does not exist.</Message></Error>"};
  }

  boost::asio::awaitable<void> read_session(http::Exchange& exchange) {
    const std::string target = exchange.head().target;
    const bool command = target.starts_with("/stoker/exec");
    http::WebSocketLimits limits;
    limits.binary = command;
    std::shared_ptr<http::WebSocket> socket = co_await exchange.accept_websocket(limits);
    while (command) {
      base::Result<std::string> message = co_await socket->read(std::chrono::minutes(10));
      if (!message) co_return;
      record(frames_, {target, *message});
    }
    const bool telemetry = exchange.head().path().starts_with("/telemetry");
    {
      std::lock_guard lock(mutex_);
      (telemetry ? telemetry_ : socket_) = socket;
      changed_.notify_all();
    }
    for (;;) {
      base::Result<std::string> text = co_await socket->read(std::chrono::minutes(10));
      if (!text) co_return;
      base::Result<wire::Frame> frame = wire::read_frame(*text);
      if (frame) record(frames_, *frame);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<http::WebSocket> socket_, telemetry_;
  std::vector<wire::Frame> frames_, calls_;
  std::vector<std::string> rejections_;
  std::string stream_error_;
  http::IoThreads io_{1};
  http::Server server_;
};

}  // namespace agent
