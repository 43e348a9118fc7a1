// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/environment_download.h"

#include <algorithm>
#include <chrono>

#include "agent/tasks/container_runner.h"
#include "agent/tasks/task_runner.h"
#include "base/log.h"

namespace agent {
namespace asio = boost::asio;
namespace {

using Steady = std::chrono::steady_clock;

// Limit for all files of a container, while the object store does not answer.
constexpr base::Duration kFilesWithin = std::chrono::minutes(1);

// The words that people search for: the prefix is Fargate's, the rest is that of Amazon's agent on EC2.
constexpr const char* kDownloadFailed =
    "ResourceInitializationError: failed to download env files: file download command: non empty error stream: ";

signing::Credentials to_credentials(const shapes::agent::Credentials& given) {
  return {given.accessKeyId, given.secretAccessKey, given.sessionToken};
}

std::string file_error(const char* action, const client::ObjectName& name, const std::string& error) {
  return std::string("unable to ") + action + " env file with key " + name.key + " from bucket " + name.bucket +
         ", error: " + error;
}

// Amazon's agent does without the credentials of the machine, too.
constexpr const char* kNoRole = "unable to find execution role credentials: the task definition needs an executionRoleArn";

asio::awaitable<client::ObjectRead> refused_object(std::string reason) {
  client::ObjectRead refused{base::Error{std::move(reason)}};
  co_return refused;
}

}  // namespace

std::optional<client::Profile> objects_profile(client::Profile agent, const shapes::agent::Task& task) {
  const auto& role = task.executionRoleCredentials ? task.executionRoleCredentials : task.roleCredentials;
  if (!role) return std::nullopt;
  agent.credentials = to_credentials(*role);
  return agent;
}

asio::awaitable<client::ObjectRead> read_environment_object(http::IoThreads& io, client::Profile agent,
                                                            const shapes::agent::Task& task, client::ObjectName name) {
  if (!task.stokerObjects) {
    auto profile = objects_profile(std::move(agent), task);
    if (!profile) return refused_object(kNoRole);
    return client::get_object(io, std::move(*profile), std::move(name), kMaxEnvironmentFile);
  }
  client::Profile elsewhere;
  elsewhere.endpoint = task.stokerObjects->endpoint;
  const auto& urls = task.stokerObjects->fileUrls;
  const auto url = std::ranges::find_if(urls, [&](const auto& entry) {
    const auto known = client::parse_object_arn(entry.first);
    return known && known->bucket == name.bucket && known->key == name.key;
  });
  if (url == urls.end()) {
    return refused_object("AccessDenied: the server's --objects-allow does not let this account read the bucket " +
                          name.bucket);
  }
  return client::get_presigned(io, std::move(elsewhere), url->second, kMaxEnvironmentFile);
}

// Like Amazon's agent, a failure stops the whole task, even if the container is not essential.
ContainerRunner::Step ContainerRunner::read_environment_files() {
  Variables variables;
  const base::Time give_up = machine_.clock.now() + kFilesWithin;
  const std::vector<shapes::agent::EnvironmentFile> files = definition_.environmentFiles;
  for (const shapes::agent::EnvironmentFile& file : files) {
    const auto name = client::parse_object_arn(file.value);
    base::Result<Variables> read = base::Error{"invalid s3 arn: " + file.value};
    if (name) {
      base::Result<Variables> downloaded = co_await read_environment_file(*name, give_up);
      read = std::move(downloaded);
    }
    task_.throw_if_stopping();
    if (!read && !task_.wants_stop()) task_.fail(kDownloadFailed + read.error());
    if (task_.wants_stop()) {
      end("");
      co_return false;
    }
    variables.merge(*read);  // the first file that sets a variable wins
  }
  file_variables_ = std::move(variables);
  co_return true;
}

asio::awaitable<base::Result<Variables>> ContainerRunner::read_environment_file(client::ObjectName name,
                                                                                base::Time give_up) {
  base::Duration pause = machine_.timing.retry;
  for (;;) {
    client::ObjectRead read = co_await machine_.read_object(task_.record(), name);
    task_.throw_if_stopping();
    if (read.bytes) {
      base::Result<Variables> variables = parse_environment_file(*read.bytes);
      if (!variables) co_return base::Error{file_error("read", name, variables.error())};
      co_return variables;
    }
    const bool again = read.retryable && !task_.wants_stop() && machine_.clock.now() < give_up;
    if (!again) co_return base::Error{file_error("download", name, read.bytes.error())};
    base::log_warn("environment file download failed, retrying",
                   {{"task", task_.arn()}, {"bucket", name.bucket}, {"key", name.key}, {"error", read.bytes.error()}});
    co_await pause_unless_stopped(pause);
    pause = std::min(pause * 2, machine_.timing.retry_longest);
  }
}

asio::awaitable<void> ContainerRunner::pause_unless_stopped(base::Duration pause) const {
  const Steady::time_point end = Steady::now() + pause;
  while (!task_.wants_stop() && Steady::now() < end) {
    co_await machine_.changed.wait(std::chrono::ceil<base::Duration>(end - Steady::now()));
    task_.throw_if_stopping();
  }
}

}  // namespace agent
