// SPDX-License-Identifier: Apache-2.0
// The worker's calls to its queue. Deletions and releases are sent in batches: while one call is under way, the next
// ones gather.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "client/async_client.h"
#include "http/coroutines.h"
#include "http/signal.h"
#include "shapes/sqs/message.h"
#include "worker/item.h"

namespace worker {

inline constexpr std::size_t kSqsBatch = 10;  // the most messages of a call

class Queue {
 public:
  // `client` must outlive it.
  Queue(boost::asio::any_io_executor executor, client::AsyncClient& client, std::string name_or_url);

  // Finds the queue by its name, and how often a message may be received. Throws wire::ApiError or std::runtime_error.
  boost::asio::awaitable<void> open();

  const std::string& url() const { return url_; }
  // A message that was received so often goes to the dead-letter queue instead; nullopt: never.
  std::optional<int> max_receives() const { return max_receives_; }
  bool has_dead_letters() const { return !dead_letter_arn_.empty(); }

  // Long poll. Throws wire::ApiError or std::runtime_error.
  boost::asio::awaitable<std::vector<shapes::sqs::Message>> receive(std::size_t most, base::Duration visibility);

  // Sets the time until the messages become visible again. Returns which of them are no longer in the queue.
  boost::asio::awaitable<std::vector<bool>> extend(std::vector<std::string> receipts, base::Duration visibility);

  // Soon, and repeated for a while if the queue does not respond.
  void remove(std::string receipt);
  void release(std::string receipt, base::Duration visible_after);
  // To the dead-letter queue, as a new message with the error as its attributes: SQS has no other way. The caller checks
  // has_dead_letters().
  void bury(const Message& message, Failure failure);
  // Waits until all of that was sent, or given up.
  boost::asio::awaitable<void> flush();
  // Ends at once.
  boost::asio::awaitable<void> stop();

 private:
  struct Change {
    std::string receipt;
    std::int32_t visible_after_s = 0;
    int attempts = 0;
    std::string body = {};  // of a buried message
    Failure failure = {};
  };
  enum class Kind { Remove, Release, Bury };

  boost::asio::awaitable<void> send_changes(Kind kind);
  boost::asio::awaitable<void> send_batch(Kind kind, std::vector<Change> batch);
  boost::asio::awaitable<void> send_dead_letter(Change change);
  std::deque<Change>& changes(Kind kind) {
    return kind == Kind::Remove ? removals_ : kind == Kind::Release ? releases_ : burials_;
  }

  client::AsyncClient& client_;
  std::string url_;
  std::optional<int> max_receives_;
  std::string dead_letter_arn_, dead_letter_url_;  // "": none, not looked up yet
  std::deque<Change> removals_, releases_, burials_;
  std::size_t sending_ = 0;  // calls under way
  http::Signal changed_;
  http::Coroutines coroutines_;
};

}  // namespace worker
