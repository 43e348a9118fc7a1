// SPDX-License-Identifier: Apache-2.0
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "agent/drivers/docker_driver.h"
#include "base/bytes.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

// Without progress. The engine unpacks a large layer in one step.
constexpr base::Duration kPullStallTimeout = std::chrono::minutes(5);

constexpr std::size_t kMaxProgressBytes = 64 * 1024;  // of one line

struct ImageName {
  std::string repository;
  std::string tag;  // or a digest
};

// "registry:5000/name:tag", "name@sha256:...", "name" (tag "latest").
ImageName split_image_name(const std::string& image) {
  const std::size_t at = image.find('@');
  if (at != image.npos) return {image.substr(0, at), image.substr(at + 1)};
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag = colon != image.npos && (slash == image.npos || colon > slash);
  return has_tag ? ImageName{image.substr(0, colon), image.substr(colon + 1)} : ImageName{image, "latest"};
}

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

// The engine reports progress as lines of JSON. When a pull fails after the reply began with
// status 200, one of these lines has the error.
class PullProgress {
 public:
  void feed(std::string_view bytes) {
    for (const char c : bytes) {
      if (c != '\n') {
        if (line_.size() < kMaxProgressBytes) line_.push_back(c);
        continue;
      }
      end_line();
    }
  }
  // The error, or "".
  std::string error() {
    end_line();
    return error_;
  }

 private:
  void end_line() {
    boost::system::error_code broken;
    const json::value line = json::parse(line_, broken);
    line_.clear();
    const std::string text = broken ? "" : text_at(line, {"error"});
    if (!text.empty()) error_ = text;
  }

  std::string line_;
  std::string error_;
};

std::string rejection_message(int status, const std::string& body) {
  const EngineReply reply{status, body};
  return reply.message();
}

}  // namespace

// Returns the error, or "".
asio::awaitable<std::string> DockerDriver::download(std::string image) {
  const ImageName name = split_image_name(image);
  const std::string target =
      "/images/create?fromImage=" + base::percent_encode(name.repository) + "&tag=" + base::percent_encode(name.tag);
  auto opened = co_await api_->open("POST", target, kPullStallTimeout);
  if (!opened) co_return opened.error();
  http::ResponseStream& stream = **opened;
  PullProgress progress;
  while (true) {
    base::Result<std::string> piece = co_await stream.read_piece(kPullStallTimeout);
    if (!piece) co_return piece.error();
    if (stream.status() >= 400) co_return rejection_message(stream.status(), *piece);
    if (piece->empty()) co_return progress.error();
    progress.feed(*piece);
  }
}

asio::awaitable<base::Result<Pulled>> DockerDriver::pull(std::string image) {
  const std::string inspect = "/images/" + base::percent_encode(image, true) + "/json";
  EngineReply existing = co_await api_->get(inspect);
  if (existing.not_found()) {
    const std::string error = co_await download(image);
    if (!error.empty()) co_return base::Error{"CannotPullContainerError: " + error};
    existing = co_await api_->get(inspect);
  }
  if (!existing.ok()) co_return base::Error{"CannotPullContainerError: " + existing.message()};
  Pulled pulled;
  pulled.digest = digest_of(existing.json(), split_image_name(image).repository);
  pulled.id = text_at(existing.json(), {"Id"});
  co_return pulled;
}

}  // namespace agent::drivers
