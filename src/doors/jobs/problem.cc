// SPDX-License-Identifier: Apache-2.0
#include "doors/jobs/problem.h"

#include <boost/json.hpp>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "api/admission.h"
#include "base/bytes.h"
#include "base/log.h"
#include "base/utf8.h"
#include "signing/body_error.h"
#include "store/store.h"
#include "wire/error.h"

namespace doors::jobs {
namespace {

namespace json = boost::json;

struct KnownError {
  std::string_view code;
  int status;
};
constexpr KnownError kKnownErrors[] = {
    {"ResourceNotFoundException", 404}, {"ConflictException", 409}, {"ValidationException", 400},
    {"LimitExceededException", 400},    {"AccessDenied", 403},      {"QuotaExceeded", 403},
    {"OverLimit", 403},
};

Problem of_api_error(const wire::ApiError& error) {
  if (error.code() == "EntityTooLarge") return Problem(413, "The input is larger than 5 GiB.");
  if (error.code() == "NoSuchBucket") {
    return Problem(409, "The bucket of the pipeline does not exist any more. Apply the pipeline again.");
  }
  if (error.code() == "NoSuchKey") return Problem(409, "The object does not exist any more.");
  int status = error.status() != 0 ? error.status() : 400;
  for (const KnownError& known : kKnownErrors) {
    if (known.code == error.code()) status = known.status;
  }
  Problem problem(status, error.message());
  for (const auto& [name, value] : error.details()) {
    if (name == "job_status") problem.job_status = value;
  }
  return problem;
}

Problem of_form_error(const signing::BodyError& error) {
  if (error.code() == "MalformedPOSTRequest") return Problem(400, "The body is not valid multipart/form-data.");
  if (error.code() == "MaxPostPreDataLengthExceeded") {
    return Problem(400, "The fields of the form, without the file, are larger than 20 KiB.");
  }
  for (const auto& [name, value] : error.details()) {
    if (name == "ArgumentName" && value != "file") return Problem(400, "The form has the field '" + value + "' twice.");
  }
  return Problem(400, "A form must have exactly one field 'file', with the input.");
}

Problem of_store_error(const store::Error& error) {
  if (error.kind() == store::ErrorKind::Full) return Problem(507, api::kFullDisk);
  if (error.kind() == store::ErrorKind::Busy) {
    Problem busy(503, "The server is busy. Try again.");
    busy.headers.add("Retry-After", "1");
    return busy;
  }
  return Problem(500, "The database failed; the server's log has the reason.");
}

Problem of_file_error(const std::system_error& error) {
  const int why = error.code().value();
  if (why == ENOSPC || why == EDQUOT) return Problem(507, api::kFullDisk);
  return Problem(500, "A file could not be read or written; the server's log has the reason.");
}

}  // namespace

Problem unauthorized(const std::string& detail) {
  Problem problem(401, detail);
  problem.headers.add("WWW-Authenticate", "Bearer realm=\"stoker\"");
  return problem;
}

Problem to_problem(const std::string& request_id, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const Problem& problem) {
    return problem;
  } catch (const wire::ApiError& error) {
    return of_api_error(error);
  } catch (const signing::BodyError& error) {
    return of_form_error(error);
  } catch (const http::Failure& error) {
    return Problem(error.status(), error.what());
  } catch (const store::Error& error) {
    base::log_error("transaction failed", {{"request", request_id}, {"error", error.what()}});
    return of_store_error(error);
  } catch (const boost::system::system_error&) {
    throw;
  } catch (const std::system_error& error) {
    base::log_error("file operation failed", {{"request", request_id}, {"error", error.what()}});
    return of_file_error(error);
  } catch (const std::exception& error) {
    base::log_error("handler failed", {{"request", request_id}, {"error", error.what()}});
    return Problem(500, "The server failed; its log has the reason.");
  }
}

http::Response problem_response(const Problem& problem, const std::string& request_id) {
  const std::string title(http::reason_phrase(problem.status));
  std::string type = base::to_lower(title);
  for (char& c : type) {
    if (c == ' ') c = '-';
  }
  json::object body;
  body["type"] = "urn:stoker:problem:" + type;
  body["title"] = title;
  body["status"] = problem.status;
  body["detail"] = base::to_printable(problem.what());
  if (!problem.job_status.empty()) body["job_status"] = problem.job_status;
  body["request_id"] = request_id;
  http::Response response{problem.status, problem.headers, json::serialize(body) + "\n"};
  response.headers.add("Content-Type", "application/problem+json");
  return response;
}

}  // namespace doors::jobs
