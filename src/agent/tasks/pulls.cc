// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/pulls.h"

#include <algorithm>
#include <set>

#include "base/bytes.h"
#include "base/log.h"

namespace agent {
namespace asio = boost::asio;

bool is_transient(const std::string& pull_error) {
  const std::string text = base::to_lower(pull_error);
  // Phrases of Docker, Podman and containerd.
  constexpr std::string_view kFinal[] = {"not found",    "no such",           "manifest unknown",    "denied",
                                         "unauthorized", "invalid reference", "repository name must"};
  return std::ranges::none_of(kFinal, [&](std::string_view words) { return text.find(words) != text.npos; });
}

std::shared_ptr<Pull> Pulls::begin(const std::string& image, const std::string& task) {
  std::shared_ptr<Pull> pull = in_progress_[image];
  if (!pull) {
    in_progress_[image] = pull = std::make_shared<Pull>();
    pull->since = clock_.now();
    running_.spawn("pull", run(image, pull));
  }
  pull->tasks.push_back(task);
  progressed_.notify();
  return pull;
}

void Pulls::leave(Pull& pull, const std::string& task) {
  const auto entry = std::ranges::find(pull.tasks, task);
  if (entry != pull.tasks.end()) pull.tasks.erase(entry);
  progressed_.notify();
}

shapes::agent::StokerPulls Pulls::message() const {
  shapes::agent::StokerPulls message;
  std::size_t room = kMaxReportedTasks;
  for (const auto& [image, pull] : in_progress_) {
    if (!pull->progress || pull->tasks.empty()) continue;
    if (message.pulls.size() == kMaxReported || room == 0) break;
    const std::set<std::string> waiting(pull->tasks.begin(), pull->tasks.end());
    std::vector<std::string> tasks(waiting.begin(), waiting.end());
    tasks.resize(std::min(tasks.size(), room));
    room -= tasks.size();
    message.pulls.push_back({.image = image,
                             .taskArns = std::move(tasks),
                             .startedAt = base::to_millis(pull->since),
                             .layers = pull->progress->layers,
                             .layersDone = pull->progress->layers_done,
                             .layersExisting = pull->progress->layers_existing,
                             .downloadedBytes = pull->progress->downloaded_bytes,
                             .totalBytes = pull->progress->total_bytes,
                             .extracting = pull->progress->extracting});
  }
  return message;
}

asio::awaitable<void> Pulls::run(std::string image, std::shared_ptr<Pull> pull) {
  base::Result<drivers::Pulled> result = base::Error{"CannotPullContainerError: not attempted"};
  base::Duration pause = timing_.first_pause;
  for (int attempt = 1;; ++attempt) {
    drivers::OnPullProgress note = [this, pull](const drivers::PullProgress& progress) {
      pull->progress = progress;
      progressed_.notify();
    };
    try {
      base::Result<drivers::Pulled> pulled = co_await driver_.pull(image, std::move(note));
      result = std::move(pulled);
    } catch (const std::exception& error) {
      result = base::Error{std::string("CannotPullContainerError: ") + error.what()};
    }
    if (result || attempt == timing_.attempts || !is_transient(result.error())) break;
    base::log_warn("image pull failed, retrying", {{"image", image}, {"attempt", attempt}, {"error", result.error()}});
    co_await sleep_for(pause);
    pause *= 2;
  }
  pull->result = std::move(result);
  in_progress_.erase(image);
  changed_.notify();
  progressed_.notify();
}

}  // namespace agent
