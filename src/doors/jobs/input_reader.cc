// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/input_reader.h"

#include "base/bytes.h"
#include "doors/jobs/problem.h"

namespace doors::jobs {
namespace asio = boost::asio;

InputReader::InputReader(http::Exchange& exchange, std::string hash, std::optional<std::string> whole)
    : exchange_(exchange), hash_(std::move(hash)), whole_(std::move(whole)) {
  const std::string_view type = exchange.head().headers.get("Content-Type");
  if (base::equals_ignoring_case(base::trim(type.substr(0, type.find(';'))), "multipart/form-data")) {
    form_.emplace(type, signing::FormData::AfterFile::Fields);
  }
}

asio::awaitable<std::string> InputReader::next_piece() {
  if (whole_) {
    std::string all = std::exchange(*whole_, "");
    co_return all;
  }
  std::string piece = co_await exchange_.read_piece();
  if (hash_.empty()) co_return piece;
  if (!piece.empty()) {
    hasher_.update(piece);
  } else if (base::to_hex(hasher_.finish()) != hash_) {
    throw Problem(400, "The body does not have the hash in x-amz-content-sha256.");
  }
  co_return piece;
}

asio::awaitable<std::string> InputReader::next() {
  if (!form_) {
    std::string piece = co_await next_piece();
    co_return piece;
  }
  std::string bytes;
  for (;;) {
    while (!left_.empty()) bytes += form_->next(left_);
    if (!bytes.empty()) co_return bytes;
    piece_ = co_await next_piece();
    left_ = piece_;
    if (!piece_.empty()) continue;
    form_->finish();
    co_return bytes;
  }
}

}  // namespace doors::jobs
