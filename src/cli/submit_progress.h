// SPDX-License-Identifier: Apache-2.0
// What `stoker submit` shows while it works: one line that changes on a terminal, nothing elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <string>

namespace cli {

struct SubmitCounts {
  std::size_t files = 0;
  std::size_t sent = 0;       // accepted by the server
  std::size_t succeeded = 0;  // with --wait
  std::size_t failed = 0;     // also those that were not accepted
  bool waits = false;         // --wait

  std::size_t finished() const { return (waits ? succeeded : sent) + failed; }
};

// "ocr [=======>      ] 123/500 done, 140 sent, 2 failed, 41.2/s, 0:12", at most so many columns.
std::string progress_line(const std::string& pipeline, const SubmitCounts& counts, std::chrono::milliseconds elapsed,
                          std::size_t columns);
// "500 jobs in 12.1 s (41.2/s): 498 succeeded, 2 failed"
std::string summary_line(const SubmitCounts& counts, std::chrono::milliseconds elapsed);

// Prints lines and the bar. Safe to use from several threads at once.
class SubmitProgress {
 public:
  // `out` gets the lines, `err` the bar if there is one.
  SubmitProgress(std::string pipeline, bool bar, std::ostream& out, std::ostream& err);
  ~SubmitProgress();

  void show(const SubmitCounts& counts);
  void print(const std::string& line);
  // Removes the bar.
  void clear();
  std::chrono::milliseconds elapsed() const;

 private:
  void draw();

  const std::string pipeline_;
  const bool bar_;
  std::ostream& out_;
  std::ostream& err_;
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;  // protects all below, and both streams
  SubmitCounts counts_;
  std::chrono::steady_clock::time_point drawn_;
};

}  // namespace cli
