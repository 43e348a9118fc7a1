// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/sleep.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace agent::drivers {

boost::asio::awaitable<void> sleep_for(base::Duration duration) {
  boost::asio::any_io_executor executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer timer(executor, duration);
  co_await timer.async_wait(boost::asio::use_awaitable);
}

}  // namespace agent::drivers
