// SPDX-License-Identifier: Apache-2.0
// How a service puts a message into a queue: in its own transaction, if the queue's policy lets it.
// The queue's service is behind it, and no other needs to know of that one.
#pragma once

#include <functional>
#include <string>

#include "services/call.h"

namespace services {

// Who knocks.
struct Sender {
  std::string service;  // "s3.amazonaws.com"
  std::string arn;      // aws:SourceArn
  std::string account;  // aws:SourceAccount
};

enum class Knock { Open, NoSuchQueue, Denied, Fifo };

struct QueueDoor {
  // May `sender` send to it? Changes nothing.
  std::function<Knock(Call&, const std::string& queue_arn, const Sender&)> ask;
  // Sends, where it is Open.
  std::function<Knock(Call&, const std::string& queue_arn, const Sender&, const std::string& body)> send;
};

}  // namespace services
