// SPDX-License-Identifier: Apache-2.0
#include "api/run.h"

#include <algorithm>

#include "api/transaction.h"

namespace api {
namespace asio = boost::asio;
namespace {

// It asked to be run again at once, whatever its deadline.
bool due(const services::Wait& wait, base::Time now) { return wait.again && *wait.again <= now; }

// What is asked about one object is found in less time than going to another thread and back takes.
bool short_read(const Job& job) {
  return job.operation->access == services::Access::Read && job.place.key;
}

}  // namespace

asio::awaitable<Outcome> run_operation(Engine& engine, http::Exchange& exchange, const Job& job, const void* input,
                                       const services::Upload* upload) {
  const base::Time started = engine.clock().now();
  std::string waited_for;
  for (;;) {
    Outcome outcome;
    std::vector<services::Wake> wakes;
    std::optional<services::Wait> wait;
    const std::uint64_t seen = engine.topics().seen();
    store::Store::Work work = [&](store::Tx& tx) {
      services::Call call{tx, job.caller, engine.clock().now(), started, &engine.locals()};
      call.upload = upload;
      outcome.output = job.operation->run(call, input);
      outcome.download = std::move(call.download);
      outcome.status = call.status;
      wakes = std::move(call.wakes);
      wait = std::move(call.wait);
    };
    bool done_here = false;
    if (short_read(job)) done_here = engine.store().read_here(work);
    if (!done_here) {
      co_await transact(engine.store(), job.operation->access, std::move(work));
    }
    engine.committed(wakes);
    const base::Time now = engine.clock().now();
    const bool done = !wait || (wait->until <= now && !due(*wait, now)) || engine.draining();
    if (done) {
      // They may have been told of something that is for the next in line.
      if (!waited_for.empty()) engine.topics().wake(waited_for, 1);
      co_return outcome;
    }
    waited_for = wait->topic;
    const base::Time next = wait->again ? std::min(*wait->again, wait->until) : wait->until;
    co_await engine.topics().wait(wait->topic, seen, std::max(next - now, base::Duration(1)));
    // A client that has gone must not be given messages that it will never read.
    if (exchange.peer_gone()) {
      engine.topics().wake(waited_for, 1);
      co_return outcome;
    }
  }
}

asio::awaitable<services::Spool> run_before(Engine& engine, const Job& job, const void* input) {
  services::Spool spool;
  const base::Time now = engine.clock().now();
  store::Store::Work work = [&](store::Tx& tx) {
    services::Call call{tx, job.caller, now, now, &engine.locals()};
    job.operation->before(call, input);
    spool = std::move(call.spool);
  };
  const bool done_here = engine.store().read_here(work);
  if (!done_here) {
    co_await transact(engine.store(), services::Access::Read, std::move(work));
  }
  co_return spool;
}

}  // namespace api
