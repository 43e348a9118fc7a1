// SPDX-License-Identifier: Apache-2.0
#include "api/topics.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace api {
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMaxQuietTopics = 100000;

}  // namespace

// The timer belongs to the thread of the waiting coroutine: a wake is posted to that thread.
struct Topics::Waiter : std::enable_shared_from_this<Waiter> {
  explicit Waiter(asio::any_io_executor executor) : timer(std::move(executor)) {}

  void wake() {
    asio::post(timer.get_executor(), [self = shared_from_this()] { self->timer.cancel(); });
  }

  asio::steady_timer timer;
  // Guarded by the lock of Topics: whether it is still in its topic's list, and where.
  bool listed = false;
  Waiters::iterator place;
};

std::uint64_t Topics::seen() const {
  return state_.with([](const State& state) { return state.version; });
}

void Topics::wake(const std::string& topic, std::size_t most) {
  auto woken = state_.with([&](State& state) {
    if (state.topics.size() > kMaxQuietTopics) {
      std::erase_if(state.topics, [](const auto& entry) { return entry.second.waiters.empty(); });
      state.forgotten = state.version;
    }
    Topic& entry = state.topics[topic];
    entry.woken = ++state.version;
    Waiters first;
    auto end = most >= entry.waiters.size() ? entry.waiters.end() : std::next(entry.waiters.begin(), most);
    for (auto it = entry.waiters.begin(); it != end; ++it) (*it)->listed = false;
    first.splice(first.end(), entry.waiters, entry.waiters.begin(), end);
    return first;
  });
  for (const auto& waiter : woken) waiter->wake();
}

void Topics::wake(const std::vector<services::Wake>& wakes) {
  for (const services::Wake& one : wakes) wake(one.topic, one.most);
}

void Topics::wake_all() {
  auto woken = state_.with([](State& state) {
    Waiters all;
    ++state.version;
    for (auto& [name, topic] : state.topics) {
      topic.woken = state.version;
      for (const auto& waiter : topic.waiters) waiter->listed = false;
      all.splice(all.end(), topic.waiters);
    }
    state.forgotten = state.version;
    return all;
  });
  for (const auto& waiter : woken) waiter->wake();
}

asio::awaitable<void> Topics::wait(std::string topic, std::uint64_t seen, base::Duration most) {
  auto executor = co_await asio::this_coro::executor;
  auto waiter = std::make_shared<Waiter>(executor);
  waiter->timer.expires_after(most);
  const bool waits = state_.with([&](State& state) {
    auto found = state.topics.find(topic);
    const std::uint64_t woken = found == state.topics.end() ? state.forgotten : found->second.woken;
    if (woken > seen) return false;
    Topic& entry = state.topics.try_emplace(topic, Topic{state.forgotten, {}}).first->second;
    waiter->place = entry.waiters.insert(entry.waiters.end(), waiter);
    waiter->listed = true;
    return true;
  });
  if (!waits) co_return;
  auto [error] = co_await waiter->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  static_cast<void>(error);  // woken or timed out: the caller looks again either way
  state_.with([&](State& state) {
    if (waiter->listed) state.topics[topic].waiters.erase(waiter->place);
    waiter->listed = false;
  });
}

}  // namespace api
