// SPDX-License-Identifier: Apache-2.0
// The lines that a --serve process gets and answers, and results as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "worker/item.h"

namespace worker {

inline constexpr std::size_t kMaxResultBytes = 64 * 1024 * 1024;

// The item as a line, with its line feed.
std::string request_line(const Item& item, std::size_t index, std::size_t batch_size);

struct AnswerLine {
  std::string id;
  Answer answer;
};

// An error if it is not a JSON object with an id. An object without result and error is an answer that failed.
base::Result<AnswerLine> parse_answer_line(std::string_view line);

// What a command wrote, as the result: JSON as it is, anything else as {"output": "<text>"}.
std::string result_of_output(std::string output);

}  // namespace worker
