// SPDX-License-Identifier: Apache-2.0
// What clients of a queue say to Stoker.
#pragma once

#include <memory>
#include <string>

#include "signed_request.h"
#include "support/load.h"

namespace bench {

inline constexpr int kBatch = 10;
inline constexpr std::size_t kBodyBytes = 100;

// A message's body: about a hundred bytes, no two alike.
std::string message_body(std::uint64_t number);

// One queue of one server. Its requests are shared by all that talk to it.
class SqsQueue {
 public:
  // Makes the queue.
  SqsQueue(const Endpoint& endpoint, const std::string& name);
  // For a server that answers anything, and so has no queues.
  static SqsQueue unmade(const Endpoint& endpoint, const std::string& name);

  std::unique_ptr<Conversation> sender();
  // Ten messages a request, for as long as `left` says that there are more to send;
  // without it for ever.
  std::unique_ptr<Conversation> batch_sender(std::int64_t* left = nullptr);
  // These end when the queue is empty.
  std::unique_ptr<Conversation> receiver(int most);
  std::unique_ptr<Conversation> drainer();  // receives ten, deletes ten
  // Sends one, receives one, deletes it: counted as one.
  std::unique_ptr<Conversation> cycler();

  unsigned short port() const { return requests_->port; }

  struct Requests {
    Requests(const Endpoint& endpoint, const std::string& name);

    unsigned short port;
    std::string queue_url;  // as the opening of a JSON object: {"QueueUrl":"..."
    SignedRequest send, send_batch, receive, remove, remove_batch;
    std::uint64_t sent = 0;
  };

 private:
  explicit SqsQueue(std::shared_ptr<Requests> requests) : requests_(std::move(requests)) {}

  std::shared_ptr<Requests> requests_;  // shared with the conversations, which come and go
};

// Sends `messages` messages, ten a request.
void fill(SqsQueue& queue, std::int64_t messages);

}  // namespace bench
