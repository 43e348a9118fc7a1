// SPDX-License-Identifier: Apache-2.0
// Runs a command for each item.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/time.h"
#include "http/signal.h"
#include "worker/child.h"
#include "worker/processor.h"

namespace worker {

// The exit code of a command whose input is wrong in itself: EX_DATAERR of sysexits.h. Another attempt would fail, too.
inline constexpr int kPermanentExit = 65;

struct ExecRules {
  std::string command;  // with {input} and {output}
  std::size_t concurrency = 1;
  base::Duration timeout = std::chrono::minutes(5);
};

class ExecProcessor final : public Processor {
 public:
  ExecProcessor(ExecRules rules, OnStart on_start) : rules_(std::move(rules)), on_start_(std::move(on_start)) {}

  boost::asio::awaitable<Answer> answer(Item& item) override;
  void cancel(Item& item) override;
  boost::asio::awaitable<void> stop() override;

 private:
  boost::asio::awaitable<Answer> run(Item& item);

  const ExecRules rules_;
  const OnStart on_start_;
  std::size_t running_ = 0;
  std::map<const Item*, Child*> children_;
  http::Signal ended_;
};

// The command with its placeholders replaced by quoted paths.
std::string exec_command(std::string command, const std::string& input, const std::string& output);

}  // namespace worker
