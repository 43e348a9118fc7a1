// SPDX-License-Identifier: Apache-2.0
#include "cli/pull_display.h"

#include <unistd.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "cli/names.h"
#include "cli/terminal.h"
#include "cli/terminal_text.h"

namespace cli {
namespace {

using namespace shapes::stoker;

constexpr char kRewriteLine[] = "\r\x1b[K";

}  // namespace

std::string pull_line(const StokerPullState& pull, std::size_t columns) {
  return cut("pulling the image" + (pull.detail.empty() ? "" : ": " + terminal_text(pull.detail)), columns);
}

std::optional<std::vector<StokerPullState>> pulls_of(ClusterClient& client, const std::string& task) {
  const StokerExplainRequest request{.cluster = client.cluster(), .task = task};
  try {
    const auto state = client.call<StokerExplainResponse>("StokerExplain", request).state;
    if (state) return state->pulls;
  } catch (const std::exception&) {
    // The progress is not worth an error.
  }
  return std::nullopt;
}

PullDisplay::PullDisplay(std::optional<std::size_t> columns, std::ostream& err, Time now)
    : columns_(columns), err_(err), next_(now + kInterval) {}

void PullDisplay::show(const StokerTaskState& state, Time now) {
  const shapes::ecs::Task& task = state.task;
  const bool pending = task.lastStatus == "PENDING";
  // Amazon's agent reports no progress.
  const bool pulls = state.pulls || (pending && task.pullStartedAt && !task.pullStoppedAt);
  if (pulls) {
    const StokerPullState pull = state.pulls && !state.pulls->empty() ? state.pulls->front() : StokerPullState();
    return print_progress(pull_line(pull, columns_ ? *columns_ - 1 : std::string::npos), now);  // the cursor needs one
  }
  clear();
  if (pending || !std::exchange(begun_, false) || !task.pullStartedAt || !task.pullStoppedAt) return;
  err_ << "pulled the image in " << brief_duration(*task.pullStoppedAt - *task.pullStartedAt) << std::endl;
}

void PullDisplay::print_progress(const std::string& line, Time now) {
  if (line == shown_ || (!columns_ && now < next_)) return;
  err_ << (columns_ ? kRewriteLine + line : line + "\n") << std::flush;
  begun_ = true;
  shown_ = line;
  next_ = now + kInterval;
}

void PullDisplay::clear() {
  if (columns_ && !shown_.empty()) err_ << kRewriteLine << std::flush;
  shown_.clear();
}

std::optional<std::size_t> progress_columns(const std::ostream& err) {
  if (::isatty(STDERR_FILENO) == 0) return std::nullopt;
  return std::min(terminal_of(err).columns, kScreenWidth);
}

}  // namespace cli
