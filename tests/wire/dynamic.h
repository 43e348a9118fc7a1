// SPDX-License-Identifier: Apache-2.0
// Shapes known only at run time: a model's JSON becomes wire::TypeInfo tables over one
// general value, so that the public test vectors can run.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "wire/type.h"

namespace dynamic {

// Any value; its table determines which member is used.
struct Value {
  bool present = false;
  std::string text;
  bool flag = false;
  std::int32_t int32 = 0;
  std::int64_t int64 = 0;
  float single = 0;
  double real = 0;
  base::Time time{};
  base::Blob blob;
  std::vector<Value> items;              // a list's elements, a struct's members
  std::map<std::string, Value> entries;  // a map's
};

// The tables of one model. Its JSON must outlive it.
class Model {
 public:
  // `names_in_json`: locationName is the name in JSON, not the one in XML.
  Model(const boost::json::object& shapes, bool names_in_json) : shapes_(shapes), names_in_json_(names_in_json) {}

  const wire::TypeInfo& type(std::string_view shape);
  // The model's own names of a struct's members, in the order of the fields.
  const std::vector<std::string>& member_names(const wire::TypeInfo& type) { return member_names_[&type]; }

  // A value from the vectors' format: times are epoch seconds, blobs are text.
  Value from_json(const wire::TypeInfo& type, const boost::json::value& json);
  std::string to_text(const wire::TypeInfo& type, const Value& value);

 private:
  const wire::Member* member(const boost::json::object& reference, bool is_element);
  void value_traits(const boost::json::object& reference, const boost::json::object& shape, wire::Member& traits);
  void make_struct(const boost::json::object& shape, wire::TypeInfo& type);

  const boost::json::object& shapes_;
  bool names_in_json_;
  std::map<std::string, std::unique_ptr<wire::TypeInfo>, std::less<>> types_;
  std::map<const wire::TypeInfo*, std::vector<std::string>> member_names_;
  std::deque<wire::Member> traits_;
};

// The pointer that a codec gets for the value: to the scalar inside, or to the Value.
void* slot(const wire::TypeInfo& type, Value& value);
const void* slot(const wire::TypeInfo& type, const Value& value);
// An empty struct, list or map of that type.
Value empty(const wire::TypeInfo& type);

}  // namespace dynamic
