// SPDX-License-Identifier: Apache-2.0
#include "cli/submit_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/terminal_text.h"

namespace cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kSmallestBar = 10, kLargestBar = 30;
constexpr auto kRedrawInterval = std::chrono::milliseconds(100);
constexpr char kClearLine[] = "\r\x1b[K";

double per_second(std::size_t count, std::chrono::milliseconds elapsed) {
  const double seconds = std::chrono::duration<double>(elapsed).count();
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

std::string bar_of(std::size_t done, std::size_t total, std::size_t columns) {
  const std::size_t filled = total == 0 ? columns : columns * done / total;
  std::string bar(filled, '=');
  if (filled < columns) bar += '>';
  return "[" + fit_left(bar, columns) + "]";
}

}  // namespace

std::string progress_line(const std::string& pipeline, const SubmitCounts& counts, std::chrono::milliseconds elapsed,
                          std::size_t columns) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elapsed).count();
  std::string rest = fmt::format(" {}/{} {}", counts.finished(), counts.files, counts.waits ? "done" : "sent");
  if (counts.waits && counts.sent < counts.files) rest += fmt::format(", {} sent", counts.sent);
  if (counts.failed > 0) rest += fmt::format(", {} failed", counts.failed);
  rest += fmt::format(", {:.1f}/s, {}:{:02}", per_second(counts.finished(), elapsed), seconds / 60, seconds % 60);
  const std::string name = cut(pipeline, 20) + " ";
  const std::size_t used = display_width(name) + rest.size() + 2;
  if (used + kSmallestBar > columns) return cut(name + rest.substr(1), columns);
  return name + bar_of(counts.finished(), counts.files, std::min(columns - used, kLargestBar)) + rest;
}

std::string summary_line(const SubmitCounts& counts, std::chrono::milliseconds elapsed) {
  std::string line = fmt::format("{} {} in {:.1f} s ({:.1f}/s)", counts.files, counts.files == 1 ? "job" : "jobs",
                                 std::chrono::duration<double>(elapsed).count(), per_second(counts.finished(), elapsed));
  line += counts.waits ? fmt::format(": {} succeeded", counts.succeeded) : fmt::format(": {} submitted", counts.sent);
  if (counts.failed > 0) line += fmt::format(", {} failed", counts.failed);
  return line;
}

SubmitProgress::SubmitProgress(std::string pipeline, bool bar, std::ostream& out, std::ostream& err)
    : pipeline_(std::move(pipeline)), bar_(bar), out_(out), err_(err), start_(std::chrono::steady_clock::now()) {}

SubmitProgress::~SubmitProgress() { clear(); }

std::chrono::milliseconds SubmitProgress::elapsed() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start_);
}

void SubmitProgress::draw() {
  if (!bar_) return;
  drawn_ = std::chrono::steady_clock::now();
  err_ << kClearLine << progress_line(pipeline_, counts_, elapsed(), kColumns - 1) << std::flush;
}

void SubmitProgress::show(const SubmitCounts& counts) {
  std::lock_guard lock(mutex_);
  counts_ = counts;
  if (std::chrono::steady_clock::now() - drawn_ >= kRedrawInterval) draw();
}

void SubmitProgress::print(const std::string& line) {
  std::lock_guard lock(mutex_);
  if (bar_) err_ << kClearLine << std::flush;
  out_ << line << '\n' << std::flush;
  draw();
}

void SubmitProgress::clear() {
  std::lock_guard lock(mutex_);
  if (bar_) err_ << kClearLine << std::flush;
}

}  // namespace cli
