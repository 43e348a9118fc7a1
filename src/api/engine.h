// SPDX-License-Identifier: Apache-2.0
// What runs calls: the store, what services keep in memory, who is to be woken, and the time.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <vector>

#include "api/key_ring.h"
#include "api/topics.h"
#include "base/time.h"
#include "services/directory.h"
#include "services/operation.h"
#include "store/store.h"

namespace api {

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

  // What a handler gets.
  services::Call call(store::Tx& tx, const services::Caller& caller, base::Time now, base::Time started) const {
    return {tx, caller, now, started, &locals_, &directory_};
  }

  // A call of our own, in one transaction; whom it wakes is woken once it is committed. `work` may
  // run more than once, and refers to what outlives the await.
  using Work = std::function<void(services::Call&)>;
  boost::asio::awaitable<void> run(services::Access access, services::Caller caller, Work work);

  // From now on nobody waits for anything: what does looks at draining().
  void drain();
  bool draining() const { return draining_; }

  // What follows a commit: waiters look again, and a key that was deleted opens nothing any more.
  void committed(const std::vector<services::Wake>& wakes);

 private:
  store::Store& store_;
  const services::Locals& locals_;
  const services::Directory& directory_;
  Topics& topics_;
  base::Clock& clock_;
  KeyRing keys_;
  std::atomic<bool> draining_ = false;
};

}  // namespace api
