// SPDX-License-Identifier: Apache-2.0
// Threads that may wait for a disk, so that those which run coroutines need not.
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

  // A work on its way. Belongs to the thread of the coroutine that started it.
  class Pending {
   public:
    // It has ended, and wait() will not wait.
    bool ended() const;
    // Once. Rethrows what the work threw.
    boost::asio::awaitable<void> wait();

   private:
    friend class DiskThreads;
    struct State;
    std::shared_ptr<State> state_;  // shared with the work, which ends even where nobody waits for it
  };

  // How many may compute at once: as many as there are cores, and a few that write meanwhile.
  static int default_workers();
  // How many may wait at once: a disk does more of what it is asked together.
  static constexpr int kWaiters = 32;

  explicit DiskThreads(int workers = default_workers());
  // Waits for what was started.
  ~DiskThreads();

  // What computes, or copies much. `executor` is the calling coroutine's.
  Pending start(boost::asio::any_io_executor executor, Work work);
  // What only waits for the disk: it is not held up by what computes.
  Pending start_wait(boost::asio::any_io_executor executor, Work work);
  // Such work, started and waited for. `work` may refer to what outlives the await.
  boost::asio::awaitable<void> run(Work work);
  // The same for what computes.
  boost::asio::awaitable<void> compute(Work work);
  // Nobody waits for it; what it throws is logged.
  void post(Work work);

 private:
  static Pending started(boost::asio::thread_pool& threads, boost::asio::any_io_executor executor, Work work);

  boost::asio::thread_pool workers_, waiters_;
};

}  // namespace objects
