// SPDX-License-Identifier: Apache-2.0
// A container's environment files, from S3 to variables.
#include "agent/tasks/environment_download.h"

#include <chrono>

#include "agent/tasks/task_runner.h"
#include "base/log.h"

namespace agent {
namespace asio = boost::asio;
namespace {

using Steady = std::chrono::steady_clock;

// How long all files of a container are tried for, while nobody answers.
constexpr base::Duration kFilesWithin = std::chrono::minutes(1);

// What people know and search for. Fargate begins so; what follows is what Amazon's agent says on EC2.
constexpr const char* kNoFiles =
    "ResourceInitializationError: failed to download env files: file download command: non empty error stream: ";

http::Credentials to_credentials(const shapes::agent::Credentials& given) {
  return {given.accessKeyId, given.secretAccessKey, given.sessionToken};
}

std::string failure(const char* what, const client::ObjectName& name, const std::string& error) {
  return std::string("unable to ") + what + " env file with key " + name.key + " from bucket " + name.bucket +
         ", error: " + error;
}

}  // namespace

client::Profile objects_profile(client::Profile agent, const shapes::agent::Task& task) {
  if (task.stokerObjects) {
    const shapes::agent::Objects& objects = *task.stokerObjects;
    client::Profile elsewhere;
    elsewhere.endpoint = objects.endpoint;
    elsewhere.region = objects.region;
    elsewhere.credentials = {objects.accessKeyId.value_or(""), objects.secretAccessKey.value_or(""), ""};
    return elsewhere;
  }
  if (task.executionRoleCredentials) {
    agent.credentials = to_credentials(*task.executionRoleCredentials);
  } else if (task.roleCredentials) {
    agent.credentials = to_credentials(*task.roleCredentials);
  }
  return agent;
}

// As with Amazon's agent, whichever container's file it is: without it the task does not start.
TaskRunner::Step TaskRunner::read_files(std::size_t index) {
  Variables variables;
  const base::Time give_up = machine_.clock.now() + kFilesWithin;
  const std::vector<shapes::agent::EnvironmentFile> files = record_.task.containers[index].environmentFiles;
  for (const shapes::agent::EnvironmentFile& file : files) {
    const auto name = client::parse_object_arn(file.value);
    base::Result<Variables> read = base::Error{"invalid s3 arn: " + file.value};
    if (name) {
      base::Result<Variables> answered = co_await read_file(*name, give_up);
      read = std::move(answered);
    }
    check_alive();
    if (!read && !wants_stop()) fail(kNoFiles + read.error());
    if (wants_stop()) {
      end(index, "");
      co_return false;
    }
    variables.merge(*read);  // the first file that has a variable is the one that counts
  }
  file_variables_[index] = std::move(variables);
  co_return true;
}

asio::awaitable<base::Result<Variables>> TaskRunner::read_file(client::ObjectName name, base::Time give_up) {
  base::Duration pause = machine_.timing.retry;
  for (;;) {
    client::ObjectRead read = co_await machine_.read_object(record_, name);
    check_alive();
    if (read.bytes) {
      base::Result<Variables> variables = parse_environment_file(*read.bytes);
      if (!variables) co_return base::Error{failure("read", name, variables.error())};
      co_return variables;
    }
    const bool again = read.may_pass && !wants_stop() && machine_.clock.now() < give_up;
    if (!again) co_return base::Error{failure("download", name, read.bytes.error())};
    base::log_warn("environment file not read", {{"task", arn()}, {"bucket", name.bucket}, {"key", name.key},
                                                 {"error", read.bytes.error()}});
    co_await pause_unless_stopped(pause);
    pause = std::min(pause * 2, machine_.timing.retry_longest);
  }
}

asio::awaitable<void> TaskRunner::pause_unless_stopped(base::Duration pause) const {
  const Steady::time_point end = Steady::now() + pause;
  while (!wants_stop() && Steady::now() < end) {
    co_await machine_.changed.wait(std::chrono::ceil<base::Duration>(end - Steady::now()));
    check_alive();
  }
}

}  // namespace agent
