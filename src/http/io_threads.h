// SPDX-License-Identifier: Apache-2.0
// Threads that run coroutines: one io_context each, so that whatever lives on one
// of them needs no lock. Outlives every server and client that it is given to.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace http {

class IoThreads {
 public:
  explicit IoThreads(int threads);
  ~IoThreads();

  // The threads in turn.
  boost::asio::io_context& next();
  std::size_t size() const { return contexts_.size(); }
  boost::asio::io_context& at(std::size_t i) { return *contexts_[i]; }

  // Joins the threads. What is still suspended on them is destroyed with this
  // object, so whoever owns coroutines must have waited for them before.
  void stop();
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::unique_ptr<boost::asio::io_context>> contexts_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> turn_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace http
