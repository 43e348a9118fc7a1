// SPDX-License-Identifier: Apache-2.0
#include "dynamic.h"

#include <fmt/format.h>

#include "base/check.h"
#include "wire/text.h"
#include "wire/timestamp.h"

namespace dynamic {
namespace {

using boost::json::object;
using wire::Field;
using wire::Kind;
using wire::TypeInfo;

std::string_view text(const boost::json::value& json) { return {json.get_string().data(), json.get_string().size()}; }

std::string_view text(const object& from, std::string_view name) {
  const auto* found = from.if_contains({name.data(), name.size()});
  return found && found->is_string() ? text(*found) : std::string_view();
}

bool is_true(const object& from, const char* name) {
  const auto* found = from.if_contains(name);
  return found && found->is_bool() && found->get_bool();
}

Kind kind_of(std::string_view type) {
  static const std::map<std::string_view, Kind> kKinds = {
      {"string", Kind::String}, {"character", Kind::String}, {"boolean", Kind::Bool},  {"integer", Kind::Int32},
      {"long", Kind::Int64},    {"float", Kind::Float},      {"double", Kind::Double}, {"timestamp", Kind::Time},
      {"blob", Kind::Blob},     {"list", Kind::List},        {"map", Kind::Map},       {"structure", Kind::Struct}};
  CHECK(kKinds.contains(type)) << type;
  return kKinds.at(type);
}

const void* get(const Field& field, const void* structure) {
  const Value& value = static_cast<const Value*>(structure)->items[field.offset];
  return value.present ? slot(*field.type, value) : nullptr;
}
void* make(const Field& field, void* structure) {
  Value& value = static_cast<Value*>(structure)->items[field.offset];
  if (!value.present) value = empty(*field.type);
  return slot(*field.type, value);
}
std::size_t size(const TypeInfo& type, const void* value) {
  const auto& held = *static_cast<const Value*>(value);
  return type.kind == Kind::Map ? held.entries.size() : held.items.size();
}
void* append(const TypeInfo& type, void* list) {
  return slot(*type.element, static_cast<Value*>(list)->items.emplace_back(empty(*type.element)));
}
const void* at(const TypeInfo& type, const void* list, std::size_t i) {
  return slot(*type.element, static_cast<const Value*>(list)->items[i]);
}
void* insert(const TypeInfo& type, void* map, std::string&& key) {
  return slot(*type.element, static_cast<Value*>(map)->entries[std::move(key)] = empty(*type.element));
}
void each(const TypeInfo& type, const void* map, TypeInfo::Visit visit, void* context) {
  for (const auto& [key, value] : static_cast<const Value*>(map)->entries) {
    visit(context, key, slot(*type.element, value));
  }
}

wire::TimeFormat time_format(std::string_view name) {
  if (name == "iso8601") return wire::TimeFormat::Iso8601;
  if (name == "rfc822") return wire::TimeFormat::Rfc822;
  if (name == "unixTimestamp") return wire::TimeFormat::Unix;
  return wire::TimeFormat::Default;
}

wire::In location(std::string_view name) {
  if (name == "header") return wire::In::Header;
  if (name == "headers") return wire::In::Headers;
  if (name == "uri") return wire::In::Label;
  if (name == "querystring") return wire::In::Query;
  if (name == "statusCode") return wire::In::StatusCode;
  return wire::In::Body;
}

double number(const boost::json::value& json) {
  if (json.is_string()) {
    double value = 0;
    TypeInfo type;
    type.kind = Kind::Double;
    CHECK(wire::read_text(type, {}, text(json), &value)) << text(json);
    return value;
  }
  return json.to_number<double>();
}

void read_scalar(const TypeInfo& type, const boost::json::value& json, Value& value) {
  switch (type.kind) {
    case Kind::String: value.text = json.is_string() ? text(json) : std::string_view(); break;
    case Kind::Blob: value.blob.bytes = text(json); break;
    case Kind::Bool: value.flag = json.get_bool(); break;
    case Kind::Int32: value.int32 = json.to_number<std::int32_t>(); break;
    case Kind::Int64: value.int64 = json.to_number<std::int64_t>(); break;
    case Kind::Float: value.single = static_cast<float>(number(json)); break;
    case Kind::Double: value.real = number(json); break;
    case Kind::Time:
      value.time = json.is_string() ? *wire::from_iso8601(text(json)) : *wire::from_epoch(number(json));
      break;
    default: break;
  }
}

}  // namespace

const void* slot(const TypeInfo& type, const Value& value) { return slot(type, const_cast<Value&>(value)); }

void* slot(const TypeInfo& type, Value& value) {
  switch (type.kind) {
    case Kind::String: return &value.text;
    case Kind::Bool: return &value.flag;
    case Kind::Int32: return &value.int32;
    case Kind::Int64: return &value.int64;
    case Kind::Float: return &value.single;
    case Kind::Double: return &value.real;
    case Kind::Time: return &value.time;
    case Kind::Blob: return &value.blob;
    default: return &value;
  }
}

Value empty(const TypeInfo& type) {
  Value value;
  value.present = true;
  if (type.kind == Kind::Struct) value.items.resize(type.fields.size());
  return value;
}

void Model::value_traits(const object& reference, const object& shape, wire::Member& traits) {
  std::string_view type = text(shape, "type");
  traits.flattened = is_true(reference, "flattened") || is_true(shape, "flattened");
  std::string_view format = text(reference, "timestampFormat");
  traits.time = time_format(format.empty() ? text(shape, "timestampFormat") : format);
  for (const object* from : {&shape, &reference}) {
    const auto* space = from->if_contains("xmlNamespace");
    if (!space) continue;
    traits.xmlns = space->is_string() ? text(*space) : text(space->get_object(), "uri");
    traits.xmlns_prefix = space->is_string() ? std::string_view() : text(space->get_object(), "prefix");
  }
  if (type == "list") {
    traits.item = text(shape.at("member").get_object(), "locationName");
    traits.of = member(shape.at("member").get_object(), true);
  }
  if (type == "map") {
    traits.key = text(shape.at("key").get_object(), "locationName");
    traits.value = text(shape.at("value").get_object(), "locationName");
    traits.of = member(shape.at("value").get_object(), true);
    traits.keys = member(shape.at("key").get_object(), true);
  }
}

const wire::Member* Model::member(const object& reference, bool is_element) {
  const object& shape = shapes_.at(text(reference, "shape")).get_object();
  wire::Member& traits = traits_.emplace_back();
  value_traits(reference, shape, traits);
  if (is_element) return &traits;
  std::string_view name = text(reference, "locationName");
  traits.ec2 = text(reference, "queryName");
  traits.attribute = is_true(reference, "xmlAttribute");
  traits.in = location(text(reference, "location"));
  if (traits.in != wire::In::Body) {
    traits.at = name;
  } else if (names_in_json_) {
    traits.name = name;
  } else {
    traits.xml = name;
    if (name.empty() && text(shape, "type") != "structure") traits.xml = text(shape, "locationName");
  }
  return &traits;
}

void Model::make_struct(const object& shape, TypeInfo& type) {
  for (const auto& [name, reference] : shape.at("members").get_object()) {
    Field field;
    field.traits = member(reference.get_object(), false);
    field.name = field.traits->name.empty() ? std::string_view(name.data(), name.size()) : field.traits->name;
    field.type = &this->type(text(reference.get_object(), "shape"));
    field.offset = type.fields.size();
    field.get = get;
    field.make = make;
    type.fields.push_back(field);
    member_names_[&type].emplace_back(name);
  }
  type.structure.xml = text(shape, "locationName");
  type.structure.payload = text(shape, "payload");
  if (const auto* space = shape.if_contains("xmlNamespace")) {
    type.structure.xmlns = space->is_string() ? text(*space) : text(space->get_object(), "uri");
    type.structure.xmlns_prefix = space->is_string() ? std::string_view() : text(space->get_object(), "prefix");
  }
  wire::finish_struct(type);
  for (Field& field : type.fields) {
    if (!type.structure.payload.empty() && member_names_[&type][field.offset] == type.structure.payload) {
      // The vectors give every member an XML name. A name equal to the member's own does not rename the root,
      // which keeps the shape's name. In S3's model it does.
      traits_.push_back(*field.traits);
      if (traits_.back().xml == type.structure.payload) traits_.back().xml = {};
      field.traits = &traits_.back();
      type.payload = &field;
    }
  }
}

const TypeInfo& Model::type(std::string_view shape_name) {
  auto found = types_.find(shape_name);
  if (found != types_.end()) return *found->second;
  TypeInfo& type = *types_.emplace(shape_name, std::make_unique<TypeInfo>()).first->second;
  const auto& [key, json] = *shapes_.find({shape_name.data(), shape_name.size()});
  const object& shape = json.get_object();
  type.kind = kind_of(text(shape, "type"));
  type.name = {key.data(), key.size()};
  type.size = size;
  type.append = append;
  type.at = at;
  type.insert = insert;
  type.each = each;
  if (type.kind == Kind::List) type.element = &this->type(text(shape.at("member").get_object(), "shape"));
  if (type.kind == Kind::Map) type.element = &this->type(text(shape.at("value").get_object(), "shape"));
  if (type.kind == Kind::Struct) make_struct(shape, type);
  return type;
}

Value Model::from_json(const TypeInfo& type, const boost::json::value& json) {
  Value value = empty(type);
  if (type.kind == Kind::Struct) {
    for (const Field& field : type.fields) {
      const auto* held = json.get_object().if_contains(member_names(type)[field.offset]);
      if (held && !held->is_null()) value.items[field.offset] = from_json(*field.type, *held);
    }
  } else if (type.kind == Kind::List) {
    for (const auto& held : json.get_array()) {
      if (!held.is_null()) value.items.push_back(from_json(*type.element, held));
    }
  } else if (type.kind == Kind::Map) {
    for (const auto& [key, held] : json.get_object()) {
      if (!held.is_null()) value.entries[std::string(key)] = from_json(*type.element, held);
    }
  } else {
    read_scalar(type, json, value);
  }
  return value;
}

std::string Model::to_text(const TypeInfo& type, const Value& value) {
  std::string out;
  if (type.kind == Kind::Struct) {
    for (const Field& field : type.fields) {
      const Value& held = value.items[field.offset];
      if (held.present) out += member_names(type)[field.offset] + "=" + to_text(*field.type, held) + " ";
    }
    return "{" + out + "}";
  }
  if (type.kind == Kind::List) {
    for (const Value& held : value.items) out += to_text(*type.element, held) + " ";
    return "[" + out + "]";
  }
  if (type.kind == Kind::Map) {
    for (const auto& [key, held] : value.entries) out += key + ":" + to_text(*type.element, held) + " ";
    return "<" + out + ">";
  }
  // The parser that read the vectors' numbers may be off in the last place.
  if (type.kind == Kind::Double) return fmt::format("{:.15g}", value.real);
  wire::append_text(type, {}, slot(type, value), out);
  return out;
}

}  // namespace dynamic
