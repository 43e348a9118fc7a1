// SPDX-License-Identifier: Apache-2.0
#include "wire/validate.h"

#include <algorithm>
#include <boost/regex.hpp>

#include "base/bytes.h"
#include "base/time.h"
#include "wire/place.h"

namespace wire {

std::string Place::path() const {
  if (!up) return "";
  std::string path = up->path();
  if (!path.empty()) path += '.';
  if (kind == InList) return path + std::to_string(index) + ".member";
  if (kind == InMap) return path + std::string(name) + ".member";
  path += name;
  char& first = path[path.size() - name.size()];
  if (first >= 'A' && first <= 'Z') first = static_cast<char>(first - 'A' + 'a');
  return path;
}

void note_missing(const TypeInfo& type, std::uint64_t seen, const Place& place, std::vector<Violation>& missing) {
  for (const Field& field : type.fields) {
    if (!(field.required_bit & ~seen) || missing.size() >= kMaxViolations) continue;
    Place at{&place, Place::InStruct, field.name};
    missing.push_back({at.path(), Violation::Missing, "", "", std::string(field.name)});
  }
}

namespace {

// Counts characters, as Amazon does, not bytes.
std::int64_t length_of(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// Boost's, because the standard library's recurses for each character and overflows the
// stack on long text. Boost's throws when matching takes too long: that counts as no match.
bool matches(const std::string& text, std::string_view pattern) {
  try {
    return boost::regex_match(text, boost::regex(pattern.begin(), pattern.end()));
  } catch (const std::runtime_error&) {
    return false;
  }
}

constexpr std::size_t kMaxPrintedElements = 1000;

// As Java prints it: "[a, b]". Lists of structures are not spelled out, nor are long ones.
std::string list_text(const TypeInfo& type, const void* value) {
  const std::size_t count = type.size(type, value);
  if (count > kMaxPrintedElements || (count > 0 && type.element->kind != Kind::String)) return "[...]";
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + *static_cast<const std::string*>(type.at(type, value, i));
  }
  return text + "]";
}

class Validator {
 public:
  void value(const TypeInfo& type, const Member& traits, const void* value, const Place& place);
  std::vector<Violation> take() { return std::move(found_); }

 private:
  void string(const Member& traits, const std::string& text, const Place& place);
  void list(const TypeInfo& type, const Member& traits, const void* value, const Place& place);
  void map(const TypeInfo& type, const Member& traits, const void* value, const Place& place);
  void number(const Member& traits, double value, const std::string& text, const Place& place);
  void length(const Member& traits, std::size_t length, const std::string& text, const Place& place);
  void add(const Member& traits, const Place& place, Violation::Kind kind, std::string constraint, std::string value);

