// SPDX-License-Identifier: Apache-2.0
#include "control/loops.h"

#include <boost/asio/co_spawn.hpp>

#include "api/transaction.h"
#include "base/check.h"
#include "base/log.h"
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

std::optional<base::Time> sweep_keys(services::Call& call) {
  state::delete_expired_keys(call.tx, call.now);
  return call.now + kKeysEvery;
}

}  // namespace

std::vector<Loop> all_loops() {
  return {
      {"sqs sweep", services::sqs::kSweepTopic, sweep_queues()},
      {"sqs moves", services::sqs::kMoveTopic, &services::sqs::advance_move_tasks},
      {"key sweep", "keys/sweep", &sweep_keys},
  };
}

Loops::Loops(http::IoThreads& io, store::Store& store, const services::Locals& locals, api::Topics& topics,
             base::Clock& clock, std::vector<Loop> loops)
    : store_(store), locals_(locals), topics_(topics), clock_(clock), ended_(static_cast<std::ptrdiff_t>(loops.size())) {
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
  for (const std::string& topic : names_) topics_.wake(topic);
  ended_.wait();
}

asio::awaitable<void> Loops::run(Loop loop) {
  base::Duration pause = base::Duration::zero();
  while (!stopping_) {
    const std::uint64_t seen = topics_.seen();
    try {
      std::optional<base::Time> next = co_await take_turn(loop);
      pause = next ? std::clamp(*next - clock_.now(), base::Duration(1), kLongest) : kLongest;
    } catch (const std::exception& error) {
      base::log_error("loop failed", {{"loop", loop.name}, {"error", error.what()}});
      pause = kBackOff;
    }
    // Read after `seen`: a stop in between has woken the topic.
    if (stopping_) co_return;
    co_await topics_.wait(loop.topic, seen, pause);
  }
}

asio::awaitable<std::optional<base::Time>> Loops::take_turn(Loop& loop) {
  std::optional<base::Time> next;
  std::vector<services::Wake> wakes;
  services::Caller caller;
  const base::Time now = clock_.now();
  store::Store::Work work = [&](store::Tx& tx) {
    services::Call call{tx, caller, now, now, &locals_};
    next = loop.turn(call);
    wakes = std::move(call.wakes);
  };
  co_await api::transact(store_, services::Access::Write, std::move(work));
  topics_.wake(wakes);
  co_return next;
}

}  // namespace control
