// SPDX-License-Identifier: Apache-2.0
// User data: what an instance would run at its first boot. Stoker runs none of it; it reads what a script or a
// cloud-config writes into /etc/ecs/ecs.config, which configures the agent. Pure; takes any bytes.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "shapes/stoker/machine.h"

namespace services::ec2 {

// Plain text or base64: a shell script, a cloud-config, or both in a MIME message. Settings that Stoker does not have,
// and values that an agent would reject, are left out.
shapes::stoker::AgentSettings read_user_data(std::string_view user_data);

// The content of /etc/ecs/ecs.config after the boot.
std::string written_agent_config(std::string_view user_data);

// The lines NAME=VALUE of ecs.config; the last one of a name counts.
std::map<std::string, std::string> parse_agent_config(std::string_view config);

namespace detail {

inline constexpr std::string_view kAgentConfig = "/etc/ecs/ecs.config";
// Documents in documents: MIME parts, `bash -c`.
inline constexpr int kMaxDepth = 4;

// A file's content as commands append to it or replace it.
struct ConfigFile {
  std::string content;
  bool gpu_default_runtime = false;  // Docker's configuration makes NVIDIA's runtime the default
  // Bytes that documents may still expand to: variables in variables grow without end.
  std::size_t work_left = 1u << 20;

  // False where there is too little work left.
  bool spend(std::size_t bytes);
  void append(std::string_view text);
  void replace(std::string_view text);
};

void run_document(std::string_view text, ConfigFile& file, int depth);
// user_data_shell.cc
void run_shell(std::string_view script, ConfigFile& file, int depth);
// user_data_cloud_config.cc
void run_cloud_config(std::string_view yaml, ConfigFile& file, int depth);
// user_data_mime.cc
bool is_mime(std::string_view text);
void run_mime(std::string_view text, ConfigFile& file, int depth);

}  // namespace detail

}  // namespace services::ec2
