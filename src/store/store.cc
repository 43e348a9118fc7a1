// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <condition_variable>
#include <mutex>

namespace store {
namespace {

class Outcome {
 public:
  Store::Done settle() {
    return [this](std::exception_ptr error) {
      // Notifies under the lock: once it is free, the waiter may destroy this object.
      std::lock_guard lock(mutex_);
      error_ = std::move(error);
      settled_ = true;
      changed_.notify_one();
    };
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return settled_; });
    if (error_) std::rethrow_exception(std::move(error_));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool settled_ = false;
  std::exception_ptr error_;
};

}  // namespace

std::int64_t Tx::run_insert(std::string_view sql, std::span<const Param> params) {
  std::int64_t id = 0;
  run(std::string(sql) + " RETURNING id", params, [&](const Row& row) { id = row.integer(0); });
  return id;
}

void Store::write_now(const Work& work) {
  Outcome outcome;
  write([&work](Tx& tx) { work(tx); }, outcome.settle());
  outcome.wait();
}

void Store::read_now(const Work& work) {
  Outcome outcome;
  read([&work](Tx& tx) { work(tx); }, outcome.settle());
  outcome.wait();
}

}  // namespace store
