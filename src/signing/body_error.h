// SPDX-License-Identifier: Apache-2.0
// An error in a request's body, with Amazon S3's code and message.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/message.h"

namespace signing {

// A Failure, so that a server that does not handle it specifically still sends its status.
class BodyError : public http::Failure {
 public:
  using Details = std::vector<std::pair<std::string, std::string>>;

  BodyError(int status, std::string code, const std::string& message, Details details = {})
      : http::Failure(status, message), code_(std::move(code)), details_(std::move(details)) {}

  const std::string& code() const { return code_; }    // "IncompleteBody"
  const Details& details() const { return details_; }  // further elements of Amazon's error document

 private:
  std::string code_;
  Details details_;
};

}  // namespace signing
