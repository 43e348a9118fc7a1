// SPDX-License-Identifier: Apache-2.0
// The body of a REST request as it comes, whether plain or in S3's own chunks.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/headers.h"
#include "signing/aws_chunked.h"
#include "http/server.h"
#include "signing/sigv4.h"

namespace doors::objects {

class RequestBody {
 public:
  // `claim` has been verified, or is null, as `key` then is, for somebody without one. All of it throws
  // ApiError or Failure.
  RequestBody(http::Exchange& exchange, const signing::Claim* claim, std::shared_ptr<const signing::SigningKey> key);

  // As it was promised; nullopt where nothing was.
  std::optional<std::uint64_t> size() const { return size_; }
  // An upload must say how long it is.
  void require_size() const;

  // The next piece of it, "" at its end.
  boost::asio::awaitable<std::string> next();
  boost::asio::awaitable<std::string> whole(std::size_t limit);

  // Of S3's chunks: what was announced, and, after the end, what came.
  const std::vector<std::string>& announced() const { return announced_; }
  const base::Headers& trailers() const { return trailers_; }

 private:
  http::Exchange& exchange_;
  std::shared_ptr<const signing::SigningKey> key_;  // shared with the cache that it came from
  std::optional<signing::AwsChunkedDecoder> decoder_;
  std::optional<std::uint64_t> size_;
  std::vector<std::string> announced_;
  base::Headers trailers_;
};

// A request's headers without the coding that the transport has undone, for the handler to see.
base::Headers without_aws_chunked(const base::Headers& headers);

}  // namespace doors::objects
