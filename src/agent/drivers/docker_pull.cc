// SPDX-License-Identifier: Apache-2.0
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "agent/drivers/docker_driver.h"
#include "base/bytes.h"

namespace agent::drivers {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr base::Duration kSilence = std::chrono::minutes(5);  // in a pull; a large layer is unpacked in one go

constexpr std::size_t kMaxProgressBytes = 64 * 1024;  // of one line

struct ImageName {
  std::string repository;
  std::string tag;  // or a digest
};

// "registry:5000/name:tag", "name@sha256:...", "name": that one has the tag "latest".
ImageName split(const std::string& image) {
  const std::size_t at = image.find('@');
  if (at != image.npos) return {image.substr(0, at), image.substr(at + 1)};
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool has_tag = colon != image.npos && (slash == image.npos || colon > slash);
  return has_tag ? ImageName{image.substr(0, colon), image.substr(colon + 1)} : ImageName{image, "latest"};
}

std::string digest_of(const json::value& image) {
  const json::value* digests = find(image, {"RepoDigests"});
  if (digests && digests->is_array() && !digests->get_array().empty()) {
    const json::value& first = digests->get_array()[0];
    const std::string text = first.is_string() ? std::string(first.get_string()) : "";
    if (text.find('@') != text.npos) return text.substr(text.find('@') + 1);
  }
  return text_at(image, {"Id"});
}

// The engine tells of its progress in lines of JSON. A pull that fails on the way has been
// answered with 200 before: a line says why.
class Progress {
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
  // Why it failed, or "".
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

std::string refusal(int status, const std::string& body) {
  const Answer answer{status, body};
  return answer.message();
}

}  // namespace

// Why it failed, or "".
asio::awaitable<std::string> DockerDriver::download(std::string image) {
  const ImageName name = split(image);
  const std::string target =
      "/images/create?fromImage=" + base::percent_encode(name.repository) + "&tag=" + base::percent_encode(name.tag);
  auto opened = co_await api_->open("POST", target, kSilence);
  if (!opened) co_return opened.error();
  http::ResponseStream& stream = **opened;
  Progress progress;
  while (true) {
    base::Result<std::string> piece = co_await stream.read_piece(kSilence);
    if (!piece) co_return piece.error();
    if (stream.status() >= 400) co_return refusal(stream.status(), *piece);
    if (piece->empty()) co_return progress.error();
    progress.feed(*piece);
  }
}

asio::awaitable<base::Result<Pulled>> DockerDriver::pull(std::string image) {
  const std::string inspect = "/images/" + base::percent_encode(image, true) + "/json";
  Answer there = co_await api_->get(inspect);
  if (there.not_found()) {
    const std::string trouble = co_await download(image);
    if (!trouble.empty()) co_return base::Error{"CannotPullContainerError: " + trouble};
    there = co_await api_->get(inspect);
  }
  if (!there.ok()) co_return base::Error{"CannotPullContainerError: " + there.message()};
  Pulled pulled;
  pulled.digest = digest_of(there.json());
  co_return pulled;
}

}  // namespace agent::drivers
