// SPDX-License-Identifier: Apache-2.0
// Who sent a request of the job API: the holder of a pipeline's key, or an account by its signature.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/authenticate.h"
#include "http/server.h"
#include "services/pipelines/jobs/job_requests.h"

namespace doors::jobs {

class Credentials {
 public:
  // Bodies of requests that take none.
  static constexpr std::size_t kMaxSmallBody = 64 * 1024;
  // A signature without x-amz-content-sha256 can only be verified with the whole body.
  static constexpr std::size_t kMaxUnhashedBody = 16 * 1024 * 1024;

  // Finds the key of a signature; the key of a pipeline is looked up in each transaction. Throws Problem.
  static boost::asio::awaitable<Credentials> find(api::Authenticator& authenticator, const http::Exchange& exchange,
                                                  const std::string& request_id, signing::ClaimResult claim);

  // Throws Problem where the key of the pipeline is invalid.
  services::pipelines::JobScope scope(store::Tx& tx) const;
  const services::Caller& caller() const { return caller_; }

  // Verifies the signature of a request with this body.
  void verify(std::string_view body, api::Authenticator& authenticator, const http::RequestHead& head) const;
  // Before the body is read. The hash that the body must have; "" for any.
  struct BodyRule {
    bool whole = false;  // the signature covers a hash that is not stated: read the body, then verify()
    std::string hash = {};
  };
  BodyRule verify_head(const http::RequestHead& head, base::Time now) const;

 private:
  std::string bearer_;  // "": signed
  signing::Claim claim_;
  api::Signer signer_;
  services::Caller caller_;
};

}  // namespace doors::jobs
