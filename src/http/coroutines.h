// SPDX-License-Identifier: Apache-2.0
// The coroutines of one owner, all on one thread. The owner can cancel them and wait for their end.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "http/signal.h"

namespace http {

class Coroutines {
 public:
  explicit Coroutines(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  Coroutines(const Coroutines&) = delete;
  ~Coroutines();  // all must have ended

  // `name` appears in the log if the coroutine throws. Does nothing after cancel().
  std::uint64_t spawn(std::string name, boost::asio::awaitable<void> work);

  // Ends each current wait with an error. Every later wait throws.
  void cancel();
  void cancel(std::uint64_t id);
  bool empty() const { return running_.empty(); }
  boost::asio::awaitable<void> ended();
  // At most `longest`.
  boost::asio::awaitable<void> ended_within(base::Duration longest);

 private:
  struct Running {
    boost::asio::cancellation_signal cancel;
    std::string name;
    bool cancelled = false;
  };
  void on_end(std::uint64_t id, std::exception_ptr error);

  boost::asio::any_io_executor executor_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Running>> running_;  // shared with the completion handler, see on_end
  bool cancelled_ = false;
  Signal ended_;
};

}  // namespace http
