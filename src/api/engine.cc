// SPDX-License-Identifier: Apache-2.0
#include "api/engine.h"

#include "api/transaction.h"
#include "state/keys.h"

namespace api {
namespace asio = boost::asio;

asio::awaitable<void> Engine::run(services::Access access, services::Caller caller, Work work) {
  CallWakes wakes;
  const base::Time now = clock_.now();
  store::Store::Work plain = [&](store::Tx& tx) {
    services::Call call = this->call(tx, caller, now, now);
    wakes.keep(call, work);
  };
  store::Store::Work job = for_caller(caller, std::move(plain));
  try {
    co_await transact(store_, access, std::move(job));
  } catch (...) {
    topics_.wake(wakes.if_failed);
    throw;
  }
  committed(wakes.if_committed);
}

void CallWakes::keep(services::Call& call, const std::function<void(services::Call&)>& work) {
  if_committed.clear();
  try {
    work(call);
  } catch (...) {
    if_failed = std::move(call.wakes_if_failed);
    throw;
  }
  if_committed = std::move(call.wakes);
  if_failed = std::move(call.wakes_if_failed);
}

void Engine::drain() {
  draining_ = true;
  topics_.wake_all();
}

void Engine::committed(const std::vector<services::Wake>& wakes) {
  // Waiters that a deleted key wakes look for it again.
  for (const services::Wake& wake : wakes) {
    if (!wake.topic.starts_with(state::kKeyTopicPrefix)) continue;
    keys_.forget(wake.topic.substr(state::kKeyTopicPrefix.size()));
  }
  topics_.wake(wakes);
}

}  // namespace api