  std::vector<Violation> found_;
};

void Validator::add(const Member& traits, const Place& place, Violation::Kind kind, std::string constraint,
                    std::string value) {
  if (found_.size() >= kMaxViolations) return;
  const Place* named = &place;
  while (named->kind != Place::InStruct && named->up) named = named->up;
  if (traits.secret) value.clear();
  found_.push_back({place.path(), kind, std::move(constraint), std::move(value), std::string(named->name)});
}

void Validator::length(const Member& traits, std::size_t length, const std::string& text, const Place& place) {
  auto count = static_cast<std::int64_t>(length);
  if (traits.min != kNoMin && count < traits.min) {
    add(traits, place, Violation::TooShort, std::to_string(traits.min), text);
  }
  if (traits.max != kNoMax && count > traits.max) {
    add(traits, place, Violation::TooLong, std::to_string(traits.max), text);
  }
}

void Validator::number(const Member& traits, double value, const std::string& text, const Place& place) {
  if (traits.min != kNoMin && value < static_cast<double>(traits.min)) {
    add(traits, place, Violation::TooSmall, std::to_string(traits.min), text);
  }
  if (traits.max != kNoMax && value > static_cast<double>(traits.max)) {
    add(traits, place, Violation::TooLarge, std::to_string(traits.max), text);
  }
}

void Validator::string(const Member& traits, const std::string& text, const Place& place) {
  if (!traits.one_of.empty() && std::find(traits.one_of.begin(), traits.one_of.end(), text) == traits.one_of.end()) {
    std::string allowed = "[";
    for (std::string_view one : traits.one_of) {
      if (allowed.size() > 1) allowed += ", ";
      allowed += one;
    }
    add(traits, place, Violation::NotInEnum, allowed + "]", text);
  }
  if (traits.min != kNoMin || traits.max != kNoMax) {
    length(traits, static_cast<std::size_t>(length_of(text)), text, place);
  }
  if (!traits.pattern.empty()) {
    if (!matches(text, traits.pattern)) add(traits, place, Violation::Pattern, std::string(traits.pattern), text);
  }
}

void Validator::list(const TypeInfo& type, const Member& traits, const void* value, const Place& place) {
  std::size_t count = type.size(type, value);
  const auto size = static_cast<std::int64_t>(count);
  const bool valid = (traits.min == kNoMin || size >= traits.min) && (traits.max == kNoMax || size <= traits.max);
  if (!valid) length(traits, count, list_text(type, value), place);
  const Member& element = element_traits(traits);
  if (&element == &kNoTraits && type.element->kind < Kind::List) return;
  for (std::size_t i = 0; i < count && found_.size() < kMaxViolations; ++i) {
    this->value(*type.element, element, type.at(type, value, i), {&place, Place::InList, {}, i + 1});
  }
}

void Validator::map(const TypeInfo& type, const Member& traits, const void* value, const Place& place) {
  const std::size_t count = type.size(type, value);
  length(traits, count, count == 0 ? "{}" : "{...}", place);
  const Member& keys = key_traits(traits);
  for_each_entry(type, value, [&](const std::string& key, const void* element) {
    Place at{&place, Place::InMap, key};
    string(keys, key, at);
    this->value(*type.element, element_traits(traits), element, at);
  });
}

void Validator::value(const TypeInfo& type, const Member& traits, const void* value, const Place& place) {
  switch (type.kind) {
    case Kind::String: return string(traits, *static_cast<const std::string*>(value), place);
    case Kind::Blob:
      return length(traits, static_cast<const base::Blob*>(value)->bytes.size(), "java.nio.HeapByteBuffer", place);
    case Kind::Int32: {
      std::int32_t n = *static_cast<const std::int32_t*>(value);
      return number(traits, n, std::to_string(n), place);
    }
    case Kind::Int64: {
      std::int64_t n = *static_cast<const std::int64_t*>(value);
      return number(traits, static_cast<double>(n), std::to_string(n), place);
    }
    case Kind::Float: return number(traits, *static_cast<const float*>(value), "", place);
    case Kind::Double: return number(traits, *static_cast<const double*>(value), "", place);
    case Kind::Bool:
    case Kind::Time: return;
    case Kind::List: return list(type, traits, value, place);
    case Kind::Map: return map(type, traits, value, place);
    case Kind::Struct:
      for (const Field& field : type.fields) {
        const void* member = field.get(field, value);
        if (member) this->value(*field.type, *field.traits, member, {&place, Place::InStruct, field.name});
      }
  }
}

std::string constraint_text(const Violation& violation) {
  switch (violation.kind) {
    case Violation::Missing: return "Member must not be null";
    case Violation::TooShort: return "Member must have length greater than or equal to " + violation.constraint;
    case Violation::TooLong: return "Member must have length less than or equal to " + violation.constraint;
    case Violation::TooSmall: return "Member must have value greater than or equal to " + violation.constraint;
    case Violation::TooLarge: return "Member must have value less than or equal to " + violation.constraint;
    case Violation::NotInEnum: return "Member must satisfy enum value set: " + violation.constraint;
    case Violation::Pattern: return "Member must satisfy regular expression pattern: " + violation.constraint;
  }
  return "";
}

}  // namespace

std::vector<Violation> validate(const TypeInfo& type, const void* value) {
  Validator validator;
  validator.value(type, kNoTraits, value, Place{});
  return validator.take();
}

std::string validation_message(const std::vector<Violation>& violations) {
  std::size_t count = violations.size();
  std::string message =
      std::to_string(count) + (count == 1 ? " validation error" : " validation errors") + " detected: ";
  for (std::size_t i = 0; i < count; ++i) {
    const Violation& violation = violations[i];
    if (i > 0) message += "; ";
    message += violation.kind == Violation::Missing ? "Value null" : "Value '" + violation.value + "'";
    message += " at '" + violation.path + "' failed to satisfy constraint: " + constraint_text(violation);
  }
  return message;
}

}  // namespace wire
