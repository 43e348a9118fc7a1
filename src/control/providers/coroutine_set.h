// SPDX-License-Identifier: Apache-2.0
// Coroutines of one owner on one thread, each with a key. The owner can cancel them and wait for their end.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace control::providers {

class CoroutineSet {
 public:
  explicit CoroutineSet(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  CoroutineSet(const CoroutineSet&) = delete;
  CoroutineSet& operator=(const CoroutineSet&) = delete;
  ~CoroutineSet();  // all must have ended

  // No other coroutine has this key. Does nothing after cancel_all(). An exception is logged, except after a
  // cancellation. `ended` is called at the end.
  void spawn(std::string key, boost::asio::awaitable<void> work, std::function<void()> ended = {});
  bool contains(const std::string& key) const { return running_.contains(key); }
  std::size_t size() const { return running_.size(); }

  // Ends the current wait with an error; every later wait throws.
  void cancel(const std::string& key);
  // Calls `empty` once no coroutine is left.
  void cancel_all(std::function<void()> empty);

 private:
  struct Running {
    boost::asio::cancellation_signal signal;
    std::function<void()> ended;
    bool cancelled = false;
  };
  void on_end(const std::string& key, std::exception_ptr error);

  boost::asio::any_io_executor executor_;
  // Shared with the completion handler: the signal is in use until the handler has returned.
  std::map<std::string, std::shared_ptr<Running>> running_;
  std::function<void()> empty_;
  bool cancelled_ = false;
};

}  // namespace control::providers
