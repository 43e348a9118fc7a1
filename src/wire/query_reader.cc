// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <span>

#include "base/bytes.h"
#include "base/utf8.h"
#include "wire/error.h"
#include "wire/place.h"
#include "wire/query.h"
#include "wire/text.h"

namespace wire {

void QueryParameters::add(std::string_view form) {
  while (!form.empty()) {
    std::string_view pair = form.substr(0, form.find('&'));
    form.remove_prefix(std::min(form.size(), pair.size() + 1));
    if (pair.empty()) continue;
    std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = base::percent_decode(pair.substr(0, equals), true);
    auto value = base::percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) throw ApiError("MalformedQueryString", "The query string contains a syntax error.", 404);
    if (all_.size() >= kMaxQueryParameters) {
      throw ApiError("MalformedQueryString", "The query string has too many parameters.", 400);
    }
    all_.push_back({std::move(*name), std::move(*value)});
  }
}

void QueryParameters::sort() {
  std::stable_sort(all_.begin(), all_.end(), [](const Parameter& a, const Parameter& b) { return a.name < b.name; });
}

namespace {

using Parameter = QueryParameters::Parameter;

// The parameters whose names share a prefix of `length` bytes. They are sorted, so the
// parameters of one member are adjacent, and each level down narrows the span.
struct Scope {
  std::span<const Parameter> all;
  std::size_t length = 0;

  std::string_view rest(const Parameter& parameter) const { return std::string_view(parameter.name).substr(length); }

  // The parameter named exactly `name`, or nullptr.
  const Parameter* exact(std::string_view name) const {
    auto at = std::partition_point(all.begin(), all.end(), [&](const Parameter& p) { return rest(p) < name; });
    return at != all.end() && rest(*at) == name ? &*at : nullptr;
  }

  // The parameters below "name."
  Scope below(std::string_view name) const {
    auto before = [&](const Parameter& p) {
      std::string_view head = rest(p).substr(0, name.size());
      if (head != name) return head < name;
      return rest(p).size() == name.size() || rest(p)[name.size()] < '.';
    };
    auto first = std::partition_point(all.begin(), all.end(), before);
    auto last = std::partition_point(first, all.end(), [&](const Parameter& p) {
      return rest(p).size() > name.size() && rest(p).starts_with(name) && rest(p)[name.size()] == '.';
    });
    return {{first, last}, length + name.size() + 1};
  }
};

// One element of a list or map: the parameter "X.3" and those below "X.3."
struct Element {
  std::uint64_t index;
  const Parameter* self;  // nullptr if there are only parameters below
  Scope below;
};

std::vector<Element> elements(const Scope& scope) {
  std::vector<Element> found;
  for (std::size_t i = 0; i < scope.all.size();) {
    std::string_view rest = scope.rest(scope.all[i]);
    std::string_view token = rest.substr(0, rest.find('.'));
    std::size_t next = i + 1;
    auto same = [&](const Parameter& p) {
      std::string_view other = scope.rest(p);
      return other.starts_with(token) && (other.size() == token.size() || other[token.size()] == '.');
    };
    while (next < scope.all.size() && same(scope.all[next])) ++next;
    std::uint64_t index = 0;
    auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
    if (!token.empty() && error == std::errc() && end == token.data() + token.size()) {
      const Parameter* self = rest.size() == token.size() ? &scope.all[i] : nullptr;
      found.push_back({index, self, {scope.all.subspan(i, next - i), scope.length + token.size() + 1}});
      std::size_t shorter = 0;  // "X.3" itself, once or more, is not below "X.3."
      auto& below = found.back().below;
      while (shorter < below.all.size() && scope.rest(below.all[shorter]).size() == token.size()) ++shorter;
      below.all = below.all.subspan(shorter);
    }
    i = next;
  }
  std::stable_sort(found.begin(), found.end(), [](const Element& a, const Element& b) { return a.index < b.index; });
  return found;
}

class FormReader {
 public:
  explicit FormReader(QueryDialect dialect) : dialect_(dialect) {}

  void structure(const TypeInfo& type, const Scope& scope, void* value, const Place& place);
  std::vector<Violation> take_missing() { return std::move(missing_); }

 private:
  // The parameters of a member, element, key or value: itself, and those below it.
  struct Source {
    const Parameter* self = nullptr;
    Scope below = {};
    bool found() const { return self || !below.all.empty(); }
  };

