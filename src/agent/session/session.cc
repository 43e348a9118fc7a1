// SPDX-License-Identifier: Apache-2.0
#include "agent/session/session.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/log.h"
#include "base/random.h"
#include "shapes/agent/extensions.h"
#include "wire/error.h"

namespace agent {
namespace asio = boost::asio;
namespace messages = shapes::agent;
namespace {

// An unknown task of the manifest may be in a payload that follows.
constexpr base::Duration kPayloadGrace = std::chrono::seconds(3);

constexpr const char* kUnknownToServer = "The server has no record of this task.";

messages::IAMRoleCredentialsAckRequest credentials_ack(const std::string& message_id,
                                                       const messages::Credentials& credentials) {
  messages::IAMRoleCredentialsAckRequest ack;
  ack.messageId = message_id;
  ack.expiration = credentials.expiration;
  ack.credentialsId = credentials.credentialsId;
  return ack;
}

}  // namespace

std::map<std::string, std::string> session_query(const SessionSettings& settings) {
  return {{"clusterArn", settings.cluster},
          {"containerInstanceArn", settings.container_instance_arn},
          {"agentHash", "stoker-" + settings.agent_version},
          {"agentVersion", settings.agent_version},
          {"seqNum", "1"},
          {"protocolVersion", "2"},
          {"dockerVersion", settings.docker_version},
          {"sendCredentials", "true"}};
}

messages::StokerGpus gpus_message(const std::vector<gpu::Gpu>& gpus) {
  messages::StokerGpus message;
  for (const gpu::Gpu& gpu : gpus) {
    messages::StokerGpu one;
    one.id = gpu.id;
    one.model = gpu.model;
    one.memoryInMiB = gpu.memory_mib;
    one.healthy = gpu.healthy;
    if (!gpu.trouble.empty()) one.trouble = gpu.trouble;
    message.gpus.push_back(std::move(one));
  }
  return message;
}

asio::awaitable<void> Session::run(SessionSettings settings) {
  std::map<std::string, std::string> query = session_query(settings);
  std::shared_ptr<http::WebSocket> socket = co_await connect(settings.profile, settings.url, std::move(query));
  socket_ = std::move(socket);
  base::log_info("connected", {{"server", settings.url}});
  send(*socket_, "StokerGpus", gpus_message(machine_.ledger.gpus()));
  send(*socket_, "StokerHealth", machine_.health.message());
  send(*socket_, "StokerPulls", machine_.pulls.message());
  std::exception_ptr failure;
  try {
    co_await read(settings);
  } catch (...) {
    failure = std::current_exception();
  }
  end();
  if (failure) std::rethrow_exception(failure);
}

void Session::end() {
  socket_->close();
  socket_.reset();
  logs_.end_all();
  if (lost_reporter_ != 0) coroutines_.cancel(lost_reporter_);
  lost_reporter_ = 0;
}

asio::awaitable<void> Session::read(const SessionSettings& settings) {
  const base::Duration silence = silence_limit();
  for (;;) {
    base::Result<std::string> text = co_await socket_->read(silence);
    if (!text) throw std::runtime_error("the session ended: " + text.error());
    base::Result<wire::Frame> frame = wire::read_frame(*text);
    if (!frame) {
      base::log_warn("invalid frame ignored", {{"error", frame.error()}});
      continue;
    }
    if (frame->type.ends_with("Exception")) {
      throw wire::ApiError(frame->type, wire::read_message<messages::ErrorMessage>(*frame).message);
    }
    try {
      handle(settings, *frame);
    } catch (const std::exception& error) {
      base::log_error("message handling failed", {{"type", frame->type}, {"error", error.what()}});
    }
  }
}

void Session::handle(const SessionSettings& settings, const wire::Frame& frame) {
  if (frame.type == "HeartbeatMessage") {
    messages::HeartbeatAckRequest ack;
    ack.messageId = wire::read_message<messages::HeartbeatMessage>(frame).messageId;
    send(*socket_, "HeartbeatAckRequest", ack);
  } else if (frame.type == "PayloadMessage") {
    on_payload(settings, wire::read_message<messages::PayloadMessage>(frame));
  } else if (frame.type == "IAMRoleCredentialsMessage") {
    on_credentials(wire::read_message<messages::IAMRoleCredentialsMessage>(frame));
  } else if (frame.type == "TaskManifestMessage") {
    on_manifest(settings, wire::read_message<messages::TaskManifestMessage>(frame));
  } else if (frame.type == "TaskStopVerificationAck") {
    on_stop_verification(wire::read_message<messages::TaskStopVerificationAck>(frame));
  } else if (frame.type == "StokerReadLogs") {
    logs_.begin(wire::read_message<messages::StokerReadLogs>(frame), socket_);
  } else if (frame.type == "StokerExecMessage") {
    on_exec(settings, wire::read_message<messages::StokerExecMessage>(frame));
  } else if (frame.type == "StokerExecEnd") {
    commands_.end(wire::read_message<messages::StokerExecEnd>(frame).sessionId);
  } else if (frame.type == "StokerStopLogs") {
    logs_.end(wire::read_message<messages::StokerStopLogs>(frame).requestId);
  } else {
    base::log_debug("message of unknown type ignored", {{"type", frame.type}});
  }
}

void Session::acknowledge(const std::string& message_id, const SessionSettings& settings) {
  messages::AckRequest ack;
  ack.messageId = message_id;
  ack.cluster = settings.cluster;
  ack.containerInstance = settings.container_instance_arn;
  send(*socket_, "AckRequest", ack);
}

// Throws where a task cannot be stored: without an acknowledgement the server sends it again.
void Session::on_payload(const SessionSettings& settings, const messages::PayloadMessage& message) {
  std::exception_ptr failure;
  for (const messages::Task& task : message.tasks) {
    try {
      tasks_.accept(task);
    } catch (const std::exception&) {
      failure = std::current_exception();  // the other tasks start all the same
    }
  }
  if (failure) std::rethrow_exception(failure);
  acknowledge(message.messageId, settings);
  for (const messages::Task& task : message.tasks) {
    for (const auto& credentials : {task.roleCredentials, task.executionRoleCredentials}) {
      if (credentials) {
        send(*socket_, "IAMRoleCredentialsAckRequest", credentials_ack(message.messageId, *credentials));
      }
    }
  }
}

void Session::on_credentials(const messages::IAMRoleCredentialsMessage& message) {
  tasks_.set_credentials(message);
  send(*socket_, "IAMRoleCredentialsAckRequest", credentials_ack(message.messageId, message.roleCredentials));
}

void Session::on_manifest(const SessionSettings& settings, const messages::TaskManifestMessage& message) {
  acknowledge(message.messageId, settings);
  std::set<std::string> wanted;
  std::vector<messages::TaskIdentifier> lost;
  for (const messages::TaskIdentifier& task : message.tasks) {
    wanted.insert(task.taskArn);
    if (!tasks_.knows(task.taskArn)) lost.push_back(task);
    if (task.desiredStatus == kStopped) tasks_.stop(task.taskArn, "");
    tasks_.report_again(task.taskArn);
  }
  messages::TaskStopVerificationMessage verification;
  verification.messageId = base::random_uuid();
  for (messages::TaskIdentifier& task : tasks_.running()) {
    if (!wanted.contains(task.taskArn)) verification.stopCandidates.push_back(std::move(task));
  }
  if (!verification.stopCandidates.empty()) send(*socket_, "TaskStopVerificationMessage", verification);
  if (lost_reporter_ != 0) coroutines_.cancel(lost_reporter_);  // this manifest replaces the previous one
  lost_reporter_ = 0;
  if (!lost.empty())
    lost_reporter_ = coroutines_.spawn("lost tasks", report_lost(std::move(lost), settings.machine_name));
}

void Session::on_exec(const SessionSettings& settings, messages::StokerExecMessage message) {
  acknowledge(message.messageId, settings);
  commands_.begin(std::move(message), {settings.profile, settings.url});
}

void Session::on_stop_verification(const messages::TaskStopVerificationAck& message) {
  for (const messages::TaskIdentifier& task : message.stopTasks) tasks_.stop(task.taskArn, kUnknownToServer);
}

asio::awaitable<void> Session::report_lost(std::vector<messages::TaskIdentifier> lost, std::string machine_name) {
  co_await sleep_for(kPayloadGrace);
  for (const messages::TaskIdentifier& task : lost) {
    tasks_.accept_lost(task.taskArn, task.taskClusterArn,
                       "The agent on " + machine_name + " has no record of this task.");
  }
}

}  // namespace agent
