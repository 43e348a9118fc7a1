// SPDX-License-Identifier: Apache-2.0
// A running server: its state, its doors and its loops, put together from the list of modules.
#pragma once

#include <memory>
#include <string>

#include "control/config.h"
#include "state/keys.h"

namespace control {

class Server {
 public:
  // Opens the data, recovers what a crash left, and listens. Throws an exception whose what() is one clear line.
  Server(const Config& config, const std::string& version);
  // Stops the loops.
  ~Server();

  // An address that clients on this machine can use.
  std::string url() const;
  const state::Key& root_key() const;
  // Keys for the agent of a machine in this process, in the root key's account.
  bool has_machine_key(const std::string& id) const;
  void add_machine_key(const std::string& id, const std::string& secret);

  // Answers long polls with what there is, and returns when no request is under way.
  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace control
