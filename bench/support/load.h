// SPDX-License-Identifier: Apache-2.0
// The load generator: many connections on one thread, each with one request in
// progress. It shares the machine with the measured server, so it does little work.
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
  std::size_t used = 0;   // processed bytes; the rest is passed again, with more
  bool answered = false;  // the request is answered: continue with the next
  bool done = false;      // and a counted unit is complete: a request, or a whole cycle
  int messages = 0;       // the number of messages
};

// The client's side of one connection.
class Conversation {
 public:
  virtual ~Conversation() = default;
  // Appends the next request; false at the end.
  virtual bool say(std::string& out) = 0;
  // The body, which is too long to be copied. It must live until the response.
  virtual std::string_view body() const { return {}; }
  // Throws if the response is wrong.
  virtual Heard hear(std::string_view bytes) = 0;
};

struct Connection {
  Connection(int connected, std::unique_ptr<Conversation> talk) : fd(connected), conversation(std::move(talk)) {}
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  int fd = -1;
  std::unique_ptr<Conversation> conversation;
  std::string out;                              // the request
  std::string_view body;                        // and its body
  std::size_t sent = 0;                         // of both
  bool blocked = false;                         // the socket's buffer is full
  std::string in;                               // received, but not processed
  bool begun = false;                           // the next counted unit
  std::chrono::steady_clock::time_point since;  // when it began
};

struct Outcome {
  Seconds elapsed{0};
  std::uint64_t requests = 0, done = 0, messages = 0;
  Histogram latency;  // of counted units

  double per_second(std::uint64_t count) const {
    return elapsed.count() > 0 ? static_cast<double>(count) / elapsed.count() : 0;
  }
};

// Runs until `measured` has passed after `warm_up`, or all conversations have ended,
// and then until the last response; counts only the time in between.
Outcome run_load(std::vector<Connection>& connections, Seconds warm_up, Seconds measured);

// The same, but counts everything up to the last response, for requests so long that
// the end matters. Each connection has at least one request.
Outcome run_whole_load(std::vector<Connection>& connections, Seconds at_least);

// Runs one conversation to its end.
void run_alone(int fd, std::unique_ptr<Conversation> conversation);

}  // namespace bench
