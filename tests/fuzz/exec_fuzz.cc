// SPDX-License-Identifier: Apache-2.0
// A server's messages on an exec connection, the words of a command, and what a task's process may show in /proc.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/drivers/task_process.h"
#include "agent/exec/exec_frames.h"
#include "base/check.h"
#include "base/words.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Kind = agent::ExecInput::Kind;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const agent::ExecInput input = agent::parse_exec_input(text);
  CHECK(input.kind != Kind::Window || (input.rows > 0 && input.columns > 0)) << "a window without a size";
  CHECK(input.kind != Kind::Signal || input.signal > 0) << "a signal without a number";
  CHECK(input.kind != Kind::Input || input.bytes == text.substr(1)) << "other bytes";

  std::size_t letters = 0;
  for (const std::string& word : base::split_words(text)) letters += word.size();
  CHECK(letters <= text.size()) << "words of more than there is";

  [[maybe_unused]] const auto rights = agent::drivers::parse_rights(text);
  [[maybe_unused]] const std::uint32_t id = agent::drivers::mapped_id(text, 1000);
  return 0;
}
