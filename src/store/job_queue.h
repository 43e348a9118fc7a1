// SPDX-License-Identifier: Apache-2.0
// Works on their way to a thread of the store, first come first served.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include "store/store.h"

namespace store {

struct Job {
  Store::Work work;
  Store::Done done;
  bool writes = true;
  std::exception_ptr error = nullptr;  // what `done` will be given
  std::vector<Tx::End> ends = {};      // what its work wants to be told

  void end(bool committed) {
    const auto all = std::exchange(ends, {});
    if (committed) {
      for (const Tx::End& told : all) told(true);
    } else {
      for (auto told = all.rbegin(); told != all.rend(); ++told) (*told)(false);
    }
  }
};

// Above this the callers are faster than the disk for good, and each more that
// waits only makes all wait longer: it is refused instead.
inline constexpr std::size_t kMaxQueuedJobs = 1 << 16;

class JobQueue {
 public:
  // Refuses, by the job's Done on this thread, when closed or full.
  void push(Job job);
  // Waits for work and moves at most `most` jobs to the end of `into`. False when
  // the queue is closed and empty.
  bool take(std::vector<Job>& into, std::size_t most);
  // No more comes in; what is in it can still be taken.
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Job> jobs_;
  bool closed_ = false;
};

// Hands its error to its Done, and keeps no hold on it: an exception is of one thread
// at a time. A Done that throws is a mistake of its writer,
// which must not end the thread that all others wait for.
void finish(Job& job);

}  // namespace store
