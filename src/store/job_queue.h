// SPDX-License-Identifier: Apache-2.0
// A queue of works for the threads of the store. Accounts take turns; the works of one account run in order.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/neighbours.h"
#include "store/store.h"

namespace store {

struct Job {
  Store::Work work;
  Store::Done done;
  bool writes = true;
  std::exception_ptr error = nullptr;  // the argument of `done`
  std::vector<Tx::End> ends = {};      // the end callbacks of its work
  std::string account = {};            // set by the queue; "" for the server's own
  bool over_time = false;              // it has failed with OverTime, and must not run again

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
// One account must not fill the queue for all.
inline constexpr std::size_t kMaxQueuedPerAccount = kMaxQueuedJobs / 4;

inline constexpr std::size_t kUnlimitedJobs = static_cast<std::size_t>(-1);

// Jobs of one account that run at a time, for a queue with several threads.
struct RunningLimits {
  std::size_t running = kUnlimitedJobs;
  std::size_t beside_neighbours = kUnlimitedJobs;  // while several accounts use the store; not of the server's own jobs
};

class JobQueue {
 public:
  // `neighbours` notes the accounts of all jobs, and outlives the queue.
  explicit JobQueue(RunningLimits limits = {}, Neighbours* neighbours = nullptr)
      : limits_(limits), neighbours_(neighbours) {}

  // Rejects the job, by its Done on this thread, if closed or full.
  void push(Job job);
  // Waits for jobs and appends at most `most` to `into`, one of each account in turn. False if the queue is closed and
  // empty.
  bool take(std::vector<Job>& into, std::size_t most);
  // The job of this account that was taken has ended. Only for a queue with limits. The caller calls take()
  // next, or never again: what this job's end permits it takes itself.
  void finished(const std::string& account);
  // Jobs that were taken and did not run: they are the next of their accounts again, and these accounts have the next
  // turns, in the order of the jobs. At the end of the turns, behind an account whose jobs fill a batch each, they would
  // be cut from every batch.
  void put_back(std::span<Job> jobs);
  // Whether a job of another account waits.
  bool others_wait(const std::string& account) const;
  // Rejects new jobs; queued ones can still be taken.
  void close();

 private:
  // The jobs of one account.
  struct Line {
    std::deque<Job> jobs;
    std::size_t running = 0;
    bool in_turn = false;  // in turns_
  };
  using Lines = std::unordered_map<std::string, Line>;

  const char* rejection(const Lines::iterator& line) const;
  void join_turns(Lines::value_type& line);
  bool may_run(const Lines::value_type& line) const;

  const RunningLimits limits_;
  Neighbours* const neighbours_;
  mutable std::mutex mutex_;
  std::condition_variable filled_;
  Lines lines_;                              // with a job that waits or runs
  std::deque<Lines::value_type*> turns_;     // those with a job that may run, the next one first
  std::size_t waiting_ = 0;                  // jobs in lines_
  bool closed_ = false;
};

// Passes the job's error to its Done and releases it: threads must not share an exception. Logs what Done throws, which
// is a bug, but must not end the thread that other jobs wait for.
void finish(Job& job);

}  // namespace store
