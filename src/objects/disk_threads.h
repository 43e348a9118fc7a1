// SPDX-License-Identifier: Apache-2.0
// Threads that may wait for a disk, so that those which run coroutines need not.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>

namespace objects {

// Enough to keep a disk and its checksums busy; more would only wait beside each other.
inline constexpr int kDiskThreads = 4;

class DiskThreads {
 public:
  using Work = std::function<void()>;

  // A work on its way. Belongs to the thread of the coroutine that started it.
  class Pending {
   public:
    // Once. Rethrows what the work threw.
    boost::asio::awaitable<void> wait();

   private:
    friend class DiskThreads;
    struct State;
    std::shared_ptr<State> state_;  // shared with the work, which ends even where nobody waits for it
  };

  explicit DiskThreads(int threads = kDiskThreads);
  // Waits for what was started.
  ~DiskThreads();

  // `executor` is the calling coroutine's.
  Pending start(boost::asio::any_io_executor executor, Work work);
  // Started and waited for. `work` may refer to what outlives the await.
  boost::asio::awaitable<void> run(Work work);
  // Nobody waits for it; what it throws is logged.
  void post(Work work);

 private:
  boost::asio::thread_pool threads_;
};

}  // namespace objects
