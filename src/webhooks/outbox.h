// SPDX-License-Identifier: Apache-2.0
// Webhook deliveries in the database. They are written in the transaction of what they announce, and deleted when the
// receiver has accepted them or the attempts are used up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "store/store.h"

namespace webhooks {

// Woken by a commit that adds a delivery.
inline constexpr char kTopic[] = "webhooks";

inline constexpr std::int64_t kMaxPendingDeliveries = 10'000;  // of an account and a service
inline constexpr std::size_t kMaxBody = 256 * 1024;
inline constexpr int kMaxAttempts = 10;

// Step 1 of the tables; services/stoker owns the migration.
extern const char kTables[];

struct Delivery {
  std::int64_t id = 0;
  std::string message_id;  // the same for each attempt
  std::string account;
  std::string url, endpoint;  // endpoint: Url::endpoint()
  std::string secret;
  std::string body;
  std::string report_to, context;  // the service that gets a WebhookFinished with this context; "" for none
  int attempts = 0;                // that failed
};

// False: the account has too many that are pending. Wake kTopic after the commit.
bool add_delivery(store::Tx& tx, const Delivery& delivery, base::Time now);
// The same without this bound, for services that have one of their own. Returns its id.
std::int64_t enqueue_delivery(store::Tx& tx, const Delivery& delivery, base::Time now);

// Endpoints and accounts whose deliveries must wait.
struct Excluded {
  std::vector<std::string> endpoints = {}, accounts = {};
};
// Deliveries that are due, none of them excluded, the longest due first.
std::vector<Delivery> due_deliveries(store::Tx& tx, base::Time now, const Excluded& excluded, std::int64_t most);
// When the next one is due that is not due now.
std::optional<base::Time> next_due(store::Tx& tx, base::Time now);

// Pauses after an attempt failed: 5 s after the first, a day after the ninth. nullopt: it was the last.
std::optional<base::Duration> pause_after(int attempts);
// These return false where it does not exist.
bool postpone(store::Tx& tx, std::int64_t id, int attempts, base::Time due, const std::string& error);
bool remove_delivery(store::Tx& tx, std::int64_t id);

}  // namespace webhooks
