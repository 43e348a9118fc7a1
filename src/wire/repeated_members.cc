// SPDX-License-Identifier: Apache-2.0
#include "wire/repeated_members.h"

#include <boost/json/basic_parser_impl.hpp>
#include <set>
#include <string>
#include <vector>

namespace wire {
namespace {

namespace json = boost::json;

// Looks at the names of members, and at nothing else.
struct NameHandler {
  using error = json::error_code;

  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  bool on_document_begin(error&) { return true; }
  bool on_document_end(error&) { return true; }
  bool on_object_begin(error&) {
    names.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, error&) {
    names.pop_back();
    return true;
  }
  bool on_array_begin(error&) { return true; }
  bool on_array_end(std::size_t, error&) { return true; }
  bool on_key_part(json::string_view part, std::size_t, error&) {
    name.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, error&) {
    name.append(part.data(), part.size());
    repeated = repeated || !names.back().insert(std::move(name)).second;
    name.clear();
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, error&) { return true; }
  bool on_string(json::string_view, std::size_t, error&) { return true; }
  bool on_number_part(json::string_view, error&) { return true; }
  bool on_int64(std::int64_t, json::string_view, error&) { return true; }
  bool on_uint64(std::uint64_t, json::string_view, error&) { return true; }
  bool on_double(double, json::string_view, error&) { return true; }
  bool on_bool(bool, error&) { return true; }
  bool on_null(error&) { return true; }
  bool on_comment_part(json::string_view, error&) { return true; }
  bool on_comment(json::string_view, error&) { return true; }

  std::vector<std::set<std::string>> names;  // of the objects that are open
  std::string name;
  bool repeated = false;
};

}  // namespace

bool has_repeated_members(std::string_view text) {
  json::basic_parser<NameHandler> parser{json::parse_options()};
  json::error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return !error && parser.handler().repeated;
}

}  // namespace wire
