// SPDX-License-Identifier: Apache-2.0
// A spec in JSON. Unlike requests of Amazon's services, it must not have members that would be ignored.
#include <fmt/format.h>

#include <boost/json.hpp>

#include "services/pipelines/definitions/settings.h"
#include "services/shape_json.h"
#include "wire/error.h"

namespace services::pipelines {
namespace {

namespace json = boost::json;

[[noreturn]] void reject_spec(const std::string& message) {
  throw wire::ApiError("ValidationException", "The pipeline's spec is invalid: " + message);
}

const char* expected_kind(wire::Kind kind) {
  switch (kind) {
    case wire::Kind::Int32:
    case wire::Kind::Int64: return "a whole number";
    case wire::Kind::List: return "a list of texts";
    case wire::Kind::Map: return "a map of texts";
    default: return "a text";
  }
}

bool all_texts(const json::value& value) {
  if (const auto* list = value.if_array()) {
    return std::all_of(list->begin(), list->end(), [](const json::value& one) { return one.is_string(); });
  }
  const auto* map = value.if_object();
  return map && std::all_of(map->begin(), map->end(), [](const auto& entry) { return entry.value().is_string(); });
}

bool is_of_kind(const json::value& value, wire::Kind kind) {
  switch (kind) {
    case wire::Kind::Int32:
    case wire::Kind::Int64: {
      const auto* number = value.if_int64();
      return number && *number == static_cast<std::int32_t>(*number);
    }
    case wire::Kind::List: return value.is_array() && all_texts(value);
    case wire::Kind::Map: return value.is_object() && all_texts(value);
    default: return value.is_string();
  }
}

}  // namespace

shapes::stoker::PipelineSpec parse_spec(std::string_view text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) reject_spec("it is not a JSON object");
  const wire::TypeInfo& type = wire::type_of<shapes::stoker::PipelineSpec>();
  for (const auto& member : value.get_object()) {
    const wire::Field* field = type.find(std::string_view(member.key().data(), member.key().size()));
    if (!field) reject_spec(fmt::format("unknown member '{}'", std::string_view(member.key())));
    if (is_of_kind(member.value(), field->type->kind)) continue;
    reject_spec(fmt::format("{} must be {}, not {}", field->name, expected_kind(field->type->kind),
                            std::string_view(json::serialize(member.value()))));
  }
  if (!value.get_object().contains("name")) reject_spec("it has no name");
  return from_json<shapes::stoker::PipelineSpec>(text);
}

}  // namespace services::pipelines
