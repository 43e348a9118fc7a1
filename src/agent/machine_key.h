// SPDX-License-Identifier: Apache-2.0
// The key of this machine. A join token is exchanged for it once; from then on it is in the data folder.
#pragma once

#include <boost/describe/class.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "signing/signing_key.h"

namespace agent {

// Stored in `<data>/machine_key.json`, for its owner only.
struct MachineKeyFile {
  std::string accessKeyId, secretAccessKey;  // "": not received yet, or the machine was removed
  std::string tokenHash;  // of the token that it is exchanged for
  // A secret of this machine, on disk before the exchange: an agent that was killed before it stored the key gets the same
  // key again, and no one else does.
  std::string machine;
};
BOOST_DESCRIBE_STRUCT(MachineKeyFile, (), (accessKeyId, secretAccessKey, tokenHash, machine))

std::string machine_key_path(const std::string& data);
// Empty where there is none. Throws std::runtime_error for a damaged file.
MachineKeyFile read_machine_key(const std::string& data);
void write_machine_key(const std::string& data, const MachineKeyFile& file);
// The machine was removed: the key is worthless, and the token that it came from is not used again.
void forget_machine_key(const std::string& data);

struct JoinOptions {
  std::string server, ca_file;
  std::string data;
  // A join token ("stk1....") or, from the server that started this machine, its key ("stkkey1.ID.SECRET"). "": only
  // a machine that has joined before has a key.
  std::string token;
};
// Waits for so long; false: the agent should end.
using Pause = std::function<bool(base::Duration)>;

// The key that this machine has already. Throws std::runtime_error for a damaged file and an invalid key.
std::optional<signing::Credentials> known_credentials(const JoinOptions& options);

// The key in the data folder, or else the one that the token is exchanged for: written before this returns. Retries until
// the server responds; nothing where `pause` ended that. Throws std::runtime_error where there is no key and no valid
// token, and where the server rejects the token. Errors do not repeat the token.
std::optional<signing::Credentials> machine_credentials(const JoinOptions& options, const Pause& pause);

}  // namespace agent
