// SPDX-License-Identifier: Apache-2.0
#include <boost/json/array.hpp>
#include <utility>

#include "agent/drivers/docker_driver.h"
#include "agent/drivers/docker_pull_lines.h"
#include "base/bytes.h"
#include "base/log.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

// Without progress. The engine unpacks a large layer in one step.
constexpr base::Duration kPullStallTimeout = std::chrono::minutes(5);

// The digest under which this repository has the image. An image may be known by others, too.
std::string digest_of(const json::value& image, const std::string& repository) {
  const json::value* digests = find(image, {"RepoDigests"});
  if (!digests || !digests->is_array()) return "";
  for (const json::value& digest : digests->get_array()) {
    const std::string text = digest.is_string() ? std::string(digest.get_string()) : "";
    if (text.starts_with(repository + "@")) return text.substr(repository.size() + 1);
  }
  return "";
}

std::int64_t to_seconds(base::Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

std::string rejection_message(int status, const std::string& body) {
  const EngineReply reply{status, body};
  return reply.message();
}

}  // namespace

asio::awaitable<DockerDriver::Download> DockerDriver::download(ImageName name, base::Duration answer_timeout,
                                                              OnPullProgress on_progress) {
  const std::string target =
      "/images/create?fromImage=" + base::percent_encode(name.repository) + "&tag=" + base::percent_encode(name.tag);
  Download result;
  PullProgress known;
  on_progress(known);
  // The engine's answer begins when the registry has described the image.
  auto opened = co_await api_->open("POST", target, answer_timeout);
  if (!opened) {
    result.error = opened.error();
    co_return result;
  }
  http::ResponseStream& stream = **opened;
  PullLines lines;
  while (true) {
    base::Result<std::string> piece = co_await stream.read_piece(kPullStallTimeout);
    result.error = piece ? "" : piece.error();
    if (piece && stream.status() >= 400) {
      result.error = rejection_message(stream.status(), *piece);
      result.registry_answered = is_registry_answer(result.error);
      co_return result;
    }
    result.registry_answered = true;
    if (!piece) co_return result;
    if (piece->empty()) break;
    lines.feed(*piece);
    const PullProgress now = lines.progress();
    if (std::exchange(known, now) != now) on_progress(now);
  }
  lines.end_line();
  result.error = lines.error();
  co_return result;
}

bool DockerDriver::needs_pull(const std::string& image, bool exists) const {
  if (!exists || options_.image_pull == ImagePull::Always) return true;
  if (options_.image_pull == ImagePull::PreferCached) return false;
  const ImageName name = ImageName::parse(image);
  if (name.by_digest()) return false;  // the registry has the same
  if (options_.image_pull == ImagePull::Once) return !pulled_.contains(image);
  if (!unreachable_.contains(name.registry(), base::SystemClock().now())) return true;
  base::log_info("image of this machine used, its registry did not answer lately",
                 {{"image", image}, {"registry", name.registry()}, {"pause_s", to_seconds(kUnreachableRegistryPause)}});
  return false;
}

// Returns the error, or "" where the machine has the image.
asio::awaitable<std::string> DockerDriver::pull_now(std::string image, bool exists, OnPullProgress on_progress) {
  const ImageName name = ImageName::parse(image);
  const bool may_fall_back = exists && options_.image_pull == ImagePull::Default;
  const base::Duration patience = may_fall_back ? kRegistryAnswerTimeout : kPullStallTimeout;
  Download download_end = co_await download(name, patience, std::move(on_progress));
  if (download_end.registry_answered) {
    unreachable_.remove(name.registry());
  } else {
    unreachable_.add(name.registry(), base::SystemClock().now());
  }
  if (download_end.error.empty()) {
    pulled_.add(image);
    co_return "";
  }
  if (!may_fall_back) co_return download_end.error;
  base::log_info("image of this machine used, it could not be pulled",
                 {{"image", image}, {"error", download_end.error}});
  co_return "";
}

asio::awaitable<base::Result<Pulled>> DockerDriver::pull(std::string image, OnPullProgress on_progress) {
  const std::string inspect = "/images/" + base::percent_encode(image, true) + "/json";
  EngineReply existing = co_await api_->get(inspect);
  if ((existing.ok() || existing.not_found()) && needs_pull(image, existing.ok())) {
    const std::string error = co_await pull_now(image, existing.ok(), std::move(on_progress));
    if (!error.empty()) co_return base::Error{"CannotPullContainerError: " + error};
    existing = co_await api_->get(inspect);
  }
  if (!existing.ok()) co_return base::Error{"CannotPullContainerError: " + existing.message()};
  Pulled pulled;
  pulled.digest = digest_of(existing.json(), ImageName::parse(image).repository);
  pulled.id = text_at(existing.json(), {"Id"});
  co_return pulled;
}

}  // namespace agent::drivers
