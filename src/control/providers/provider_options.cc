// SPDX-License-Identifier: Apache-2.0
#include "control/providers/provider_options.h"

#include <filesystem>
#include <stdexcept>

#include "control/providers/command_provider.h"
#include "control/providers/local_provider.h"
#include "control/providers/slurm_provider.h"

namespace control::providers {
namespace asio = boost::asio;
namespace {

// Every launch fails with a reason, instead of waiting for a machine for ever.
class NoProvider final : public InstanceProvider {
 public:
  std::string_view name() const override { return "none"; }
  base::Result<Slice> reserve(const model::InstanceType&, const std::vector<Holding>&) const override {
    return base::Error{"InsufficientInstanceCapacity: this server has no instance provider (--provider)."};
  }
  asio::awaitable<base::Result<Started>> start(Machine) override { co_return base::Error{"no instance provider"}; }
  asio::awaitable<MachineEvent> watch(Machine) override { co_return MachineEvent{}; }
  asio::awaitable<base::Result<Nothing>> stop(Machine) override { co_return Nothing{}; }
};

std::string absolute(const std::string& path) { return path.empty() ? "" : std::filesystem::absolute(path).string(); }

std::unique_ptr<InstanceProvider> open_local(const ProviderOptions& options, const std::string& join) {
  LocalSettings settings;
  settings.join = join;
  settings.ca_file = absolute(options.ca_file);
  settings.driver = options.driver;
  settings.gpu_source = options.gpu_source;
  settings.pool = options.pool;
  settings.shutdown_timeout = std::chrono::ceil<std::chrono::seconds>(options.stop_timeout);
  return std::make_unique<LocalProvider>(std::move(settings));
}

std::unique_ptr<InstanceProvider> open_command(const ProviderOptions& options, const std::string& join) {
  if (options.start.empty() || options.stop.empty()) {
    throw std::runtime_error("--provider command needs --provider-start and --provider-stop");
  }
  CommandSettings settings;
  settings.start = options.start;
  settings.stop = options.stop;
  settings.status = options.status;
  settings.join = join;
  settings.ca_file = absolute(options.ca_file);
  settings.timeout = options.timeout;
  return std::make_unique<CommandProvider>(std::move(settings));
}

std::unique_ptr<InstanceProvider> open_slurm(const ProviderOptions& options, const std::string& join) {
  SlurmSettings settings;
  settings.join = join;
  settings.ca_file = absolute(options.ca_file);
  settings.driver = options.driver;
  settings.timeout = options.timeout;
  settings.options = options.slurm_options;
  settings.gpus = options.slurm_gpus;
  settings.program = options.slurm_agent.empty() ? std::filesystem::read_symlink("/proc/self/exe").string() : options.slurm_agent;
  return std::make_unique<SlurmProvider>(std::move(settings));
}

}  // namespace

std::unique_ptr<InstanceProvider> open_provider(const ProviderOptions& options, const std::string& url) {
  const std::string join = options.join.empty() ? url : options.join;
  if (options.kind == "local") return open_local(options, join);
  if (options.kind == "command") return open_command(options, join);
  if (options.kind == "slurm") return open_slurm(options, join);
  return std::make_unique<NoProvider>();
}

}  // namespace control::providers
