// SPDX-License-Identifier: Apache-2.0
#include "worker/lines.h"

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/bytes.h"
#include "base/utf8.h"
#include "wire/json.h"

namespace worker {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxErrorText = 8 * 1024;
constexpr std::size_t kScratchBytes = 16 * 1024;

void add_text(std::string& out, std::string_view name, std::string_view value) {
  out += out.size() > 1 ? ",\"" : "\"";
  out += name;
  out += "\":";
  wire::write_json_string(base::is_utf8(value) ? std::string(value) : base::to_printable(value), out);
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) ++at;
  return at;
}

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// The end of the value at `at`, in text that is valid JSON.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_string(text, at);
      if (depth == 0) return at;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    ++at;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return at;
}

// The text of the object's last member of that name, as it was written: numbers keep their digits. "" without one.
// `line` is a valid JSON object.
std::string_view raw_member(std::string_view line, std::string_view name) {
  std::string_view found;
  std::size_t at = skip_space(line, line.find('{') + 1);
  while (at < line.size() && line[at] == '"') {
    const std::size_t key_end = end_of_string(line, at);
    const std::string_view key = line.substr(at + 1, key_end - at - 2);
    at = skip_space(line, line.find(':', key_end) + 1);
    const std::size_t end = end_of_value(line, at);
    if (key == name) found = base::trim(line.substr(at, end - at));
    at = skip_space(line, end);
    if (at >= line.size() || line[at] != ',') break;
    at = skip_space(line, at + 1);
  }
  return found;
}

std::string text_in(const json::object& object, std::string_view name, std::string_view otherwise) {
  const json::value* value = object.if_contains(name);
  if (!value) return std::string(otherwise);
  std::string text = value->is_string() ? std::string(value->get_string()) : json::serialize(*value);
  if (text.size() > kMaxErrorText) text = base::to_printable(text.substr(0, kMaxErrorText)) + "...";
  return text;
}

Failure failure_in(const json::object& object) {
  const json::value* error = object.if_contains("error");
  if (!error) return {"InvalidAnswer", "the answer has neither a result nor an error"};
  if (!error->is_object()) return {"Error", text_in(object, "error", "")};
  const json::value* permanent = error->get_object().if_contains("permanent");
  return {text_in(error->get_object(), "type", "Error"), text_in(error->get_object(), "message", ""),
          permanent && permanent->is_bool() && permanent->get_bool()};
}

json::parse_options options_for_lines() {
  json::parse_options options;
  options.max_depth = 256;
  return options;
}

}  // namespace

std::string request_line(const Item& item, std::size_t index, std::size_t batch_size) {
  std::string line = "{";
  line.reserve(256);
  add_text(line, "id", item.id);
  add_text(line, "input", item.input);
  add_text(line, "bucket", item.bucket);
  add_text(line, "key", item.key);
  add_text(line, "content_type", item.content_type);
  std::string metadata = "{";
  for (const auto& [name, value] : item.metadata) {
    metadata += metadata.size() > 1 ? "," : "";
    wire::write_json_string(name, metadata);
    metadata += ':';
    wire::write_json_string(base::to_printable(value), metadata);
  }
  line += ",\"metadata\":" + metadata + "},\"batch\":{\"index\":" + std::to_string(index) +
          ",\"size\":" + std::to_string(batch_size) + "}}\n";
  return line;
}

base::Result<AnswerLine> parse_answer_line(std::string_view line) {
  // Most lines need no memory beyond this.
  unsigned char scratch[kScratchBytes];
  json::monotonic_resource memory(scratch);
  boost::system::error_code failed;
  const json::value value = json::parse({line.data(), line.size()}, failed, &memory, options_for_lines());
  if (failed || !value.is_object()) return base::Error{"it is not a JSON object"};
  const json::object& object = value.get_object();
  const json::value* id = object.if_contains("id");
  if (!id || !id->is_string()) return base::Error{"it has no id"};
  AnswerLine answer{std::string(id->get_string()), Cancelled{}};
  const json::value* error = object.if_contains("error");
  const bool has_error = error && !error->is_null();
  if (!has_error && object.contains("result")) {
    answer.answer = Result{std::string(raw_member(line, "result"))};
    // A name with escapes is found by the parser only.
    if (std::get<Result>(answer.answer).json.empty()) answer.answer = Result{json::serialize(*object.if_contains("result"))};
  } else {
    answer.answer = failure_in(object);
  }
  return answer;
}

std::string result_of_output(std::string output) {
  boost::system::error_code failed;
  json::parse(output, failed, {}, options_for_lines());
  if (!failed) return output;
  std::string result = "{";
  add_text(result, "output", output);
  return result + "}";
}

}  // namespace worker
