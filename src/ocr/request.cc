// SPDX-License-Identifier: Apache-2.0
#include "ocr/request.h"

#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace ocr {
namespace {

BadRequest bad_request(std::string id, std::string message) {
  return {std::move(id), {kInvalidRequest, std::move(message)}};
}

}  // namespace

std::variant<Request, BadRequest> parse_request(std::string_view line) {
  Request request;
  try {
    wire::read_json(wire::type_of<Request>(), line, &request);
  } catch (const wire::ApiError&) {
    return bad_request(std::move(request.id), "the request is not a JSON object with the members \"id\" and \"input\"");
  }
  if (request.id.empty()) return bad_request("", "a request needs a member \"id\"");
  if (request.input.empty()) return bad_request(request.id, "a request needs a member \"input\" with the path of a file");
  if (request.input.find('\0') != request.input.npos) return bad_request(request.id, "the path in \"input\" has a zero byte");
  return request;
}

std::string result_json(const Result& result) {
  std::string out = R"({"pages":[)" + result.pages + R"(],"languages":)";
  wire::write_json_string(result.languages, out);
  out += R"(,"engine":)";
  wire::write_json_string(result.engine, out);
  return out + "}";
}

std::string result_line(std::string_view id, const Result& result) {
  std::string out = R"({"id":)";
  wire::write_json_string(id, out);
  return out + R"(,"result":)" + result_json(result) + "}\n";
}

std::string failure_line(std::string_view id, const Failure& failure) {
  std::string out = R"({"id":)";
  wire::write_json_string(id, out);
  out += R"(,"error":)";
  wire::write_json(wire::type_of<Failure>(), &failure, out);
  if (is_permanent(failure.type)) out.insert(out.size() - 1, R"(,"permanent":true)");
  return out + "}\n";
}

bool is_permanent(std::string_view type) {
  return type == kUnsupportedFormat || type == kBrokenFile || type == kEncryptedPdf || type == kTooLarge;
}

}  // namespace ocr
