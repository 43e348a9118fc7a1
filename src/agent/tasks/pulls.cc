// SPDX-License-Identifier: Apache-2.0
#include "agent/tasks/pulls.h"

#include <algorithm>

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

std::shared_ptr<Pull> Pulls::begin(const std::string& image) {
  auto found = in_progress_.find(image);
  if (found != in_progress_.end()) return found->second;
  auto pull = std::make_shared<Pull>();
  in_progress_[image] = pull;
  running_.spawn("pull", run(image, pull));
  return pull;
}

asio::awaitable<void> Pulls::run(std::string image, std::shared_ptr<Pull> pull) {
  base::Result<drivers::Pulled> result = base::Error{"CannotPullContainerError: not attempted"};
  base::Duration pause = timing_.first_pause;
  for (int attempt = 1;; ++attempt) {
    try {
      base::Result<drivers::Pulled> pulled = co_await driver_.pull(image);
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
}

}  // namespace agent