  Source find(const Field& field, const Scope& scope) const;
  static Source find(const Scope& scope, std::string_view name) { return {scope.exact(name), scope.below(name)}; }
  void value(const TypeInfo& type, const Member& traits, const Source& source, void* value, const Place& place);
  void list(const TypeInfo& type, const Member& traits, const Source& source, void* value, const Place& place);
  void map(const TypeInfo& type, const Member& traits, const Source& source, void* value, const Place& place);

  QueryDialect dialect_;
  int depth_ = 0;
  std::vector<Violation> missing_;
};

std::string capitalized(std::string_view name) {
  std::string text(name);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

FormReader::Source FormReader::find(const Field& field, const Scope& scope) const {
  const Member& traits = *field.traits;
  if (dialect_ == QueryDialect::Ec2) {
    if (!traits.ec2.empty()) return find(scope, traits.ec2);
    return find(scope, capitalized(traits.xml.empty() ? field.name : traits.xml));
  }
  if (!traits.xml.empty()) {
    Source source = find(scope, traits.xml);
    if (source.found()) return source;
  }
  return find(scope, field.name);
}

void FormReader::structure(const TypeInfo& type, const Scope& scope, void* value, const Place& place) {
  std::uint64_t seen = 0;
  for (const Field& field : type.fields) {
    Source source = find(field, scope);
    if (!source.found()) continue;
    // Parameters below a scalar are unknown and ignored.
    if (!source.self && field.type->kind < Kind::List) continue;
    seen |= field.required_bit;
    this->value(*field.type, *field.traits, source, field.make(field, value), {&place, Place::InStruct, field.name});
  }
  if (type.required_bits & ~seen) note_missing(type, seen, place, missing_);
}

void FormReader::value(const TypeInfo& type, const Member& traits, const Source& source, void* value,
                       const Place& place) {
  if (++depth_ > kMaxQueryDepth) throw ApiError("MalformedQueryString", "The parameters are nested too deeply.", 400);
  if (type.kind == Kind::Struct) {
    structure(type, source.below, value, place);
  } else if (type.kind == Kind::List) {
    list(type, traits, source, value, place);
  } else if (type.kind == Kind::Map) {
    map(type, traits, source, value, place);
  } else if (!read_text(type, traits.time, source.self ? source.self->value : "", value)) {
    std::string shown = source.self && !traits.secret && base::is_utf8(source.self->value) ? source.self->value : "";
    throw ApiError("InvalidParameterValue",
                   "Value (" + shown + ") for parameter " + (source.self ? source.self->name : "") + " is invalid.",
                   400);
  }
  --depth_;
}

void FormReader::list(const TypeInfo& type, const Member& traits, const Source& source, void* value,
                      const Place& place) {
  std::vector<Element> found = elements(source.below);
  if (found.empty()) {
    Scope wrapped = source.below.below(traits.item.empty() ? "member" : traits.item);
    if (wrapped.all.empty()) wrapped = source.below.below("member");
    found = elements(wrapped);
  }
  std::size_t index = 0;
  for (const Element& element : found) {
    Place at{&place, Place::InList, {}, ++index};
    this->value(*type.element, element_traits(traits), {element.self, element.below}, type.append(type, value), at);
  }
}

void FormReader::map(const TypeInfo& type, const Member& traits, const Source& source, void* value,
                     const Place& place) {
  std::vector<Element> found = elements(source.below);
  if (found.empty()) found = elements(source.below.below("entry"));
  for (const Element& element : found) {
    const Parameter* key = traits.key.empty() ? nullptr : element.below.exact(traits.key);
    if (!key) key = element.below.exact("key");
    if (!key) {
      throw ApiError("InvalidParameterValue", "The map at " + place.path() + " has an entry without a key.", 400);
    }
    if (!base::is_utf8(key->value)) throw ApiError("InvalidParameterValue", "A key is not UTF-8.", 400);
    Source entry;
    if (!traits.value.empty()) entry = find(element.below, traits.value);
    if (!entry.found()) entry = find(element.below, "value");
    if (!entry.found() && type.element->kind < Kind::List && type.element->kind != Kind::String) {
      throw ApiError("InvalidParameterValue", "The map at " + place.path() + " has a key without a value.", 400);
    }
    void* slot = type.insert(type, value, std::string(key->value));
    this->value(*type.element, element_traits(traits), entry, slot, {&place, Place::InMap, key->value});
  }
}

}  // namespace

std::vector<Violation> read_query(const TypeInfo& type, QueryDialect dialect, const QueryParameters& parameters,
                                  void* value) {
  FormReader reader(dialect);
  reader.structure(type, {parameters.all(), 0}, value, Place{});
  return reader.take_missing();
}

}  // namespace wire
