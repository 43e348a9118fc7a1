// SPDX-License-Identifier: Apache-2.0
// Runs a coroutine and waits for its result. Never call it on a thread that runs coroutines.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <optional>
#include <utility>

namespace http {

template <class T>
boost::asio::awaitable<void> store(boost::asio::awaitable<T> work, std::optional<T>& into) {
  T value = co_await std::move(work);
  into = std::move(value);
}

template <class T>
T block_on(boost::asio::io_context& io, boost::asio::awaitable<T> work) {
  std::optional<T> result;
  boost::asio::co_spawn(io, store(std::move(work), result), boost::asio::use_future).get();
  return std::move(*result);
}

}  // namespace http
