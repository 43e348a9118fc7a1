// SPDX-License-Identifier: Apache-2.0
#include "api/engine.h"

#include "api/transaction.h"
#include "state/keys.h"

namespace api {
namespace asio = boost::asio;

asio::awaitable<void> Engine::run(services::Access access, services::Caller caller, Work work) {
  std::vector<services::Wake> wakes;
  const base::Time now = clock_.now();
  store::Store::Work job = [&](store::Tx& tx) {
    services::Call call = this->call(tx, caller, now, now);
    work(call);
    wakes = std::move(call.wakes);
  };
  co_await transact(store_, access, std::move(job));
  committed(wakes);
}

void Engine::drain() {
  draining_ = true;
  topics_.wake_all();
}

void Engine::committed(const std::vector<services::Wake>& wakes) {
  topics_.wake(wakes);
  for (const services::Wake& wake : wakes) {
    if (!wake.topic.starts_with(state::kKeyTopicPrefix)) continue;
    keys_.forget(wake.topic.substr(state::kKeyTopicPrefix.size()));
  }
}

}  // namespace api
