// SPDX-License-Identifier: Apache-2.0
// RabbitMQ as a durable queue: a quorum queue, whose publisher confirms mean "on disk".
#include <unistd.h>

#include <bitset>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "amqp.h"
#include "sqs.h"
#include "subject.h"

namespace bench {
namespace {

constexpr Seconds kStartPatience{120}, kStopPatience{30};
constexpr char kServer[] = "/usr/lib/rabbitmq/bin/rabbitmq-server";  // not the wrapper, which changes the user
constexpr char kQueue[] = "bench";
constexpr int kChannel = 1;

// Publishes one message, or ten, and waits for the confirms; in a cycle also for a
// message, which the broker pushes (prefetch 1) and which is acknowledged with the next
// publish: AMQP does not confirm acknowledgements. All of this favours RabbitMQ.
class RabbitTalk : public Conversation {
 public:
  explicit RabbitTalk(Work work) : work_(work), wanted_(work == Work::Batch ? kBatch : 1) {}

  bool say(std::string& out) override {
    if (delivery_tag_) out += amqp::method(kChannel, amqp::Method::BasicAck, amqp::number(*delivery_tag_, 8) + '\0');
    delivery_tag_.reset();
    delivered_ = work_ != Work::Cycle;
    for (std::size_t i = 0; i < wanted_; ++i) unconfirmed_.set(i);
    for (std::size_t i = 0; i < wanted_; ++i) out += amqp::publish(kChannel, kQueue, message_body(published_++));
    return true;
  }

  Heard hear(std::string_view bytes) override {
    const amqp::Frame frame = amqp::read_frame(bytes);
    if (frame.size == 0) return {};
    if (frame.type == amqp::kBodyFrame) {
      delivered_ = true;
    } else if (frame.type == amqp::kMethodFrame) {
      hear_method(frame);
    }
    const bool whole = delivered_ && unconfirmed_.none();
    return {frame.size, whole, whole, static_cast<int>(wanted_)};
  }

 private:
  void hear_method(const amqp::Frame& frame) {
    const std::string_view arguments = frame.arguments();
    if (frame.method() == amqp::Method::BasicAck) {
      // A confirm of one message, or of all up to it; tags begin with 1.
      const std::uint64_t last = amqp::read_number(arguments, 8) + wanted_ - published_ - 1;
      const bool multiple = arguments[8] != 0;
      for (std::uint64_t i = multiple ? 0 : last; i <= last; ++i) unconfirmed_.reset(i);
    } else if (frame.method() == amqp::Method::BasicDeliver) {
      const std::size_t consumer_tag = amqp::read_number(arguments, 1);
      delivery_tag_ = amqp::read_number(arguments.substr(1 + consumer_tag), 8);
    } else {
      throw std::runtime_error("answered with " + std::string(frame.payload));
    }
  }

