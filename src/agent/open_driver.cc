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

// Labels the containers of this agent. The machine's name is not enough: two agents on one machine would
// remove each other's containers as orphans.
std::string agent_label(const Options& options) {
  std::error_code ignored;
  return options.name + ":" + std::filesystem::canonical(options.data, ignored).string();
}

base::Result<std::unique_ptr<drivers::Driver>> docker(const Options& options, http::IoThreads& io,
                                                      const gpu::GpuSource& gpus) {
  drivers::DockerOptions docker;
  docker.agent_name = agent_label(options);
  docker.simulated_gpus = gpus.simulated();
  const auto image_pull = drivers::parse_image_pull(options.image_pull);
  if (!image_pull) return base::Error{"unsupported --image-pull " + options.image_pull};
  docker.image_pull = *image_pull;
  docker.pulled_images_file = options.data + "/pulled_images";
  docker.programs = drivers::find_worker_programs(options.name);
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
  process.programs = drivers::find_worker_programs(options.name);
  process.isolation.task_user = options.task_user;
  if (!options.task_uids.empty()) process.isolation.task_uids = options.task_uids;
  process.isolation.hidden = options.hidden;
  process.isolation.hidden.push_back(options.data);
  if (auto tools = gpus.tools()) {
    process.tool_folder = std::filesystem::path(tools->nvidia_smi).parent_path().string();
  }
  return drivers::open_process(std::move(process));
}

// To another driver the containers of the last one would look gone and their GPUs free. So the driver may
// change only once no container runs. With "auto", an engine that starts slowly would change it.
void check_driver_unchanged(const Options& options, const std::string& name) {
  const std::string path = options.data + "/driver";
  const std::string before = read_file(path).value_or(name);
  if (before != name) {
    for (const TaskRecord& record : TaskStore(options.data).load()) {
      const bool runs = std::ranges::any_of(record.containers, [](const ContainerRecord& container) {
        return !container.id.empty() && container.status != kStopped;
      });
      if (runs) {
        throw std::runtime_error("containers of tasks in " + options.data + " still run with the driver " + before +
                                 (options.driver == "auto" ? ", which is unavailable" : ", not " + name));
      }
    }
  }
  write_durably(path, name);
}

std::string no_engine(const std::string& reason) {
  return "no container engine: " + reason +
         ". Start Docker or Podman, or choose `--driver process`: tasks are then plain processes of this machine";
}

}  // namespace

std::unique_ptr<gpu::GpuSource> open_gpus(const Options& options) {
  const std::string folder = options.data + "/gpus";
  create_folder(folder);
  auto gpus = gpu::open_gpus(options.gpus, options.name, folder);
  if (!gpus) throw std::runtime_error(gpus.error());
  return std::move(*gpus);
}

std::unique_ptr<drivers::Driver> open_driver(const Options& options, http::IoThreads& io, const gpu::GpuSource& gpus) {
  if (options.driver != "auto" && options.driver != "docker" && options.driver != "process") {
    throw std::runtime_error("unsupported driver '" + options.driver + "': use auto, docker or process");
  }
  base::Result<std::unique_ptr<drivers::Driver>> driver = base::Error{"no driver available"};
  if (options.driver != "process") driver = docker(options, io, gpus);
  if (!driver && options.driver == "auto") {
    // Never silently: processes are not isolated. One who has chosen them once need not repeat it.
    if (read_file(options.data + "/driver") != "process") throw std::runtime_error(no_engine(driver.error()));
    driver = process(options, gpus);
  } else if (options.driver == "process") {
    driver = process(options, gpus);
  }
  if (!driver) throw std::runtime_error(driver.error());
  check_driver_unchanged(options, (*driver)->abilities().name);
  return std::move(*driver);
}

}  // namespace agent
