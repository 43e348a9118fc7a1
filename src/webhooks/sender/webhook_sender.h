// SPDX-License-Identifier: Apache-2.0
// Sends webhook deliveries: at least once each, with the same id, until the receiver answers 2xx or the attempts are
// used up. A receiver that hangs or floods costs one of its own few connections, for a bounded time and memory. Many
// receivers of one account that hang leave room for other accounts.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/engine.h"
#include "api/loops.h"
#include "http/io_threads.h"
#include "webhooks/outbox.h"

namespace webhooks {

inline constexpr std::size_t kMaxSends = 48;            // at the same time
inline constexpr std::size_t kMaxSendsOfAccount = 32;  // of them
inline constexpr std::size_t kMaxSendsToEndpoint = 4;
inline constexpr base::Duration kSendDeadline = std::chrono::seconds(10);

class WebhookSender {
 public:
  // Both outlive it. `private_networks`: receivers may be on this machine and in private networks.
  WebhookSender(http::IoThreads& io, api::Engine& engine, bool private_networks)
      : io_(io), engine_(engine), private_networks_(private_networks) {}
  // Waits for sends under way. The loop has ended before.
  ~WebhookSender();

  // The loop that starts sends when they are due.
  api::Loop loop();

 private:
  using SendCounts = std::map<std::string, std::size_t>;
  // The sends under way.
  struct Sends {
    std::set<std::int64_t> ids;
    // Those that ended since the last turn began: its snapshot may still show them as due.
    std::set<std::int64_t> ended;
    SendCounts by_endpoint, by_account;
  };
  struct Outcome {
    bool delivered = false, final = false;
    std::string error;
    int status = 0;  // of the response; 0: there was none
  };

  boost::asio::awaitable<std::optional<base::Time>> turn();
  boost::asio::awaitable<void> send(Delivery delivery);
  boost::asio::awaitable<Outcome> attempt(const Delivery& delivery);
  boost::asio::awaitable<void> record(Delivery delivery, Outcome outcome);

  // Returns the endpoints and accounts that have no room for another send.
  Excluded begin_turn();
  bool begin(const Delivery& delivery);
  // `wake`: the loop looks for those that found no place.
  void end(const Delivery& delivery, bool wake);

  http::IoThreads& io_;
  api::Engine& engine_;
  const bool private_networks_;
  std::mutex mutex_;
  std::condition_variable ended_;
  Sends sends_;  // under mutex_
};

}  // namespace webhooks
