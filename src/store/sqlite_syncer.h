// SPDX-License-Identifier: Apache-2.0
// Makes committed works durable beside the writer, which runs the next ones meanwhile:
// a sync takes about as long as running what comes in during it.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/job_queue.h"

namespace store {

class SqliteSyncer {
 public:
  // `log_path`: the write-ahead log, which must exist. Every commit has been written to
  // it, unsynced, before its jobs come here; the log is in order, so that what is synced
  // never rests on something that is not.
  explicit SqliteSyncer(const std::string& log_path);
  // Syncs and finishes what it has been given.
  ~SqliteSyncer();
  SqliteSyncer(const SqliteSyncer&) = delete;
  SqliteSyncer& operator=(const SqliteSyncer&) = delete;

  // The writer is about to commit: from now on readers may see what is not durable yet.
  void expect_commit();
  // The writer has committed, or had nothing to commit. Each job's Done is called once
  // its effect, and all that it may have seen, is durable. Waits while more than
  // kMaxUnsynced batches are on their way.
  void finish_batch(std::vector<Job> batch, bool committed);
  // The same for a job that has read.
  void finish_read(Job job);

 private:
  struct Batch {
    std::vector<Job> jobs;
    bool committed;
  };

  void run();
  void finish_after_sync(std::unique_lock<std::mutex> lock, Batch batch);

  int log_ = -1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> unsynced_;
  int commits_ = 0;  // expected and not yet synced
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace store
