// SPDX-License-Identifier: Apache-2.0
// A load, and the cores that it took: ours and the server's, which share the machine.
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
  // What a request costs the server: the steadiest number on a machine that is shared.
  double server_us() const { return request_rate() > 0 ? server_cpu * 1e6 / request_rate() : 0; }
};

// `load()` makes an Outcome; `server_cpu()` says what the server has used so far.
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
// A number as a printf format has it.
std::string text(const char* format, double value);
void print_target(const std::string& what, const std::string& target, const std::string& got, bool met);

}  // namespace bench
