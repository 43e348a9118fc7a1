// SPDX-License-Identifier: Apache-2.0
#include "control/loops.h"

#include <boost/asio/co_spawn.hpp>

#include "base/check.h"
#include "base/log.h"
#include "services/ecs/tasks/sweep.h"
#include "services/ecs/tasks/task_row.h"
#include "services/s3/expiry.h"
#include "services/sqs/lot.h"
#include "services/sqs/move_tasks.h"
#include "state/keys.h"

namespace control {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kSweepEvery = std::chrono::seconds(10);
constexpr base::Duration kBetweenSlices = std::chrono::milliseconds(5);
constexpr auto kKeysEvery = std::chrono::minutes(10);
constexpr base::Duration kBackOff = std::chrono::seconds(1);
constexpr base::Duration kLongest = std::chrono::minutes(10);

// Remembers where it was: with many queues a sweep takes many turns.
Turn sweep_queues() {
  return [after = std::int64_t{0}](services::Call& call) mutable -> std::optional<base::Time> {
    const services::sqs::Swept swept = services::sqs::sweep(call.tx, call.now, after);
    after = swept.after;
    return call.now + (swept.more ? kBetweenSlices : kSweepEvery);
  };
}

Turn expire_objects() {
  return [state = services::s3::ExpiryState()](services::Call& call) mutable {
    return services::s3::expire_objects(call, state);
  };
}

std::optional<base::Time> sweep_keys(services::Call& call) {
  state::delete_expired_keys(call.tx, call.now);
  return call.now + kKeysEvery;
}

}  // namespace

std::vector<Loop> all_loops(base::Duration lost_after) {
  Turn sweep_tasks = [lost_after](services::Call& call) { return services::ecs::sweep_tasks(call, lost_after); };
  return {
      {"sqs sweep", services::sqs::kSweepTopic, sweep_queues()},
      {"sqs moves", services::sqs::kMoveTopic, &services::sqs::advance_move_tasks},
      {"key sweep", "keys/sweep", &sweep_keys},
      {"ecs sweep", std::string(services::ecs::kTaskSweepTopic), std::move(sweep_tasks)},
      {"s3 expiry", services::s3::kExpiryTopic, expire_objects()},
  };
}

Loops::Loops(http::IoThreads& io, api::Engine& engine, std::vector<Loop> loops)
    : engine_(engine), ended_(static_cast<std::ptrdiff_t>(loops.size())) {
  for (const Loop& loop : loops) names_.push_back(loop.topic);
  for (Loop& loop : loops) {
    asio::co_spawn(io.next(), run(std::move(loop)), [this](std::exception_ptr error) {
      CHECK(!error) << "a loop let an exception through";
      ended_.count_down();
    });
  }
}

Loops::~Loops() {
  stopping_ = true;
  for (const std::string& topic : names_) engine_.topics().wake(topic);
  ended_.wait();
}

asio::awaitable<void> Loops::run(Loop loop) {
  base::Duration pause = base::Duration::zero();
  while (!stopping_) {
    const std::uint64_t seen = engine_.topics().seen();
    try {
      std::optional<base::Time> next = co_await take_turn(loop);
      pause = next ? std::clamp(*next - engine_.clock().now(), base::Duration(1), kLongest) : kLongest;
    } catch (const std::exception& error) {
      base::log_error("loop failed", {{"loop", loop.name}, {"error", error.what()}});
      pause = kBackOff;
    }
    // Read after `seen`: a stop in between has woken the topic.
    if (stopping_) co_return;
    co_await engine_.topics().wait(loop.topic, seen, pause);
  }
}

asio::awaitable<std::optional<base::Time>> Loops::take_turn(Loop& loop) {
  std::optional<base::Time> next;
  if (loop.steps) {
    next = co_await loop.steps();
    co_return next;
  }
  services::Caller nobody;
  api::Engine::Work work = [&](services::Call& call) { next = loop.turn(call); };
  co_await engine_.run(services::Access::Write, std::move(nobody), std::move(work));
  co_return next;
}

}  // namespace control
