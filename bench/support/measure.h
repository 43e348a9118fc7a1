// SPDX-License-Identifier: Apache-2.0
// A load, and the cores that it used: the generator's and the server's, which share the machine.
#pragma once

#include <chrono>
#include <string>

#include "support/load.h"
#include "support/process.h"

namespace bench {

struct Measured {
  Outcome outcome;
  double own_cpu = 0, server_cpu = 0;  // cores, of the generator and of the server

  double done_rate() const { return outcome.per_second(outcome.done); }
  double request_rate() const { return outcome.per_second(outcome.requests); }
  double message_rate() const { return outcome.per_second(outcome.messages); }
  // The server's CPU time for a request: the most stable number on a shared machine.
  double server_us() const { return request_rate() > 0 ? server_cpu * 1e6 / request_rate() : 0; }
};

// `load()` returns an Outcome; `server_cpu()` returns the server's CPU time so far.
template <class Load, class Cpu>
Measured measure_load(Load load, Cpu server_cpu) {
  Measured measured;
  const auto began = std::chrono::steady_clock::now();
  const Seconds own = own_cpu(), server = server_cpu();
  measured.outcome = load();
  const Seconds wall = std::chrono::steady_clock::now() - began;
  measured.own_cpu = (own_cpu() - own) / wall;
  measured.server_cpu = (server_cpu() - server) / wall;
  return measured;
}

double ms(std::chrono::nanoseconds time);
// A number in a printf format.
std::string text(const char* format, double value);
void print_target(const std::string& what, const std::string& target, const std::string& got, bool met);

}  // namespace bench
