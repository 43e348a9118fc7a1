// SPDX-License-Identifier: Apache-2.0
// aws-chunked, S3's own chunks: a body in pieces, each with its size and usually a signature,
// followed by trailers. They are inside HTTP's chunks, if there are any.
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
  std::vector<std::string> trailers;  // announced by x-amz-trailer, in lower case
  // Of the request, if its chunks are signed:
  std::string timestamp, scope, seed_signature;
};

// The form of the body, from the head of a request to S3: nullopt for a plain body. `claim` is
// verified, or null for an anonymous request. Throws BodyError for an invalid
// x-amz-content-sha256, x-amz-trailer or x-amz-decoded-content-length.
std::optional<AwsChunked> aws_chunked(const http::RequestHead& head, const Claim* claim);

// The trailers differ from the announced ones.
BodyError malformed_trailer();

// The caller must not use the bytes until finish() has returned: they come out before their chunk's
// signature can be verified. Store them where they can be discarded, such as a temporary file.
class AwsChunkedDecoder {
 public:
  // `key` signed the request; null if the chunks are not signed.
  AwsChunkedDecoder(AwsChunked form, std::shared_ptr<const SigningKey> key);

  // Consumes a part of `input` and returns the object's bytes in it, which may be empty. Call it
  // until `input` is empty. Throws BodyError; do not use the decoder after that.
  std::string_view next(std::string_view& input);

  // The body is complete; further input is ignored, as Amazon does.
  bool done() const { return state_ == State::Done; }

  // Call at the end of the body. Returns the trailers without their signature. Throws BodyError if the body is
  // incomplete.
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
  std::string line_;              // the current line so far
  std::uint64_t chunks_ = 0;      // started
  std::uint64_t chunk_size_ = 0;  // of the last chunk
  std::uint64_t chunk_left_ = 0;
  std::uint64_t decoded_ = 0;    // sizes of all started chunks
  std::string chunk_signature_;  // as received
  std::string previous_signature_;
  std::optional<base::Hasher> hasher_;  // of the chunk, if it is signed
  base::Headers trailers_;
  std::string trailer_signature_;
  std::size_t trailer_bytes_ = 0;
};

}  // namespace signing
