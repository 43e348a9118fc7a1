// SPDX-License-Identifier: Apache-2.0
// The measured servers: Stoker, its upper bound, and its peers, all with the same loads.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "support/load.h"
#include "support/process.h"

namespace bench {

enum class Work { Send, Batch, Receive1, Receive10, Cycle };

inline constexpr std::array kAllWork = {Work::Send, Work::Batch, Work::Receive1, Work::Receive10, Work::Cycle};

constexpr const char* name_of(Work work) {
  switch (work) {
    case Work::Send: return "send";
    case Work::Batch: return "batch";
    case Work::Receive1: return "receive1";
    case Work::Receive10: return "receive10";
    case Work::Cycle: return "cycle";
  }
  return "";
}

// The data folder of a subject, and the number of messages that a load can receive.
struct Ground {
  std::string folder;
  std::int64_t prefill = 0;
};

class Subject {
 public:
  virtual ~Subject() = default;
  virtual const char* name() const = 0;
  virtual bool does(Work work) const = 0;
  // Connections that are ready for the load, with their own queue.
  virtual std::vector<Connection> prepare(Work work, int connections) = 0;
  // After the load, when its connections are closed: deletes the queue.
  virtual void clean_up() = 0;
  // The CPU time of the server so far.
  virtual Seconds cpu() const = 0;
};

// `program` is Stoker's. Each load has a new server and folder.
std::unique_ptr<Subject> stoker_subject(const std::string& program, const Ground& ground);
std::unique_ptr<Subject> echo_subject(const Ground& ground);
// These throw an error of one line if the server is not installed or does not start.
std::unique_ptr<Subject> redis_subject(const Ground& ground);
std::unique_ptr<Subject> rabbitmq_subject(const Ground& ground);

}  // namespace bench
