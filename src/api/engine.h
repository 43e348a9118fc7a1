// SPDX-License-Identifier: Apache-2.0
// Runs calls: it has the store, the memory of the services, the topics and the clock.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <vector>

#include "api/admission.h"
#include "api/key_ring.h"
#include "api/topics.h"
#include "base/disk_space.h"
#include "base/time.h"
#include "services/directory.h"
#include "services/operation.h"
#include "store/store.h"

namespace api {

// The topics that a call wakes when its transaction ends.
struct CallWakes {
  std::vector<services::Wake> if_committed = {}, if_failed = {};

  // Runs `work`, and rethrows.
  void keep(services::Call& call, const std::function<void(services::Call&)>& work);
};

class Engine {
 public:
  // All of these outlive it.
  Engine(store::Store& store, const services::Locals& locals, const services::Directory& directory, Topics& topics,
         base::Clock& clock)
      : store_(store), locals_(locals), directory_(directory), topics_(topics), clock_(clock) {}

  store::Store& store() { return store_; }
  const services::Locals& locals() const { return locals_; }
  Topics& topics() { return topics_; }
  base::Clock& clock() { return clock_; }
  KeyRing& keys() { return keys_; }

  // Time as clients know it, for signatures: clock() may differ from it after the machine's clock was changed.
  const base::Clock& wall_clock() const { return wall_clock_ ? *wall_clock_ : clock_; }
  void set_wall_clock(const base::Clock& clock) { wall_clock_ = &clock; }

  // Without a disk, everything is accepted.
  void set_space(base::DiskSpace& space) { space_ = &space; }
  base::DiskSpace* space() { return space_; }
  bool is_full() { return space_ && space_->is_low(); }
  // Whether the disk has room for this operation.
  bool admits(const services::Operation& operation) {
    return operation.access == services::Access::Read || !is_full() || !grows(operation.wire.name);
  }

  // What a handler gets.
  services::Call call(store::Tx& tx, const services::Caller& caller, base::Time now, base::Time started) const {
    return {tx, caller, now, started, &locals_, &directory_};
  }

  // Runs `work` in one transaction, then wakes the topics that it named. `work` may run more than once; what it refers
  // to outlives the await.
  using Work = std::function<void(services::Call&)>;
  boost::asio::awaitable<void> run(services::Access access, services::Caller caller, Work work);

  // Ends all waits, now and later: loops over waits check draining().
  void drain();
  bool draining() const { return draining_; }

  // Call it after a commit: wakes waiters, and removes deleted keys from the cache.
  void committed(const std::vector<services::Wake>& wakes);

 private:
  store::Store& store_;
  const services::Locals& locals_;
  const services::Directory& directory_;
  Topics& topics_;
  base::Clock& clock_;
  const base::Clock* wall_clock_ = nullptr;
  base::DiskSpace* space_ = nullptr;
  KeyRing keys_;
  std::atomic<bool> draining_ = false;
};

}  // namespace api
