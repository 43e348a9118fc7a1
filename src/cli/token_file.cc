// SPDX-License-Identifier: Apache-2.0
#include "cli/token_file.h"

#include <algorithm>
#include <fstream>

#include "base/words.h"
#include "cli/usage_error.h"

namespace cli {
namespace {

constexpr std::size_t kMaxTokenFile = 64 * 1024;
constexpr char kAgentCommand[] = " stoker agent ";

std::string join_command_in(const std::string& text) {
  const std::size_t command = text.find(kAgentCommand);
  if (command == text.npos) return "";
  return text.substr(command, text.find('\n', command) - command);
}

}  // namespace

TokenFile parse_token_file(const std::string& text) {
  TokenFile file;
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  file.token = text.substr(begin, text.find_first_of(" \t\r\n", begin) - begin);
  const std::vector<std::string> words = base::split_words(join_command_in(text));
  const auto value_of = [&](const char* option) {
    const auto name = std::ranges::find(words, option);
    return name == words.end() || name + 1 == words.end() ? std::string() : name[1];
  };
  file.join = value_of("--join");
  file.cluster = value_of("--cluster");
  file.region = value_of("--region");
  file.ca_file = value_of("--ca");
  return file;
}

void use_token_file(AgentArguments& agent) {
  TokenFile file;
  if (!agent.token_file.empty()) {
    std::ifstream in(agent.token_file);
    std::string text(kMaxTokenFile, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    file = parse_token_file(text);
    agent.token = file.token;
  }
  if (agent.join.empty()) agent.join = file.join;
  if (agent.join.empty()) {
    throw UsageError("the server's address is missing: add --join URL, or write all of the output of `stoker token` to the "
                     "file of --token-file");
  }
  if (agent.ca_file.empty()) agent.ca_file = file.ca_file;
  if (!agent.cluster_is_given && !file.cluster.empty()) agent.cluster = file.cluster;
  if (!agent.region_is_given && !file.region.empty()) agent.region = file.region;
}

}  // namespace cli
