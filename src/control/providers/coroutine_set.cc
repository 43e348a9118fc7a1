// SPDX-License-Identifier: Apache-2.0
#include "control/providers/coroutine_set.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <vector>

#include "base/check.h"
#include "base/log.h"

namespace control::providers {
namespace asio = boost::asio;

CoroutineSet::~CoroutineSet() { CHECK(running_.empty()) << "a coroutine outlived its owner"; }

void CoroutineSet::spawn(std::string key, asio::awaitable<void> work, std::function<void()> ended) {
  if (cancelled_) return;
  CHECK(!contains(key)) << "two coroutines of one key";
  auto running = std::make_shared<Running>();
  running->ended = std::move(ended);
  running_[key] = running;
  auto on_done = [this, key](std::exception_ptr error) { on_end(key, error); };
  asio::co_spawn(executor_, std::move(work), asio::bind_cancellation_slot(running->signal.slot(), std::move(on_done)));
}

void CoroutineSet::on_end(const std::string& key, std::exception_ptr error) {
  std::shared_ptr<Running> running = running_[key];
  running_.erase(key);
  try {
    if (error && !running->cancelled) std::rethrow_exception(error);
  } catch (const std::exception& failure) {
    base::log_error("work on a machine failed", {{"machine", key}, {"error", failure.what()}});
  }
  asio::post(executor_, [running] {});
  if (running->ended) running->ended();
  // The last act: the owner may be gone when it returns.
  const std::function<void()> empty = running_.empty() ? empty_ : nullptr;
  if (empty) empty();
}

void CoroutineSet::cancel(const std::string& key) {
  auto found = running_.find(key);
  if (found == running_.end()) return;
  std::shared_ptr<Running> running = found->second;
  running->cancelled = true;
  running->signal.emit(asio::cancellation_type::terminal);
}

void CoroutineSet::cancel_all(std::function<void()> empty) {
  cancelled_ = true;
  std::vector<std::string> keys;
  for (const auto& [key, running] : running_) keys.push_back(key);
  if (keys.empty()) return empty();
  empty_ = std::move(empty);
  for (const std::string& key : keys) cancel(key);
}

}  // namespace control::providers
