// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_syncer.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cstring>

#include "base/check.h"

namespace store {
namespace {

// Enough for one to be synced while another is run; more would only make a crash
// forget more that nobody was told of.
constexpr std::size_t kMaxUnsynced = 4;

}  // namespace

SqliteSyncer::SqliteSyncer(const std::string& log_path) : log_(::open(log_path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (log_ < 0) throw Error(ErrorKind::Other, "cannot open " + log_path + ": " + std::strerror(errno));
  thread_ = std::thread([this] { run(); });
}

SqliteSyncer::~SqliteSyncer() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  ::close(log_);
}

void SqliteSyncer::expect_commit() {
  std::lock_guard lock(mutex_);
  ++commits_;
}

void SqliteSyncer::finish_batch(std::vector<Job> batch, bool committed) {
  std::unique_lock lock(mutex_);
  if (!committed) --commits_;
  changed_.wait(lock, [&] { return unsynced_.size() < kMaxUnsynced; });
  finish_after_sync(std::move(lock), {std::move(batch), committed});
}

void SqliteSyncer::finish_read(Job job) {
  std::vector<Job> one;
  one.push_back(std::move(job));
  finish_after_sync(std::unique_lock(mutex_), {std::move(one), false});
}

void SqliteSyncer::finish_after_sync(std::unique_lock<std::mutex> lock, Batch batch) {
  if (commits_ > 0) {
    unsynced_.push_back(std::move(batch));
    lock.unlock();
    changed_.notify_all();
    return;
  }
  lock.unlock();
  for (Job& job : batch.jobs) finish(job);
}

void SqliteSyncer::run() {
  pthread_setname_np(pthread_self(), "store-syncer");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !unsynced_.empty(); });
    if (unsynced_.empty()) return;
    std::deque<Batch> batches = std::exchange(unsynced_, {});
    lock.unlock();
    changed_.notify_all();
    // After a failed sync nobody knows what is on the disk, and trying again does not
    // tell: the log's own checksums do, at the next start.
    CHECK(::fdatasync(log_) == 0) << "cannot sync the database's log: " << std::strerror(errno);
    int synced = 0;
    for (Batch& batch : batches) {
      synced += batch.committed;
      for (Job& job : batch.jobs) finish(job);
    }
    batches.clear();
    lock.lock();
    commits_ -= synced;
  }
}

}  // namespace store
