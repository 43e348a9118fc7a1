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

#include "histogram.h"

namespace bench {

using Seconds = std::chrono::duration<double>;

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
  std::string out, in;
  std::size_t in_used = 0;
  bool waiting = false;                         // for an answer
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

// One conversation to its end.
void run_alone(int fd, std::unique_ptr<Conversation> conversation);

// To 127.0.0.1. Throws when nobody listens.
int connect_to(unsigned short port);
// True once somebody listens there.
bool wait_for_port(unsigned short port, Seconds patience);
// One that nobody listens at, for servers that cannot choose their own.
unsigned short free_port();

}  // namespace bench
