// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/worker_program.h"

#include <unistd.h>

#include <boost/json/parse.hpp>
#include <filesystem>

namespace agent::drivers {
namespace {

constexpr const char* kBuiltins[] = {"ocr"};

std::string executable_beside(const std::filesystem::path& program, const std::string& name) {
  const std::string path = (program.parent_path() / name).string();
  return ::access(path.c_str(), X_OK) == 0 ? path : "";
}

}  // namespace

WorkerPrograms find_worker_programs(std::string machine) {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", failed);
  WorkerPrograms programs{self.string()};
  programs.worker = executable_beside(self, "stoker-work");
  programs.files.push_back(programs.stoker);
  if (!programs.worker.empty()) programs.files.push_back(programs.worker);
  for (const char* name : kBuiltins) {
    const std::string program = executable_beside(self, std::string("stoker-") + name);
    if (program.empty()) continue;
    programs.builtins.emplace_back(name);
    programs.files.push_back(program);
  }
  programs.machine = std::move(machine);
  return programs;
}

bool is_worker(const std::optional<std::string>& config) {
  if (!config || config->find(kWorkerLabel) == std::string::npos) return false;
  boost::system::error_code failed;
  const boost::json::value value = boost::json::parse(*config, failed);
  if (failed || !value.is_object()) return false;
  const boost::json::value* labels = value.get_object().if_contains("Labels");
  return labels && labels->is_object() && labels->get_object().contains(kWorkerLabel);
}

std::vector<std::string> worker_command(std::vector<std::string> command, const WorkerPrograms& programs) {
  if (command.empty() || command[0] != kWorkerPath) return command;
  command[0] = programs.worker;
  if (!programs.worker.empty()) return command;
  command[0] = programs.stoker;
  command.insert(command.begin() + 1, "work");
  return command;
}

}  // namespace agent::drivers
