// SPDX-License-Identifier: Apache-2.0
#include "deep.h"

#include <filesystem>
#include <optional>

#include "sqs.h"
#include "support/stoker_server.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kDrainConnections = 16;
// The number of messages in an almost empty queue, which is filled again when it is empty.
constexpr std::int64_t kFewMessages = 5000;

Outcome drain(SqsQueue& queue, Seconds seconds) {
  std::vector<Connection> connections;
  for (int i = 0; i < kDrainConnections; ++i) connections.emplace_back(connect_to(queue.port()), queue.drainer());
  return run_load(connections, Seconds(0), seconds);
}

// Times only the draining.
double drain_rate_of_few(const Endpoint& endpoint, Seconds seconds) {
  SqsQueue queue(endpoint, "few");
  Seconds spent{0};
  std::uint64_t messages = 0;
  while (spent < seconds) {
    fill(queue, kFewMessages);
    const Outcome outcome = drain(queue, seconds);
    spent += outcome.elapsed;
    messages += outcome.messages;
  }
  return static_cast<double>(messages) / spent.count();
}

Seconds since(Clock::time_point began) { return Clock::now() - began; }

// Ends after its first response.
class ReceiveOnce : public Conversation {
 public:
  explicit ReceiveOnce(std::unique_ptr<Conversation> receiver) : receiver_(std::move(receiver)) {}
  bool say(std::string& out) override { return !std::exchange(said_, true) && receiver_->say(out); }
  Heard hear(std::string_view bytes) override { return receiver_->hear(bytes); }

 private:
  std::unique_ptr<Conversation> receiver_;
  bool said_ = false;
};

}  // namespace

Deep measure_deep(const DeepPlan& plan) {
  Deep deep;
  deep.messages = plan.messages;
  std::filesystem::remove_all(plan.folder);
  std::optional<StokerServer> server(std::in_place, plan.program, plan.folder);
  auto began = Clock::now();
  {
    SqsQueue queue(server->endpoint(), "deep");
    fill(queue, plan.messages);
  }
  deep.fill_rate = static_cast<double>(plan.messages) / since(began).count();

  began = Clock::now();
  server->stop();
  deep.stop = since(began);
  began = Clock::now();
  server.emplace(plan.program, plan.folder);
  deep.start = server->ready_after();
  SqsQueue queue(server->endpoint(), "deep");
  run_alone(connect_to(queue.port()), std::make_unique<ReceiveOnce>(queue.receiver(1)));
  deep.first_message = since(began);

  const Outcome outcome = drain(queue, plan.seconds);
  deep.deep_rate = outcome.per_second(outcome.messages);
  deep.empty_rate = drain_rate_of_few(server->endpoint(), plan.seconds);
  server->stop();
  std::filesystem::remove_all(plan.folder);
  return deep;
}

}  // namespace bench
