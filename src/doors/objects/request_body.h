// SPDX-License-Identifier: Apache-2.0
// The body of a request as it arrives, plain or in S3's own chunks.
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
#include "spool/spool.h"

namespace doors::objects {

class RequestBody {
 public:
  // `claim` is verified; both are null for anonymous callers. All of it throws ApiError or Failure.
  RequestBody(http::Exchange& exchange, const signing::Claim* claim, std::shared_ptr<const signing::SigningKey> key);

  // As announced; nullopt where it is not.
  std::optional<std::uint64_t> size() const { return size_; }
  // Throws where the size is not announced.
  void require_size() const;

  // The next piece; "" at the end.
  boost::asio::awaitable<std::string> next();
  boost::asio::awaitable<std::string> whole(std::size_t limit);

  // Of S3's chunks: the announced trailers and, after the end, the received ones.
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

// Stores the body, and verifies the hash that it was signed with. Throws as spool::spool_pieces() does, and ApiError.
boost::asio::awaitable<spool::HeldUpload> spool_body(spool::Disk disk, RequestBody& body, services::s3::Spool wanted,
                                                     const signing::Claim* claim);

// The headers that handlers see: without aws-chunked, which is decoded already.
base::Headers without_aws_chunked(const base::Headers& headers);

}  // namespace doors::objects
