// SPDX-License-Identifier: Apache-2.0
// Calls of SQS and of the metrics of queues. Lists are complete, not pages.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "client/client.h"
#include "shapes/sqs/message.h"
#include "shapes/sqs/move_task.h"

namespace cli {

struct QueueCounts {
  std::string name;
  std::int64_t visible = 0, in_flight = 0, delayed = 0;
  std::optional<std::int64_t> oldest_seconds = {};  // the age of the oldest message, where it was measured

  bool empty() const { return visible + in_flight + delayed == 0; }
};

class QueueClient {
 public:
  explicit QueueClient(const client::Profile& profile) : client_(profile) {}

  // At most so many, by name.
  std::vector<std::string> urls(std::size_t most);
  QueueCounts counts(const std::string& url);
  // Adds the ages of the oldest messages, as CloudWatch measured them in the last minutes.
  void add_ages(std::vector<QueueCounts>& queues, base::Time now);

  // The URL of the queue with this name or URL. Throws std::runtime_error if there is none.
  std::string find(const std::string& name);
  std::string arn_of(const std::string& url);
  // Messages stay visible, but each counts as received once more.
  std::vector<shapes::sqs::Message> peek(const std::string& url, int most);
  shapes::sqs::SendMessageResult send(const shapes::sqs::SendMessageRequest& request);
  shapes::sqs::StartMessageMoveTaskResult redrive(const shapes::sqs::StartMessageMoveTaskRequest& request);
  void purge(const std::string& url);

 private:
  client::Client client_;
};

}  // namespace cli
