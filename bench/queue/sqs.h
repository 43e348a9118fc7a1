// SPDX-License-Identifier: Apache-2.0
// The requests of clients of a queue to Stoker.
#pragma once

#include <memory>
#include <string>

#include "signed_request.h"
#include "support/load.h"

namespace bench {

inline constexpr int kBatch = 10;
inline constexpr std::size_t kBodyBytes = 100;

// A message's body: about a hundred bytes, each different.
std::string message_body(std::uint64_t number);

// One queue of one server. All connections share its requests.
class SqsQueue {
 public:
  // Creates the queue.
  SqsQueue(const Endpoint& endpoint, const std::string& name);
  // For a server without queues, which answers any request.
  static SqsQueue unmade(const Endpoint& endpoint, const std::string& name);

  std::unique_ptr<Conversation> sender();
  // Ten messages a request, until `left` is used up; forever without it.
  std::unique_ptr<Conversation> batch_sender(std::int64_t* left = nullptr);
  // These end when the queue is empty.
  std::unique_ptr<Conversation> receiver(int most);
  std::unique_ptr<Conversation> drainer();  // receives ten, deletes ten
  // Sends, receives and deletes one message: counted as one.
  std::unique_ptr<Conversation> cycler();

  unsigned short port() const { return requests_->port; }

  struct Requests {
    Requests(const Endpoint& endpoint, const std::string& name);

    unsigned short port;
    std::string queue_url;  // as the beginning of a JSON object: {"QueueUrl":"..."
    SignedRequest send, send_batch, receive, remove, remove_batch;
    std::uint64_t sent = 0;
  };

 private:
  explicit SqsQueue(std::shared_ptr<Requests> requests) : requests_(std::move(requests)) {}

  std::shared_ptr<Requests> requests_;  // shared with the conversations
};

// Sends `messages` messages, ten a request.
void fill(SqsQueue& queue, std::int64_t messages);

}  // namespace bench
