// SPDX-License-Identifier: Apache-2.0
// Threads that wait for the disk, so that the threads of coroutines need not.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>

namespace objects {

class DiskThreads {
 public:
  using Work = std::function<void()>;

  // A running work. Used on the thread of the coroutine that started it.
  class Pending {
   public:
    // The work has ended, and wait() returns immediately.
    bool ended() const;
    // Call once. Rethrows the work's exception.
    boost::asio::awaitable<void> wait();

   private:
    friend class DiskThreads;
    struct State;
    std::shared_ptr<State> state_;  // shared with the work, which may outlive this object
  };

  // Number of computing threads: one for each core, and a few for writing meanwhile.
  static int default_workers();
  // Number of waiting threads: a disk is faster with many requests at once.
  static constexpr int kWaiters = 32;

  explicit DiskThreads(int workers = default_workers());
  // Waits for running works.
  ~DiskThreads();

  // For works that compute, or copy much. `executor` is the calling coroutine's.
  Pending start(boost::asio::any_io_executor executor, Work work);
  // For works that only wait for the disk: computing works do not delay them.
  Pending start_wait(boost::asio::any_io_executor executor, Work work);
  // Starts such a work and waits for it. `work` may refer to objects that outlive the await.
  boost::asio::awaitable<void> run(Work work);
  // The same for a computing work.
  boost::asio::awaitable<void> compute(Work work);
  // Without waiting. Logs the work's exception.
  void post(Work work);

 private:
  static Pending started(boost::asio::thread_pool& threads, boost::asio::any_io_executor executor, Work work);

  boost::asio::thread_pool workers_, waiters_;
};

}  // namespace objects
