// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_checkpointer.h"

#include <pthread.h>

#include <algorithm>

#include "base/log.h"

namespace store {
namespace {

// A checkpoint begins at this length. Rare checkpoints write a page that changed often only once.
constexpr int kCheckpointPages = 4000;
// The log restarts only after a complete checkpoint, for which the writer must stand still: so the writer itself
// checkpoints the last pages.
constexpr int kRestPages = 100;
// At this length (64 MiB) the writer waits for the checkpointer. Only a long read, which needs the old log, can make it
// longer.
constexpr int kMaxLogPages = 16384;
// Both, on a disk that is almost full: a short log is reused, a long one would need space.
constexpr int kTightPages = 256;

}  // namespace

SqliteCheckpointer::SqliteCheckpointer(const std::string& path, SqliteConnection& writer)
    : connection_(path, SqliteConnection::Mode::ReadWrite), writer_(writer) {
  // A connection opens the log with its first read.
  connection_.exec("SELECT count(*) FROM sqlite_schema");
  writer_.exec("PRAGMA wal_autocheckpoint = 0");
  sqlite3_wal_hook(
      writer_.handle(),
      [](void* pages, sqlite3*, const char*, int count) {
        *static_cast<int*>(pages) = count;
        return SQLITE_OK;
      },
      &log_pages_);
  thread_ = std::thread([this] { run(); });
}

SqliteCheckpointer::~SqliteCheckpointer() {
  {
    std::lock_guard lock(mutex_);
    state_ = State::Stopping;
  }
  changed_.notify_all();
  thread_.join();
  sqlite3_wal_hook(writer_.handle(), nullptr, nullptr);
}

void SqliteCheckpointer::after_commit(bool tight) {
  if (log_pages_ < tried_pages_) tried_pages_ = 0;  // the log has restarted
  if (log_pages_ < (tight ? kTightPages : kCheckpointPages)) return;
  bool grown = log_pages_ >= tried_pages_ + kRestPages;
  bool too_long = grown && log_pages_ >= (tight ? kTightPages : kMaxLogPages);
  std::unique_lock lock(mutex_);
  if (too_long) changed_.wait(lock, [&] { return state_ == State::Idle; });
  if (state_ != State::Idle) return;
  if (too_long || log_pages_ - moved_pages_ <= kRestPages) {
    moved_pages_ = 0;
    tried_pages_ = log_pages_;
    lock.unlock();
    checkpoint(writer_);
  } else if (grown) {
    tried_pages_ = log_pages_;
    state_ = State::Requested;
    changed_.notify_all();
  }
}

void SqliteCheckpointer::run() {
  pthread_setname_np(pthread_self(), "store-checkpt");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return state_ != State::Idle; });
    if (state_ == State::Stopping) return;
    lock.unlock();
    int moved = checkpoint(connection_);
    lock.lock();
    moved_pages_ = moved;
    if (state_ == State::Requested) state_ = State::Idle;
    changed_.notify_all();
  }
}

int SqliteCheckpointer::checkpoint(SqliteConnection& connection) {
  int moved = 0;
  int code = sqlite3_wal_checkpoint_v2(connection.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, &moved);
  // Nothing is lost: the log remains until a later checkpoint succeeds.
  if (code != SQLITE_OK && code != SQLITE_BUSY) {
    base::log_warn("a checkpoint failed", {{"error", sqlite3_errmsg(connection.handle())}});
  }
  return std::max(moved, 0);
}

}  // namespace store
