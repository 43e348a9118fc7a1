// SPDX-License-Identifier: Apache-2.0
// A queue of works for the threads of the store, first in, first out.
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
  std::exception_ptr error = nullptr;  // the argument of `done`
  std::vector<Tx::End> ends = {};      // the end callbacks of its work

  void end(bool committed) {
    const auto all = std::exchange(ends, {});
    if (committed) {
      for (const Tx::End& call : all) call(true);
    } else {
      for (auto call = all.rbegin(); call != all.rend(); ++call) (*call)(false);
    }
  }
};

// With more than this, callers are faster than the disk, and each further job would only make all wait longer.
inline constexpr std::size_t kMaxQueuedJobs = 1 << 16;

class JobQueue {
 public:
  // Rejects the job, by its Done on this thread, if closed or full.
  void push(Job job);
  // Waits for jobs and appends at most `most` to `into`. False if the queue is closed and empty.
  bool take(std::vector<Job>& into, std::size_t most);
  // Rejects new jobs; queued ones can still be taken.
  void close();

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Job> jobs_;
  bool closed_ = false;
};

// Passes the job's error to its Done and releases it: threads must not share an exception. Logs what Done throws, which
// is a bug, but must not end the thread that other jobs wait for.
void finish(Job& job);

}  // namespace store
