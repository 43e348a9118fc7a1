// SPDX-License-Identifier: Apache-2.0
#include "agent/open_driver.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "agent/drivers/docker.h"
#include "agent/drivers/process.h"
#include "agent/durable_file.h"
#include "agent/tasks/task_store.h"
#include "base/log.h"

namespace agent {
namespace {

// Marks what this agent makes. The machine's name alone would not do: what two agents on one machine
// made would be each other's orphans.
std::string mark_of(const Options& options) {
  std::error_code ignored;
  return options.name + ":" + std::filesystem::canonical(options.data, ignored).string();
}

base::Result<std::unique_ptr<drivers::Driver>> docker(const Options& options, http::IoThreads& io,
                                                      const gpu::GpuSource& gpus) {
  drivers::DockerOptions docker;
  docker.agent_name = mark_of(options);
  docker.simulated_gpus = gpus.simulated();
  if (auto tools = gpus.tools()) {
    docker.nvidia_smi_path = tools->nvidia_smi;
    docker.nvidia_smi_folder = tools->folder;
  }
  return drivers::open_docker(io, std::move(docker));
}

base::Result<std::unique_ptr<drivers::Driver>> process(const Options& options, const gpu::GpuSource& gpus) {
  drivers::ProcessOptions process;
  process.folder = options.data + "/processes";
  process.agent_name = options.name;
  if (auto tools = gpus.tools()) {
    process.tool_folder = std::filesystem::path(tools->nvidia_smi).parent_path().string();
  }
  return drivers::open_process(std::move(process));
}

// To another driver what the last one runs would look gone, and its GPUs free: so it must come back, or
// its tasks be ended, before another may take over. With "auto" an engine that is slow to start is enough.
void check_it_is_the_same(const Options& options, const std::string& name) {
  const std::string path = options.data + "/driver";
  const std::string before = read_whole(path).value_or(name);
  if (before != name) {
    for (const TaskRecord& record : TaskStore(options.data).load()) {
      const bool runs = std::ranges::any_of(record.containers, [](const ContainerRecord& container) {
        return !container.id.empty() && container.status != kStopped;
      });
      if (runs) {
        throw std::runtime_error("tasks in " + options.data + " run by the driver " + before + ", which is not " +
                                 (options.driver == "auto" ? "there" : "the one that was asked for"));
      }
    }
  }
  write_durably(path, name);
}

}  // namespace

std::unique_ptr<gpu::GpuSource> open_gpus(const Options& options) {
  const std::string folder = options.data + "/gpus";
  make_folder(folder);
  auto gpus = gpu::open_gpus(options.gpus, options.name, folder);
  if (!gpus) throw std::runtime_error(gpus.error());
  return std::move(*gpus);
}

std::unique_ptr<drivers::Driver> open_driver(const Options& options, http::IoThreads& io, const gpu::GpuSource& gpus) {
  if (options.driver != "auto" && options.driver != "docker" && options.driver != "process") {
    throw std::runtime_error("there is no driver '" + options.driver + "': it is auto, docker or process");
  }
  base::Result<std::unique_ptr<drivers::Driver>> driver = base::Error{"no driver"};
  if (options.driver != "process") driver = docker(options, io, gpus);
  if (!driver && options.driver == "auto") {
    base::log_info("no engine, so tasks are processes", {{"reason", driver.error()}});
    driver = process(options, gpus);
  } else if (options.driver == "process") {
    driver = process(options, gpus);
  }
  if (!driver) throw std::runtime_error(driver.error());
  check_it_is_the_same(options, (*driver)->abilities().name);
  return std::move(*driver);
}

}  // namespace agent
