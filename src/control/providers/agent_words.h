// SPDX-License-Identifier: Apache-2.0
// The command line of an instance's agent.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/providers/instance_provider.h"

namespace control::providers {

// What differs between the places where an agent runs.
struct AgentPlace {
  std::string join, ca_file;
  std::string data;
  std::string gpus, driver = "auto";
  std::chrono::seconds shutdown_timeout{30};
};

// "agent" and its options, without a token.
std::vector<std::string> agent_words(const Machine& machine, const AgentPlace& place);

// Quotes the words for a shell.
std::string shell_text(const std::vector<std::string>& words);

// A duration as Amazon's agent reads it: "90s", "1h30m", "1.5h". Nothing for an invalid one, or one below a second,
// for which Amazon's agent uses its default.
std::optional<std::chrono::seconds> parse_agent_duration(std::string_view text);

}  // namespace control::providers
