// SPDX-License-Identifier: Apache-2.0
// S3's own chunks: a body whose bytes come in pieces, each with its size and mostly a signature,
// and then with trailers. They are what is left when HTTP's chunks, if any, have been removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/headers.h"
#include "signing/body_error.h"
#include "signing/sigv4.h"

namespace signing {

struct AwsChunked {
  bool signed_chunks = false;
  bool trailer = false;
  std::uint64_t decoded_length = 0;   // x-amz-decoded-content-length
  std::vector<std::string> trailers;  // that x-amz-trailer announced, in lower case
  // Of the request, where its chunks are signed:
  std::string timestamp, scope, seed_signature;
};

// What the head of a request to S3 says of its body: nullopt for one that comes as it is. `claim`
// has been verified, or is null for somebody without a key. Throws BodyError for an
// x-amz-content-sha256, x-amz-trailer or x-amz-decoded-content-length that can't be.
std::optional<AwsChunked> aws_chunked(const http::RequestHead& head, const Claim* claim);

// Trailers that are not those that were announced.
BodyError malformed_trailer();

// Whoever feeds it keeps nothing until finish() has returned: bytes come out before their chunk's
// signature could be looked at, so they go where they can be thrown away, as a temporary file.
class AwsChunkedDecoder {
 public:
  // `key` signed the request; null where chunks are not signed.
  AwsChunkedDecoder(AwsChunked form, std::shared_ptr<const SigningKey> key);

  // Takes some off the front of `input` and returns what of it are the object's bytes, which may be
  // none. To be called until `input` is empty. Throws BodyError; then it is not to be used again.
  std::string_view next(std::string_view& input);

  // No more is needed; what still comes is ignored, as Amazon does.
  bool done() const { return state_ == State::Done; }

  // At the body's end: its trailers, without their signature. Throws BodyError where something is missing.
  base::Headers finish();

 private:
  enum class State { Size, Data, DataEnd, Trailer, Done };

  bool take_line(std::string_view& input, std::size_t limit);
  void start_chunk();
  void end_chunk();
  void add_trailer();
  void end_trailers();
  void check_signature(std::string_view name, std::string_view hashes, std::string_view given);

  AwsChunked form_;
  std::shared_ptr<const SigningKey> key_;  // shared with the cache that it came from
  State state_ = State::Size;
  std::string line_;              // so far, with its end
  std::uint64_t chunks_ = 0;      // begun
  std::uint64_t chunk_size_ = 0;  // of the last one
  std::uint64_t chunk_left_ = 0;
  std::uint64_t decoded_ = 0;    // of all chunks begun
  std::string chunk_signature_;  // as it was given
  std::string previous_signature_;
  std::optional<base::Hasher> hasher_;  // of the chunk, where it is signed
  base::Headers trailers_;
  std::string trailer_signature_;
  std::size_t trailer_bytes_ = 0;
};

}  // namespace signing
