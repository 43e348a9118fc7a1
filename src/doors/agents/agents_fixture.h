// SPDX-License-Identifier: Apache-2.0
// Test support: a server with sessions and logs, and agents that a test plays itself, over loopback.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>
#include <memory>
#include <string>

#include "api/engine.h"
#include "base/log.h"
#include "doors/agents/agent_sessions.h"
#include "doors/agents/log_streams.h"
#include "doors/agents/task_logs.h"
#include "http/block_on.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/machines/machines_fixture.h"
#include "services/ecs/metrics/live_usage.h"
#include "shapes/agent/work.h"
#include "state/machine.h"
#include "state/task.h"
#include "wire/frame.h"

namespace doors::agents {

// Far more than anything takes: waits end by events.
inline constexpr base::Duration kPatience = std::chrono::seconds(60);

class AgentsTest : public services::ecs::MachinesTest {
 protected:
  AgentsTest() {
    base::set_log_level(base::LogLevel::Off);
    locals_.add<services::ecs::LiveGpus>();
    locals_.add<services::ecs::LiveUsage>();
    machine_ = model::InstanceId(add_machine("box", 2));
    set_machine_connected(false);
    http::Limits limits;
    limits.tick = std::chrono::milliseconds(5);
    server_ = std::make_unique<http::Server>(
        io_, [this](http::Exchange& exchange) { return handle(exchange); }, limits);
    server_->listen_tcp("127.0.0.1", 0);
  }
  ~AgentsTest() override {
    server_.reset();
    base::set_log_level(base::LogLevel::Info);
  }

  boost::asio::awaitable<http::Response> handle(http::Exchange& exchange) {
    http::Response response;
    try {
      if (exchange.head().path() == "/ws") {
        response = co_await sessions_.serve(exchange, caller_);
      } else {
        response = co_await logs_.serve(exchange, caller_);
      }
    } catch (const wire::ApiError& error) {
      response = http::text_response(400, error.code() + ": " + error.message());
    }
    co_return response;
  }

  // Runs a handler, then wakes what it woke, as a committed call does.
  template <class Out, class In>
  Out run_and_wake(Out (*handler)(services::Call&, const In&), std::string_view json) {
    Out out = run_json(handler, json);
    for (const std::string& topic : wakes_) topics_.wake(topic);
    return out;
  }
  // Only connected machines get tasks: a machine without a session counts as connected for so long.
  std::vector<shapes::ecs::Task> start_tasks(const std::string& family, int count) {
    const bool connected = *describe_machine(machine_.str()).agentConnected;
    set_machine_connected(true);
    const auto response = run_and_wake(&services::ecs::run_task, R"({"taskDefinition":")" + family +
                                                                     R"(","count":)" + std::to_string(count) + "}");
    set_machine_connected(connected);
    return *response.tasks;
  }
  shapes::ecs::Task start_task() { return start_tasks("one", 1).at(0); }
  void set_machine_connected(bool connected) {
    with_call([&](services::Call& call) { services::ecs::set_connected(call, machine_, connected); });
  }

  // Otherwise its agent is Amazon's.
  void give_machine_our_agent() {
    with_call([&](services::Call& call) {
      auto instance = *services::ecs::load_instance(call.tx, machine_);
      instance.body.attributes->push_back({.name = "stoker.agent"});
      services::ecs::update_instance(call.tx, instance);
    });
  }

  http::WebSocketReply connect(const std::string& query) {
    http::Request request;
    request.head.target = "/ws?" + query;
    auto reply = http::block_on(
        io_.at(0), http::connect_websocket(http::Endpoint::tcp("127.0.0.1", server_->port()), request, kPatience));
    EXPECT_TRUE(reply) << reply.error();
    return reply ? *reply : http::WebSocketReply();
  }
  std::shared_ptr<http::WebSocket> connect_agent() {
    return connect("clusterArn=default&containerInstanceArn=" + machine_.str()).socket;
  }
  std::shared_ptr<http::WebSocket> connect_telemetry() {
    return connect("cluster=default&containerInstance=" + machine_.str()).socket;
  }

  base::Result<std::string> read(http::WebSocket& socket) {
    return http::block_on(io_.at(0), socket.read(kPatience));
  }
  wire::Frame next_frame(http::WebSocket& socket) {
    auto text = read(socket);
    EXPECT_TRUE(text) << text.error();
    auto frame = wire::read_frame(text ? *text : "{}");
    return frame ? *frame : wire::Frame();
  }
  // The next frame of this type; heartbeats come at any time.
  template <class Message>
  Message next(http::WebSocket& socket, const std::string& type) {
    wire::Frame frame = next_frame(socket);
    while (frame.type == "HeartbeatMessage" && type != frame.type) frame = next_frame(socket);
    EXPECT_EQ(frame.type, type);
    return frame.type == type ? wire::read_message<Message>(frame) : Message();
  }
  template <class Message>
  static void send(http::WebSocket& socket, const std::string& type, const Message& message) {
    socket.send(wire::write_frame(type, message));
  }
  static void acknowledge(http::WebSocket& socket, const std::string& message_id) {
    send(socket, "AckRequest", shapes::agent::AckRequest{message_id, std::nullopt, std::nullopt});
  }
  // Connects, and acknowledges the manifest.
  std::shared_ptr<http::WebSocket> connect_and_agree() {
    auto socket = connect_agent();
    acknowledge(*socket, next<shapes::agent::TaskManifestMessage>(*socket, "TaskManifestMessage").messageId);
    return socket;
  }
  // Until all frames sent so far have been handled.
  void settle(http::WebSocket& socket) {
    send(socket, "TaskStopVerificationMessage", shapes::agent::TaskStopVerificationMessage{"settle", {}});
    next<shapes::agent::TaskStopVerificationAck>(socket, "TaskStopVerificationAck");
  }

  // Looks again whenever the topic is woken.
  template <class Condition>
  void wait_until(const std::string& topic, Condition condition) {
    for (std::uint64_t seen = topics_.seen(); !condition(); seen = topics_.seen()) {
      boost::asio::co_spawn(io_.at(1), topics_.wait(topic, seen, kPatience), boost::asio::use_future).get();
    }
  }
  void wait_until_disconnected() {
    wait_until(std::string(state::kTaskSweepTopic), [&] { return !*describe_machine(machine_.str()).agentConnected; });
  }

  model::InstanceId machine_;
  base::FakeClock clock_{now_};
  services::Directory directory_;
  api::Topics topics_;
  api::Engine engine_{*store_, locals_, directory_, topics_, clock_};
  LogStreams streams_{topics_};
  api::Authenticator authenticator_{engine_};
  AgentSessions sessions_{engine_, authenticator_, streams_, std::nullopt};
  TaskLogs logs_{engine_, sessions_, streams_};
  http::IoThreads io_{2};
  std::unique_ptr<http::Server> server_;
};

}  // namespace doors::agents
