// SPDX-License-Identifier: Apache-2.0
#include "api/run.h"

#include <algorithm>

#include "api/errors.h"
#include "api/transaction.h"
#include "state/keys.h"

namespace api {
namespace asio = boost::asio;
namespace {

// The handler wants to run again at once, whatever its deadline.
bool due(const services::Wait& wait, base::Time now) { return wait.again && *wait.again <= now; }

// The topic that wakes a waiter when its key is deleted; "" for an anonymous caller.
std::string key_topic_of(const services::Caller& caller) {
  return caller.access_key.empty() ? std::string() : state::key_topic(caller.access_key);
}

// Of a caller that has waited. A key in the ring was not deleted.
void check_key_exists(Engine& engine, store::Tx& tx, const std::string& id) {
  if (id.empty() || engine.keys().find(id) || state::find_key(tx, id)) return;
  const signing::AuthResult failure = signing::auth_failure(signing::AuthError::UnknownKey);
  throw auth_error(failure.error, failure.message);
}

// False, and nothing ran, where the transaction has to run on a thread of the store.
bool ran_here(Engine& engine, Run run, const store::Store::Work& work) {
  return run.place == Place::Here && engine.store().read_here(work);
}

}  // namespace

asio::awaitable<void> run_handler(Engine& engine, http::Exchange& exchange, Run run, Handler handler) {
  const base::Time started = engine.clock().now();
  std::string waited_for;
  for (;;) {
    CallWakes wakes;
    std::optional<services::Wait> wait;
    const std::uint64_t seen = engine.topics().seen();
    store::Store::Work plain = [&](store::Tx& tx) {
      if (!waited_for.empty()) check_key_exists(engine, tx, run.caller.access_key);
      services::Call call = engine.call(tx, run.caller, engine.clock().now(), started);
      wakes.keep(call, handler);
      wait = std::move(call.wait);
    };
    store::Store::Work work = for_caller(run.caller, std::move(plain));
    try {
      if (!ran_here(engine, run, work)) {
        co_await transact(engine.store(), run.access, std::move(work));
      }
    } catch (...) {
      engine.topics().wake(wakes.if_failed);
      if (!waited_for.empty()) engine.topics().wake(waited_for, 1);
      throw;
    }
    engine.committed(wakes.if_committed);
    const base::Time now = engine.clock().now();
    // A handler that works in slices has no answer before its last one, so it goes on during a shutdown.
    const bool done = !wait || (!due(*wait, now) && (wait->until <= now || engine.draining()));
    if (done) {
      // A wake may have reached this waiter that was meant for the next in line.
      if (!waited_for.empty()) engine.topics().wake(waited_for, 1);
      co_return;
    }
    waited_for = wait->topic;
    const base::Time next = wait->again ? std::min(*wait->again, wait->until) : wait->until;
    if (!due(*wait, now)) {
      co_await engine.topics().wait(wait->topic, seen, std::max(next - now, base::Duration(1)),
                                     key_topic_of(run.caller));
    }
    // A client that has gone must not receive messages: it would never read them.
    if (exchange.peer_gone()) {
      engine.topics().wake(waited_for, 1);
      co_return;
    }
  }
}

asio::awaitable<void> read_once(Engine& engine, Run run, Handler handler) {
  const base::Time now = engine.clock().now();
  store::Store::Work plain = [&](store::Tx& tx) {
    services::Call call = engine.call(tx, run.caller, now, now);
    handler(call);
  };
  store::Store::Work work = for_caller(run.caller, std::move(plain));
  if (!ran_here(engine, run, work)) {
    co_await transact(engine.store(), run.access, std::move(work));
  }
}

}  // namespace api
