// SPDX-License-Identifier: Apache-2.0
// Which temporary access keys, those of tasks, have received which messages: so that whoever stops a task can state what
// it had not finished. Only in memory, since the last start of the server; the database decides what is still in flight.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"

namespace services::sqs {

class Holders {
 public:
  // Of a key the newest deliveries are known; of keys, those that began to receive last.
  static constexpr std::size_t kMaxKeys = 10000, kMaxDeliveries = 1000;

  struct Delivery {
    std::int64_t queue = 0, lot = 0, seq = 0, token = 0;
  };

  void add(const std::string& key, const std::vector<Delivery>& deliveries);
  std::vector<Delivery> of(const std::string& key) const;

 private:
  struct Memory {
    std::unordered_map<std::string, std::deque<Delivery>> deliveries;
    std::deque<std::string> keys;  // oldest first
  };
  base::Guarded<Memory> memory_;
};

}  // namespace services::sqs
