// SPDX-License-Identifier: Apache-2.0
// Stoker's worker (src/worker) in containers that have the label stoker.worker. Their entry point or command names it
// "/stoker/stoker-work". With an engine, the agent's copy of the static program is mounted there, whatever the image
// contains. For a process, the name is replaced by the path of the copy, or by `stoker work` of the agent's own program
// where there is no copy.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent::drivers {

inline constexpr std::string_view kWorkerLabel = "stoker.worker";
inline constexpr std::string_view kWorkerPath = "/stoker/stoker-work";

// Programs of this machine that containers of workers use.
struct WorkerPrograms {
  std::string stoker;                 // the agent's own program
  std::string worker = {};            // stoker-work beside it; "": none
  std::vector<std::string> builtins = {};  // of "ocr", for stoker-ocr beside it
  std::vector<std::string> files = {};     // of all these programs
  std::string machine = {};           // the machine's name, for the worker's error documents
};

// Looks beside the program of this process.
WorkerPrograms find_worker_programs(std::string machine);

// Whether the container's configuration for the engine has the label. `config` is dockerConfig.config.
bool is_worker(const std::optional<std::string>& config);

// The command of a process: the worker's name in the first word replaced. An unchanged command for other commands.
std::vector<std::string> worker_command(std::vector<std::string> command, const WorkerPrograms& programs);

}  // namespace agent::drivers
