// SPDX-License-Identifier: Apache-2.0
#include "services/sqs/holders.h"

#include <map>

#include "services/sqs/operations.h"
#include "shapes/stoker/held_messages.h"

namespace services::sqs {
namespace {

using shapes::stoker::CountHeldMessages;
using shapes::stoker::CountHeldMessagesResult;

// It was neither deleted nor received by another, and its visibility timeout runs.
bool is_held(Call& call, const Holders::Delivery& delivery) {
  return call.tx
             .query("SELECT 1 FROM sqs_messages WHERE seq = $1 AND lot = $2 AND receipt = $3 AND visible_at > $4",
                    delivery.seq, delivery.lot, delivery.token, call.now)
             .integer() != 0;
}

CountHeldMessagesResult count_held_messages(Call& call, const CountHeldMessages& request) {
  std::map<std::int64_t, std::int64_t> counts;  // by queue
  for (const std::string& key : request.accessKeys) {
    for (const Holders::Delivery& delivery : call.local<Holders>().of(key)) {
      if (is_held(call, delivery)) ++counts[delivery.queue];
    }
  }
  CountHeldMessagesResult result;
  for (const auto& [queue, count] : counts) {
    const auto name = call.tx.query("SELECT name FROM sqs_queues WHERE id = $1", queue).one([](const store::Row& row) {
      return row.str(0);
    });
    if (name) result.queues.push_back({*name, count});
  }
  return result;
}

}  // namespace

void Holders::add(const std::string& key, const std::vector<Delivery>& deliveries) {
  memory_.with([&](Memory& memory) {
    const auto [place, is_new] = memory.deliveries.try_emplace(key);
    std::deque<Delivery>& known = place->second;
    known.insert(known.end(), deliveries.begin(), deliveries.end());
    while (known.size() > kMaxDeliveries) known.pop_front();
    if (!is_new) return;
    memory.keys.push_back(key);
    if (memory.keys.size() <= kMaxKeys) return;
    memory.deliveries.erase(memory.keys.front());
    memory.keys.pop_front();
  });
}

std::vector<Holders::Delivery> Holders::of(const std::string& key) const {
  return memory_.with([&](const Memory& memory) {
    const auto found = memory.deliveries.find(key);
    if (found == memory.deliveries.end()) return std::vector<Delivery>();
    return std::vector<Delivery>(found->second.begin(), found->second.end());
  });
}

std::vector<Operation> holder_operations() {
  return {operation<&count_held_messages>("CountHeldMessages", Access::Read)};
}

}  // namespace services::sqs
