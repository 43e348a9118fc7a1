// SPDX-License-Identifier: Apache-2.0
// Threads that run coroutines, with one io_context each, so that state of one thread
// needs no lock. Must outlive every server and client that uses it.
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

  // Round robin.
  boost::asio::io_context& next();
  std::size_t size() const { return contexts_.size(); }
  boost::asio::io_context& at(std::size_t i) { return *contexts_[i]; }

  // Joins the threads. Suspended coroutines are destroyed with this object, so their
  // owners must wait for them first.
  void stop();
  bool stopped() const { return stopped_; }

 private:
  std::vector<std::unique_ptr<boost::asio::io_context>> contexts_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> turn_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace http
