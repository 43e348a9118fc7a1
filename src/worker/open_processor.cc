// SPDX-License-Identifier: Apache-2.0
#include "worker/open_processor.h"

#include <unistd.h>

#include <filesystem>

#include "worker/exec_processor.h"
#include "worker/serve_processor.h"

namespace worker {

std::vector<std::string> builtin_words(const Options& options) {
  const std::string name = "stoker-" + options.builtin;
  std::error_code failed;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  const std::string beside = (self.parent_path() / name).string();
  const bool found = !failed && ::access(beside.c_str(), X_OK) == 0;
  return {found ? beside : name, "--languages", options.languages};
}

std::unique_ptr<Processor> open_processor(const Options& options, boost::asio::any_io_executor executor,
                                          OnStart on_start) {
  if (!options.exec.empty()) {
    ExecRules rules{options.exec, options.concurrency, options.timeout};
    return std::make_unique<ExecProcessor>(std::move(rules), std::move(on_start));
  }
  ServeRules rules;
  rules.words = options.serve.empty() ? builtin_words(options) : command_words(options.serve);
  rules.feed = {options.batch, options.linger};
  rules.timeout = options.timeout;
  auto serve = std::make_unique<ServeProcessor>(std::move(executor), std::move(rules), std::move(on_start));
  serve->start();
  return serve;
}

}  // namespace worker
