// SPDX-License-Identifier: Apache-2.0
#include "http/signal.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace http {
namespace asio = boost::asio;
namespace {

// Removes the timer even if the coroutine is cancelled while it waits.
struct ListedTimer {
  ListedTimer(std::set<asio::steady_timer*>& all, asio::steady_timer* one) : list(all), timer(one) { list.insert(timer); }
  ListedTimer(const ListedTimer&) = delete;
  ~ListedTimer() { list.erase(timer); }

  std::set<asio::steady_timer*>& list;
  asio::steady_timer* timer;
};

}  // namespace

void Signal::notify() {
  for (asio::steady_timer* timer : waiting_) timer->cancel();
}

asio::awaitable<void> Signal::wait(base::Duration longest) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, longest);
  ListedTimer listed(waiting_, &timer);
  boost::system::error_code woken;
  auto token = asio::redirect_error(asio::use_awaitable, woken);
  co_await timer.async_wait(token);
}

asio::awaitable<void> sleep_for(base::Duration duration) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace http
