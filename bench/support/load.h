// SPDX-License-Identifier: Apache-2.0
// The load generator: many connections on one thread, each with one question in the
// air. It shares the machine with the server that it measures, so it does little.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/histogram.h"
#include "support/sockets.h"

namespace bench {

struct Heard {
  std::size_t used = 0;   // bytes that are dealt with; the rest is shown again, with more
  bool answered = false;  // the question is answered: on to the next
  bool done = false;      // and with it what is counted: a request, or a whole cycle
  int messages = 0;       // how many messages that moved
};

// One connection's side of the talk.
class Conversation {
 public:
  virtual ~Conversation() = default;
  // Appends the next question; false when there is nothing left to do.
  virtual bool say(std::string& out) = 0;
  // What follows it and is too long to be copied. It must live until the answer.
  virtual std::string_view body() const { return {}; }
  // Throws when the answer is not what it should be.
  virtual Heard hear(std::string_view bytes) = 0;
};

struct Connection {
  Connection(int connected, std::unique_ptr<Conversation> talk) : fd(connected), conversation(std::move(talk)) {}
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  int fd = -1;
  std::unique_ptr<Conversation> conversation;
  std::string out;                              // the question
  std::string_view body;                        // and what follows it
  std::size_t sent = 0;                         // of both
  bool blocked = false;                         // the socket takes no more of it just now
  std::string in;                               // heard, but not dealt with
  bool begun = false;                           // what is counted next
  std::chrono::steady_clock::time_point since;  // when it began
};

struct Outcome {
  Seconds elapsed{0};
  std::uint64_t requests = 0, done = 0, messages = 0;
  Histogram latency;  // of what is done

  double per_second(std::uint64_t count) const {
    return elapsed.count() > 0 ? static_cast<double>(count) / elapsed.count() : 0;
  }
};

// Runs until `measured` has passed after `warm_up`, or every conversation has ended,
// and then until the last question is answered; only what is between is counted.
Outcome run_load(std::vector<Connection>& connections, Seconds warm_up, Seconds measured);

// The same, but all of it is counted, up to the last answer. For requests so long that
// what is cut off at the end would matter: each connection has at least one.
Outcome run_whole_load(std::vector<Connection>& connections, Seconds at_least);

// One conversation to its end.
void run_alone(int fd, std::unique_ptr<Conversation> conversation);

}  // namespace bench
