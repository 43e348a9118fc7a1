// SPDX-License-Identifier: Apache-2.0
#include "api/loops.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <memory>

#include "base/check.h"
#include "base/log.h"

namespace api {
namespace asio = boost::asio;
namespace {

constexpr base::Duration kBackOff = std::chrono::seconds(1);
constexpr base::Duration kLongestSleep = std::chrono::minutes(10);

// `loop` is shared with the function that makes turns, which may be copied.
asio::awaitable<std::optional<base::Time>> take_turn(Engine* engine, std::shared_ptr<services::Loop> loop) {
  services::Caller nobody;
  services::Decision decision;
  Engine::Work look = [&](services::Call& call) { decision = loop->look(call); };
  co_await engine->run(services::Access::Read, nobody, std::move(look));
  if (decision.apply) {
    Engine::Work apply = [&](services::Call& call) { decision.apply(call); };
    co_await engine->run(services::Access::Write, nobody, std::move(apply));
  }
  co_return decision.next;
}

}  // namespace

Loop make_loop(Engine& engine, services::Loop loop) {
  auto shared = std::make_shared<services::Loop>(std::move(loop));
  return {shared->name, shared->topic, std::bind_front(&take_turn, &engine, shared)};
}

Loops::Loops(http::IoThreads& io, Engine& engine, std::vector<Loop> loops)
    : engine_(engine), ended_(static_cast<std::ptrdiff_t>(loops.size())) {
  for (const Loop& loop : loops) topics_.push_back(loop.topic);
  for (Loop& loop : loops) {
    asio::co_spawn(io.next(), run(std::move(loop)), [this](std::exception_ptr error) {
      CHECK(!error) << "a loop let an exception through";
      ended_.count_down();
    });
  }
}

Loops::~Loops() {
  stopping_ = true;
  for (const std::string& topic : topics_) engine_.topics().wake(topic);
  ended_.wait();
}

asio::awaitable<void> Loops::run(Loop loop) {
  base::Duration pause = base::Duration::zero();
  while (!stopping_) {
    const std::uint64_t seen = engine_.topics().seen();
    try {
      std::optional<base::Time> next = co_await loop.turn();
      pause = next ? std::clamp(*next - engine_.clock().now(), base::Duration(1), kLongestSleep) : kLongestSleep;
    } catch (const std::exception& error) {
      base::log_error("loop failed", {{"loop", loop.name}, {"error", error.what()}});
      pause = kBackOff;
    }
    // Read after `seen`: a stop in between has woken the topic.
    if (stopping_) co_return;
    co_await engine_.topics().wait(loop.topic, seen, pause);
  }
}

}  // namespace api
