// SPDX-License-Identifier: Apache-2.0
// Which provider a server has, and its settings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/time.h"
#include "control/providers/instance_provider.h"

namespace control::providers {

struct ProviderOptions {
  std::string kind = "none";  // "local", "command", "slurm", "none"
  std::string join = {};      // how machines reach the server; "": by its own address
  std::string ca_file = {};   // of the server's certificate
  base::Duration timeout = std::chrono::minutes(5);  // of a command
  // local
  Pool pool = {};
  std::string gpu_source = "auto";
  std::string driver = "auto";
  base::Duration stop_timeout = std::chrono::seconds(30);  // of tasks whose instance is terminated
  // command
  std::string start = {}, stop = {}, status = {};
  // slurm
  std::vector<std::string> slurm_options = {};
  std::string slurm_agent = {}, slurm_gpus = "auto";
};

// `url` is the server's address on this machine. Throws std::runtime_error with one clear line for missing options.
std::unique_ptr<InstanceProvider> open_provider(const ProviderOptions& options, const std::string& url);

}  // namespace control::providers
