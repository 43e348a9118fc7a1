// SPDX-License-Identifier: Apache-2.0
#include "ocr/serve.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>

#include "ocr/recognise_file.h"
#include "ocr/request.h"

namespace ocr {
namespace {

bool write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(output, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(std::size_t(wrote));
  }
  return true;
}

std::string answer_line(std::string_view line, Recogniser& recogniser, const std::string& languages, const Limits& limits) {
  const auto parsed = parse_request(line);
  if (const BadRequest* bad = std::get_if<BadRequest>(&parsed)) return failure_line(bad->id, bad->failure);
  const Request& request = std::get<Request>(parsed);
  std::string wanted = languages;
  if (request.metadata && request.metadata->contains(kLanguagesKey)) wanted = request.metadata->at(kLanguagesKey);
  try {
    const Outcome outcome = recognise_file(recogniser, request.input, wanted, limits);
    if (const Failure* failure = std::get_if<Failure>(&outcome)) return failure_line(request.id, *failure);
    return result_line(request.id, std::get<Result>(outcome));
  } catch (const std::exception& error) {
    return failure_line(request.id, {kUnavailable, std::string("this machine can't recognise anything now: ") + error.what()});
  }
}

// Lines of a descriptor.
class LineReader {
 public:
  explicit LineReader(int input) : input_(input) {}

  // False at the end of the input, which a last line without a newline is part of, and behind a line that is too long.
  bool next(std::string& line) {
    std::size_t end;
    while ((end = buffer_.find('\n', searched_)) == buffer_.npos) {
      searched_ = buffer_.size();
      if (buffer_.size() > kMaxLineBytes) return false;
      char bytes[64 << 10];
      const ssize_t got = ::read(input_, bytes, sizeof bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      buffer_.append(bytes, std::size_t(got));
    }
    line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    searched_ = 0;
    return true;
  }
  bool overflowed() const { return buffer_.size() > kMaxLineBytes; }

 private:
  int input_;
  std::string buffer_;
  std::size_t searched_ = 0;
};

}  // namespace

int serve(int input, int output, Recogniser& recogniser, const std::string& languages, const Limits& limits) {
  // Models are loaded before the first file arrives. A failure is the answer to each file, too.
  const auto now = std::chrono::steady_clock::now();
  if (auto failure = recogniser.start(languages, now + std::chrono::minutes(1))) {
    std::fprintf(stderr, "stoker-ocr: %s: %s\n", failure->type.c_str(), failure->message.c_str());
  }
  LineReader lines(input);
  std::string line;
  while (lines.next(line)) {
    if (!write_all(output, answer_line(line, recogniser, languages, limits))) return 1;
  }
  if (!lines.overflowed()) return 0;
  std::fprintf(stderr, "stoker-ocr: a request has more than %zu bytes\n", kMaxLineBytes);
  return 2;
}

}  // namespace ocr
