// SPDX-License-Identifier: Apache-2.0
#include "http/coroutines.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>

#include "base/check.h"
#include "base/log.h"

namespace http {
namespace asio = boost::asio;

Coroutines::~Coroutines() { CHECK(running_.empty()) << "a coroutine outlived its owner"; }

std::uint64_t Coroutines::spawn(std::string name, asio::awaitable<void> work) {
  const std::uint64_t id = ++last_;
  if (cancelled_) return id;
  auto running = std::make_shared<Running>();
  running->name = std::move(name);
  running_[id] = running;
  auto on_done = [this, id](std::exception_ptr error) { on_end(id, error); };
  asio::co_spawn(executor_, std::move(work), asio::bind_cancellation_slot(running->cancel.slot(), on_done));
  return id;
}

void Coroutines::on_end(std::uint64_t id, std::exception_ptr error) {
  std::shared_ptr<Running> running = running_[id];
  running_.erase(id);
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::exception& failure) {
    auto* aborted = dynamic_cast<const boost::system::system_error*>(&failure);
    const bool expected = running->cancelled || (aborted && aborted->code() == asio::error::operation_aborted);
    if (!expected) base::log_error("coroutine failed", {{"name", running->name}, {"error", failure.what()}});
  }
  ended_.notify();
  // The cancellation slot is in use until this handler returns.
  asio::post(executor_, [running] {});
}

void Coroutines::cancel() {
  cancelled_ = true;
  // Cancelling one may end others, which then leave the map.
  std::map<std::uint64_t, std::shared_ptr<Running>> all = running_;
  for (auto& [id, running] : all) cancel(id);
}

void Coroutines::cancel(std::uint64_t id) {
  auto found = running_.find(id);
  if (found == running_.end()) return;
  std::shared_ptr<Running> running = found->second;
  running->cancelled = true;
  running->cancel.emit(asio::cancellation_type::terminal);
}

asio::awaitable<void> Coroutines::ended() {
  while (!running_.empty()) {
    co_await ended_.wait(kLongestWait);
  }
}

asio::awaitable<void> Coroutines::ended_within(base::Duration longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!running_.empty() && std::chrono::steady_clock::now() < end) {
    const auto left = std::chrono::ceil<base::Duration>(end - std::chrono::steady_clock::now());
    co_await ended_.wait(left);
  }
}

}  // namespace http
