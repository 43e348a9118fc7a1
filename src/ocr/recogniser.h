// SPDX-License-Identifier: Apache-2.0
// Keeps one recognising process, and replaces it when it crashes, hangs or has other languages.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ocr/answer.h"
#include "ocr/child.h"
#include "ocr/engine_messages.h"
#include "ocr/limits.h"

namespace ocr {

class Recogniser {
 public:
  // `program` is the beginning of the process's command line; engine_arguments() follow.
  Recogniser(std::vector<std::string> program, Limits limits) : program_(std::move(program)), limits_(limits) {}

  // Starts the process and waits until it has loaded these languages, unless it has.
  std::optional<Failure> start(const std::string& languages, Deadline deadline);

  // The page of an order, and the number of pages in its file. Call start() first.
  std::variant<EngineAnswer, Failure> recognise(const Order& order, int file, Deadline deadline);

  const std::string& engine() const { return engine_; }

 private:
  void launch(const std::string& languages);
  // Why there is no answer; the process has ended then.
  Failure failure_of(NoAnswer reason, const std::string& what);

  std::vector<std::string> program_;
  Limits limits_;
  std::string languages_;
  std::string engine_;
  Descriptor socket_;
  Child child_;
};

}  // namespace ocr
