// SPDX-License-Identifier: Apache-2.0
// Errors of the job API: application/problem+json, RFC 9457.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "base/headers.h"
#include "http/message.h"

namespace doors::jobs {

// Ends a request.
struct Problem : std::runtime_error {
  Problem(int code, const std::string& detail) : std::runtime_error(detail), status(code) {}

  int status;
  std::string job_status = {};   // of the job that the request names
  base::Headers headers = {};
};

Problem unauthorized(const std::string& detail);

// What a client gets for an exception; logs those that are the server's. Rethrows what ends the connection itself.
Problem to_problem(const std::string& request_id, std::exception_ptr thrown);

http::Response problem_response(const Problem& problem, const std::string& request_id);

}  // namespace doors::jobs
