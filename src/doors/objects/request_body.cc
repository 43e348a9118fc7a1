// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/request_body.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <functional>

#include "doors/objects/checksum_headers.h"
#include "doors/objects/errors.h"
#include "base/bytes.h"

namespace doors::objects {
namespace asio = boost::asio;
namespace {

using wire::ApiError;

constexpr std::string_view kAwsChunked = "aws-chunked";

std::optional<std::uint64_t> content_length(const base::Headers& headers) {
  const std::string* text = headers.find("Content-Length");
  if (!text) return std::nullopt;
  std::uint64_t length = 0;
  // The request's parser has checked that it is a number.
  std::from_chars(text->data(), text->data() + text->size(), length);
  return length;
}

}  // namespace

RequestBody::RequestBody(http::Exchange& exchange, const signing::Claim* claim, std::shared_ptr<const signing::SigningKey> key)
    : exchange_(exchange), key_(std::move(key)), size_(content_length(exchange.head().headers)) {
  auto form = signing::aws_chunked(exchange.head(), claim);
  if (!form) return;
  size_ = form->decoded_length;
  announced_ = form->trailers;
  decoder_.emplace(std::move(*form), key_);
}

void RequestBody::require_size() const {
  if (size_) return;
  if (exchange_.head().headers.find("Transfer-Encoding")) {
    throw ApiError("NotImplemented", "A header you provided implies functionality that is not implemented", 501)
        .with("Header", "Transfer-Encoding");
  }
  throw ApiError("MissingContentLength", "You must provide the Content-Length HTTP header.", 411);
}

asio::awaitable<std::string> RequestBody::next() {
  for (;;) {
    std::string piece = co_await exchange_.read_piece();
    if (!decoder_) co_return piece;
    if (piece.empty()) {
      trailers_ = decoder_->finish();
      co_return piece;
    }
    // The decoded bytes move to the front: decoding only ever shortens a piece.
    std::string_view input = piece;
    std::size_t kept = 0;
    while (!input.empty()) {
      const std::string_view bytes = decoder_->next(input);
      if (bytes.empty()) continue;  // memmove() needs a valid pointer
      std::memmove(piece.data() + kept, bytes.data(), bytes.size());
      kept += bytes.size();
    }
    piece.resize(kept);
    if (kept > 0) co_return piece;
  }
}

asio::awaitable<std::string> RequestBody::whole(std::size_t limit) {
  if (!decoder_) {
    std::string body = co_await exchange_.read_body(limit);
    co_return body;
  }
  std::string body;
  for (;;) {
    const std::string piece = co_await next();
    if (piece.empty()) co_return body;
    body += piece;
    if (body.size() > limit) throw http::Failure(413, "The body is larger than " + std::to_string(limit) + " bytes.");
  }
}

asio::awaitable<spool::HeldUpload> spool_body(spool::Disk disk, RequestBody& body, services::s3::Spool wanted,
                                              const signing::Claim* claim) {
  for (const std::string& name : body.announced()) {
    if (auto kind = announced_checksum(name)) wanted.checksums.insert(*kind);
  }
  const bool signed_hash = claim && claim->names_body_hash();
  const bool also_wanted = wanted.checksums.contains(base::Checksum::Sha256);
  if (signed_hash) wanted.checksums.insert(base::Checksum::Sha256);
  spool::NextPiece next = std::bind_front(&RequestBody::next, &body);
  spool::BodyFacts facts{body.size(), [&body]() -> const base::Headers& { return body.trailers(); }};
  spool::HeldUpload held = co_await spool::spool_pieces(disk, std::move(next), std::move(wanted), std::move(facts));
  if (!signed_hash) co_return held;
  const std::string computed = base::to_hex(held.get().checksums.at(base::Checksum::Sha256));
  if (computed != claim->payload_hash) throw payload_hash_error(claim->payload_hash, computed);
  if (!also_wanted) held.forget_checksum(base::Checksum::Sha256);
  co_return held;
}

base::Headers without_aws_chunked(const base::Headers& headers) {
  base::Headers kept;
  for (const auto& [name, value] : headers) {
    if (!base::equals_ignoring_case(name, "Content-Encoding")) {
      kept.add(name, value);
      continue;
    }
    std::string others;
    for (std::string_view rest = value; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      if (base::equals_ignoring_case(base::trim(part), kAwsChunked)) continue;
      others += (others.empty() ? "" : ",") + std::string(base::trim(part));
    }
    if (!others.empty()) kept.add(name, others);
  }
  return kept;
}

}  // namespace doors::objects