  Work work_;
  std::size_t wanted_;
  std::bitset<kBatch> unconfirmed_;  // of the last publish
  bool delivered_ = true;
  std::uint64_t published_ = 0;
  std::optional<std::uint64_t> delivery_tag_;
};

std::string declare_arguments() {
  const std::string type = amqp::short_text("x-queue-type") + "S" + amqp::long_text("quorum");
  constexpr int kDurable = 2;
  return amqp::number(0, 2) + amqp::short_text(kQueue) + amqp::number(kDurable, 1) + amqp::long_text(type);
}

int connect_for(unsigned short port, Work work) {
  const int fd = amqp::open_channel(port);
  amqp::call(fd, amqp::Method::ConfirmSelect, amqp::number(0, 1), amqp::Method::ConfirmSelectOk);
  if (work != Work::Cycle) return fd;
  const std::string one_at_a_time = amqp::number(0, 4) + amqp::number(1, 2) + amqp::number(0, 1);
  amqp::call(fd, amqp::Method::BasicQos, one_at_a_time, amqp::Method::BasicQosOk);
  const std::string consume =
      amqp::number(0, 2) + amqp::short_text(kQueue) + amqp::short_text("") + amqp::number(0, 1) + amqp::long_text("");
  amqp::call(fd, amqp::Method::BasicConsume, consume, amqp::Method::BasicConsumeOk);
  return fd;
}

// Erlang's nodes find each other through epmd, which would otherwise be started as a
// daemon and keep running.
Command epmd_command(const std::string& folder, unsigned short port) {
  if (::access(kServer, X_OK) != 0) throw std::runtime_error("not installed (bench/setup.sh installs it)");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return {.arguments = {find_program("epmd"), "-port", std::to_string(port), "-address", "127.0.0.1"},
          .environment = {},
          .log_file = folder + "/epmd.log"};
}

Command server_command(const std::string& folder, unsigned short port, unsigned short epmd_port) {
  std::ofstream(folder + "/enabled_plugins") << "[].\n";
  std::ofstream(folder + "/rabbitmq.conf") << "loopback_users.guest = true\n";
  return {
      .arguments = {kServer},
      .environment = {"HOME=" + folder, "RABBITMQ_NODENAME=stoker_bench@localhost",
                      "RABBITMQ_MNESIA_BASE=" + folder + "/mnesia", "RABBITMQ_LOG_BASE=" + folder,
                      "RABBITMQ_CONFIG_FILE=" + folder + "/rabbitmq.conf", "RABBITMQ_CONF_ENV_FILE=" + folder + "/none",
                      "RABBITMQ_ENABLED_PLUGINS_FILE=" + folder + "/enabled_plugins",
                      "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1", "RABBITMQ_NODE_PORT=" + std::to_string(port),
                      "RABBITMQ_DIST_PORT=" + std::to_string(free_port()),
                      "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}",
                      "ERL_EPMD_PORT=" + std::to_string(epmd_port), "ERL_EPMD_ADDRESS=127.0.0.1"},
      .log_file = folder + "/log"};
}

class RabbitSubject : public Subject {
 public:
  explicit RabbitSubject(const Ground& ground)
      : folder_(ground.folder + "/rabbitmq"),
        epmd_port_(free_port()),
        epmd_(epmd_command(folder_, epmd_port_)),
        port_(free_port()) {
    if (!wait_for_port(epmd_port_, kStartPatience)) throw std::runtime_error("epmd did not start");
    server_.emplace(server_command(folder_, port_, epmd_port_));
    if (!wait_for_port(port_, kStartPatience)) throw std::runtime_error("did not start");
  }
  ~RabbitSubject() override {
    server_->stop(kStopPatience);
    epmd_.stop(kStopPatience);
  }

  const char* name() const override { return "rabbitmq"; }
  bool does(Work work) const override { return work == Work::Send || work == Work::Batch || work == Work::Cycle; }
  std::vector<Connection> prepare(Work work, int connections) override {
    const int fd = amqp::open_channel(port_);
    amqp::call(fd, amqp::Method::QueueDeclare, declare_arguments(), amqp::Method::QueueDeclareOk);
    ::close(fd);
    std::vector<Connection> made;
    for (int i = 0; i < connections; ++i)
      made.emplace_back(connect_for(port_, work), std::make_unique<RabbitTalk>(work));
    return made;
  }
  void clean_up() override {
    const int fd = amqp::open_channel(port_);
    const std::string arguments = amqp::number(0, 2) + amqp::short_text(kQueue) + amqp::number(0, 1);
    amqp::call(fd, amqp::Method::QueueDelete, arguments, amqp::Method::QueueDeleteOk);
    ::close(fd);
  }
  Seconds cpu() const override { return server_->cpu(); }

 private:
  std::string folder_;
  unsigned short epmd_port_;
  Process epmd_;
  unsigned short port_;
  std::optional<Process> server_;
};

}  // namespace

std::unique_ptr<Subject> rabbitmq_subject(const Ground& ground) { return std::make_unique<RabbitSubject>(ground); }

}  // namespace bench
