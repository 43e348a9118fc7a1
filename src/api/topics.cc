// SPDX-License-Identifier: Apache-2.0
#include "api/topics.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>

namespace api {
namespace asio = boost::asio;
namespace {

// A waiter that finds its topic forgotten looks once more than necessary.
constexpr std::size_t kMaxWokenTopics = 4096;

}  // namespace

// The timer belongs to the thread of the waiting coroutine: a wake is posted to that thread.
struct Topics::Waiter : std::enable_shared_from_this<Waiter> {
  Waiter(asio::any_io_executor executor, std::vector<std::string> waits_for)
      : timer(std::move(executor)), topics(std::move(waits_for)), places(topics.size()) {}

  void wake() {
    asio::post(timer.get_executor(), [self = shared_from_this()] { self->timer.cancel(); });
  }
  // Both under the lock of Topics.
  void enlist(State& state);
  void leave(State& state);

  asio::steady_timer timer;
  const std::vector<std::string> topics;
  // Guarded by the lock of Topics: its remaining places in the lists of its topics.
  std::vector<std::optional<Waiters::iterator>> places;
};

void Topics::State::set_woken(const std::string& topic) {
  ++version;
  if (woken.size() >= kMaxWokenTopics && !woken.contains(topic)) {
    woken.clear();
    forgotten = version;
  }
  woken[topic] = version;
}

std::uint64_t Topics::State::last_woken(const std::string& topic) const {
  auto found = woken.find(topic);
  return found == woken.end() ? forgotten : found->second;
}

void Topics::Waiter::enlist(State& state) {
  for (std::size_t i = 0; i < topics.size(); ++i) {
    Waiters& all = state.waiters[topics[i]];
    places[i] = all.insert(all.end(), Entry{shared_from_this(), i});
  }
}

void Topics::Waiter::leave(State& state) {
  for (std::size_t i = 0; i < topics.size(); ++i) {
    if (!places[i]) continue;
    auto found = state.waiters.find(topics[i]);
    found->second.erase(*places[i]);
    if (found->second.empty()) state.waiters.erase(found);
    places[i].reset();
  }
}

std::uint64_t Topics::seen() const {
  return state_.with([](const State& state) { return state.version; });
}

std::shared_ptr<Topics::Waiter> Topics::take_first(Waiters& waiters) {
  const Entry first = waiters.front();
  waiters.pop_front();
  first.waiter->places[first.place].reset();
  return first.waiter;
}

void Topics::wake(const std::string& topic, std::size_t most) {
  auto woken = state_.with([&](State& state) {
    state.set_woken(topic);
    std::vector<std::shared_ptr<Waiter>> first;
    auto found = state.waiters.find(topic);
    if (found == state.waiters.end()) return first;
    while (!found->second.empty() && first.size() < most) first.push_back(take_first(found->second));
    if (found->second.empty()) state.waiters.erase(found);
    return first;
  });
  for (const auto& waiter : woken) waiter->wake();
}

void Topics::wake(const std::vector<services::Wake>& wakes) {
  for (const services::Wake& one : wakes) wake(one.topic, one.most);
}

void Topics::wake_all() {
  auto woken = state_.with([](State& state) {
    std::vector<std::shared_ptr<Waiter>> all;
    state.forgotten = ++state.version;
    state.woken.clear();
    for (auto& [name, waiters] : state.waiters) {
      while (!waiters.empty()) all.push_back(take_first(waiters));
    }
    state.waiters.clear();
    return all;
  });
  for (const auto& waiter : woken) waiter->wake();
}

asio::awaitable<void> Topics::wait(std::string topic, std::uint64_t seen, base::Duration most, std::string also) {
  auto executor = co_await asio::this_coro::executor;
  std::vector<std::string> topics{std::move(topic)};
  if (!also.empty()) topics.push_back(std::move(also));
  auto waiter = std::make_shared<Waiter>(executor, std::move(topics));
  waiter->timer.expires_after(most);
  const bool waits = state_.with([&](State& state) {
    for (const std::string& one : waiter->topics) {
      if (state.last_woken(one) > seen) return false;
    }
    waiter->enlist(state);
    return true;
  });
  if (!waits) co_return;
  auto [error] = co_await waiter->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  static_cast<void>(error);  // woken or timed out: the caller looks again either way
  state_.with([&](State& state) { waiter->leave(state); });
}

}  // namespace api
