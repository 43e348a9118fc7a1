// SPDX-License-Identifier: Apache-2.0
// What a worker does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/time.h"

namespace worker {

struct Options {
  std::string queue;  // a name or a URL
  // One of these.
  std::string exec;     // a command for each item, with {input} and {output}
  std::string serve;    // a command that stays and answers lines
  std::string builtin;  // a program beside this one: "ocr"

  std::string input_prefix = "in/";
  std::string results_prefix = "out/";
  std::string errors_prefix = "errors/";
  std::string results_bucket = {};  // "": the input's

  std::size_t batch = 1;
  base::Duration linger = base::Duration(0);  // how long an incomplete batch waits for more items
  base::Duration timeout = std::chrono::minutes(5);
  std::optional<std::size_t> prefetch = {};  // items beyond those that are worked on; none: by the rate of answers
  std::size_t concurrency = 1;               // of exec
  base::Duration backoff = std::chrono::seconds(1);
  base::Duration drain = std::chrono::seconds(30);
  base::Duration visibility = std::chrono::seconds(30);  // of held messages; renewed while they are worked on
  std::string languages = "eng";                         // of ocr
  std::string pipeline = {};
  std::string work_folder = {};  // "": a new one in $TMPDIR
};

}  // namespace worker
