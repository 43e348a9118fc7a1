// SPDX-License-Identifier: Apache-2.0
// Arguments of up and server about instance providers.
#include "base/duration.h"
#include "cli/arguments.h"
#include "cli/checks.h"

namespace cli {
namespace {

constexpr const char* kGroup = "EC2 instances";
constexpr std::int64_t kMaxPool = 1 << 30;

void add_pool_options(CLI::App* command, ProviderArguments& provider) {
  command
      ->add_option("--pool-gpus", provider.pool_gpus,
                   "local: GPUs for instances: auto, none, a list (0,1), or simulated: fake:8xV100 "
                   "(auto without an agent, none with one)")
      ->group(kGroup);
  command->add_option("--pool-cpus", provider.pool_cpus, "local: vCPUs for instances (all)")
      ->check(CLI::Range(std::int64_t{1}, kMaxPool))
      ->type_name("COUNT")
      ->group(kGroup);
  command->add_option("--pool-memory", provider.pool_memory_mib, "local: memory for instances (all)")
      ->check(CLI::Range(std::int64_t{1}, kMaxPool))
      ->type_name("MiB")
      ->group(kGroup);
  command
      ->add_flag_function(
          "--pool-overcommit,!--no-pool-overcommit",
          [&provider](std::int64_t count) { provider.pool_overcommit = count > 0; },
          "local: instances may have more vCPUs and memory than the pool (default with simulated GPUs only)")
      ->group(kGroup);
  command
      ->add_option_function<std::string>(
          "--pool-stop-timeout",
          [&provider](const std::string& text) { provider.pool_stop_timeout = *base::parse_duration(text); },
          "local: the longest time that a task gets to stop when its instance is terminated (30s)")
      ->check(check_duration)
      ->type_name("90s|5m")
      ->group(kGroup);
  command->add_option("--pool-driver", provider.driver, "local: container driver of the instances' agents")
      ->check(CLI::IsMember({"auto", "docker", "process"}))
      ->capture_default_str()
      ->group(kGroup);
}

void add_command_options(CLI::App* command, ProviderArguments& provider) {
  command->add_option("--provider-start", provider.start, "command: starts a machine and prints its identity in a line")
      ->type_name("COMMAND")
      ->group(kGroup);
  command->add_option("--provider-stop", provider.stop, "command: stops the machine $STOKER_MACHINE")
      ->type_name("COMMAND")
      ->group(kGroup);
  command
      ->add_option("--provider-status", provider.status,
                   "command: ends with status 3 where the machine $STOKER_MACHINE is gone, with 0 where it runs")
      ->type_name("COMMAND")
      ->group(kGroup);
}

void add_slurm_options(CLI::App* command, ProviderArguments& provider) {
  command
      ->add_option("--slurm-option", provider.slurm_options,
                   "slurm: an option of sbatch, such as --partition=gpu. Repeatable")
      ->allow_extra_args(false)
      ->type_name("OPTION")
      ->group(kGroup);
  command->add_option("--slurm-agent", provider.slurm_agent, "slurm: path of stoker on the nodes (this program's)")
      ->type_name("FILE")
      ->group(kGroup);
  command->add_option("--slurm-gpus", provider.slurm_gpus, "slurm: GPUs of a node: auto, or simulated: fake:8xV100")
      ->capture_default_str()
      ->group(kGroup);
}

}  // namespace

void add_provider_options(CLI::App* command, ProviderArguments& provider) {
  command
      ->add_option("--provider", provider.kind,
                   "Where machines come from: local (this machine), command (your scripts), slurm, none")
      ->check(CLI::IsMember({"local", "command", "slurm", "none"}))
      ->capture_default_str()
      ->group(kGroup);
  command
      ->add_option("--instance-types", provider.instance_types,
                   "Instance types beside Amazon's: lines of type,vcpus,memory_mib,gpus,gpu_model,gpu_memory_mib")
      ->check(CLI::ExistingFile)
      ->type_name("FILE")
      ->group(kGroup);
  command->add_option("--provider-join", provider.join, "Address of this server for machines elsewhere")
      ->check(check_endpoint)
      ->type_name("URL")
      ->group(kGroup);
  command
      ->add_option_function<std::string>(
          "--provider-timeout",
          [&provider](const std::string& text) { provider.timeout = *base::parse_duration(text); },
          "command, slurm: the longest run of a command (5m)")
      ->check(check_duration)
      ->type_name("90s|5m")
      ->group(kGroup);
  add_pool_options(command, provider);
  add_command_options(command, provider);
  add_slurm_options(command, provider);
}

}  // namespace cli
