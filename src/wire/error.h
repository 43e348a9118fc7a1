// SPDX-License-Identifier: Apache-2.0
// The error of a failed request: handlers throw it, clients catch it.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/headers.h"

namespace wire {

class ApiError : public std::exception {
 public:
  using Detail = std::pair<std::string, std::string>;

  // `code` is the error shape's name ("QueueDoesNotExist"), or a code without a shape
  // ("InvalidParameterValue"). Status 0: the status in the service's table, or 400.
  ApiError(std::string code, std::string message, int status = 0)
      : code_(std::move(code)), message_(std::move(message)), status_(status) {}

  // Adds another member of the error's shape, such as S3's BucketName.
  ApiError& with(std::string name, std::string value) {
    details_.emplace_back(std::move(name), std::move(value));
    return *this;
  }

  // Adds a header to the response, such as x-amz-delete-marker with S3's NoSuchKey.
  ApiError& with_header(std::string name, std::string value) {
    headers_.add(std::move(name), std::move(value));
    return *this;
  }

  const std::string& code() const { return code_; }
  const std::string& message() const { return message_; }
  int status() const { return status_; }
  const std::vector<Detail>& details() const { return details_; }
  const base::Headers& headers() const { return headers_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string code_;
  std::string message_;
  int status_;
  std::vector<Detail> details_;
  base::Headers headers_;
};

}  // namespace wire
