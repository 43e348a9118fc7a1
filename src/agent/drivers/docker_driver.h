// SPDX-License-Identifier: Apache-2.0
// The driver. Each operation is a few calls of the engine.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "agent/drivers/docker.h"
#include "agent/drivers/docker_api.h"
#include "agent/drivers/docker_cgroup.h"
#include "agent/drivers/docker_create.h"
#include "agent/drivers/docker_logs.h"
#include "agent/drivers/docker_state.h"

namespace agent::drivers {

class DockerDriver final : public Driver {
 public:
  DockerDriver(std::shared_ptr<DockerApi> api, DockerOptions options);

  const Abilities& abilities() const override { return abilities_; }
  boost::asio::awaitable<base::Result<Nothing>> ping() override;
  boost::asio::awaitable<void> watch_engine() override;
  boost::asio::awaitable<base::Result<Pulled>> pull(std::string image, OnPullProgress on_progress) override;
  boost::asio::awaitable<base::Result<std::string>> create(ContainerSpec spec) override;
  boost::asio::awaitable<base::Result<Started>> start(std::string id) override;
  boost::asio::awaitable<base::Result<Exit>> wait(std::string id) override;
  boost::asio::awaitable<base::Result<Nothing>> stop(std::string id, base::Duration grace) override;
  boost::asio::awaitable<base::Result<Nothing>> remove(std::string id) override;
  boost::asio::awaitable<void> end_task(std::string task_arn) override;
  boost::asio::awaitable<base::Result<Nothing>> clean_up(std::string task_arn) override;
  boost::asio::awaitable<base::Result<std::string>> health(std::string id, std::string known) override;
  boost::asio::awaitable<base::Result<Usage>> usage(std::string id) override;
  boost::asio::awaitable<base::Result<std::vector<Found>>> list() override;
  boost::asio::awaitable<base::Result<std::unique_ptr<ExecStream>>> exec(std::string id, ExecRequest request) override;

 private:
  // docker_pull.cc
  struct Download {
    std::string error = {};          // "": the machine has the image
    bool registry_answered = false;  // though perhaps not with the image
  };
  boost::asio::awaitable<Download> download(ImageName name, base::Duration answer_timeout, OnPullProgress on_progress);
  bool needs_pull(const std::string& image, bool exists) const;
  boost::asio::awaitable<std::string> pull_now(std::string image, bool exists, OnPullProgress on_progress);
  // docker.cc
  boost::asio::awaitable<base::Result<TaskParts>> prepare(const ContainerSpec& spec);
  boost::asio::awaitable<base::Result<std::vector<Found>>> list_where(std::vector<std::string> labels);
  // docker_run.cc
  boost::asio::awaitable<std::string> start_holder(std::string name, Started& started);
  void follow_log(const boost::asio::any_io_executor& executor, const boost::json::value& inspected);

  std::shared_ptr<DockerApi> api_;  // shared with the log copies, which may outlive this object
  DockerOptions options_;
  EngineFacts facts_;
  Abilities abilities_;
  DockerLogs logs_;
  TaskCgroups cgroups_;
  PulledImages pulled_;
  UnreachableRegistries unreachable_;
  std::map<std::string, CpuSample> cpu_;  // the last sample, by container id
};

}  // namespace agent::drivers
