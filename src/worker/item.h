// SPDX-License-Identifier: Apache-2.0
// An item: one object that the processor makes a result of. A message has one or several.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "http/signal.h"

namespace worker {

struct Message {
  std::string id;
  std::string receipt;
  std::string body = {};
  int attempt = 1;  // how often it was received
  std::size_t open_items = 0;
  bool failed = false;     // some item failed
  bool hopeful = false;    // some failed item may succeed in another attempt
  bool cancelled = false;  // it is no longer in the queue
};

struct Item {
  std::shared_ptr<Message> message;  // shared by its items
  std::string id;                    // unique in this worker
  std::string bucket;
  std::string key;
  std::string sequencer;
  std::string name;   // the key without the input prefix
  std::string input;  // the path of its file
  std::string content_type = {};
  std::map<std::string, std::string> metadata = {};
};

// The result as JSON text.
struct Result {
  std::string json;
};

struct Failure {
  std::string type;  // "Timeout"
  std::string message;
  bool permanent = false;  // the processor says that another attempt would fail, too
};

// The message is gone: nobody wants the result.
struct Cancelled {};

using Answer = std::variant<Result, Failure, Cancelled>;

}  // namespace worker
