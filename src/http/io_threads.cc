// SPDX-License-Identifier: Apache-2.0
#include "http/io_threads.h"

#include <pthread.h>
#include <signal.h>

#include <boost/asio/executor_work_guard.hpp>
#include <exception>
#include <string>

#include "base/check.h"
#include "base/log.h"
#include "base/short_slices.h"

namespace http {
namespace {

// Writing to a closed connection must return an error: sendfile() has no flag to suppress SIGPIPE.
void block_broken_pipe_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void run(boost::asio::io_context& context, std::size_t number) {
  block_broken_pipe_signals();
  pthread_setname_np(pthread_self(), ("io-" + std::to_string(number)).c_str());
  base::run_in_short_slices();
  auto work = boost::asio::make_work_guard(context);
  while (!context.stopped()) {
    try {
      context.run();
    } catch (const std::exception& error) {
      base::log_error("io handler threw", {{"error", error.what()}});
    }
  }
}

}  // namespace

IoThreads::IoThreads(int threads) {
  CHECK(threads > 0) << "IoThreads needs a thread";
  for (int i = 0; i < threads; ++i) {
    // The hint 1: one thread runs it; others may still post to it.
    contexts_.push_back(std::make_unique<boost::asio::io_context>(1));
  }
  for (std::size_t i = 0; i < contexts_.size(); ++i) {
    threads_.emplace_back([this, i] { run(*contexts_[i], i); });
  }
}

IoThreads::~IoThreads() { stop(); }

boost::asio::io_context& IoThreads::next() {
  return *contexts_[turn_.fetch_add(1, std::memory_order_relaxed) % contexts_.size()];
}

void IoThreads::stop() {
  if (stopped_.exchange(true)) return;
  for (auto& context : contexts_) context->stop();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace http
