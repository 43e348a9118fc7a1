// SPDX-License-Identifier: Apache-2.0
#include "wire/http_binding.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/bytes.h"
#include "base/utf8.h"
#include "wire/encoded_word.h"
#include "wire/text.h"

namespace wire {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] void reject_binding(const TypeInfo& type, std::string_view name, std::string_view value) {
  const bool number = type.kind == Kind::Int32 || type.kind == Kind::Int64;
  ApiError error("InvalidArgument",
                 number ? "Provided " + std::string(name) + " not an integer or within integer range"
                        : "The value of " + std::string(name) + " is not valid.",
                 400);
  error.with("ArgumentName", std::string(name));
  if (base::is_utf8(value)) error.with("ArgumentValue", std::string(value));
  throw error;
}

std::string decoded(std::string_view text, bool plus_is_space) {
  auto result = base::percent_decode(text, plus_is_space);
  if (!result) throw ApiError("InvalidURI", "Couldn't parse the specified URI.", 400);
  return std::move(*result);
}

// "/{Bucket}/{Key+}" and "/photos/a/b" -> Bucket=photos, Key=a/b
Pairs read_labels(std::string_view pattern, std::string_view path) {
  Pairs labels;
  pattern = pattern.substr(0, pattern.find('?'));
  auto take = [](std::string_view& text) {
    if (text.starts_with('/')) text.remove_prefix(1);
    std::string_view segment = text.substr(0, text.find('/'));
    text.remove_prefix(segment.size());
    return segment;
  };
  while (!pattern.empty() && !path.empty()) {
    std::string_view wanted = take(pattern);
    if (!wanted.starts_with('{')) {
      take(path);
    } else if (wanted.ends_with("+}")) {
      // The pattern's text after a greedy label is not part of the label.
      std::string_view rest = path.substr(path.starts_with('/') ? 1 : 0);
      if (!pattern.empty() && rest.ends_with(pattern)) rest.remove_suffix(pattern.size());
      labels.emplace_back(wanted.substr(1, wanted.size() - 3), decoded(rest, false));
      break;
    } else {
      labels.emplace_back(wanted.substr(1, wanted.size() - 2), decoded(take(path), false));
    }
  }
  return labels;
}

Pairs read_query_string(std::string_view query) {
  Pairs pairs;
  while (!query.empty()) {
    std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.empty()) continue;
    std::size_t equals = std::min(pair.find('='), pair.size());
    pairs.emplace_back(decoded(pair.substr(0, equals), true),
                       decoded(pair.substr(std::min(equals + 1, pair.size())), true));
  }
  return pairs;
}

// A header's list: 'a, "b, c"' -> a | b, c. HTTP dates contain a comma themselves.
std::vector<std::string> split_header(std::string_view text, bool dates) {
  std::vector<std::string> parts;
  while (!(text = base::trim(text)).empty()) {
    std::string part;
    if (text.front() == '"') {
      std::size_t i = 1;
      for (; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        part += text[i];
      }
      text.remove_prefix(std::min(text.size(), i + 1));
      text.remove_prefix(std::min(text.size(), text.find(',')));
    } else {
      std::size_t comma = text.find(',');
      if (dates && comma != text.npos) comma = text.find(',', comma + 1);
      part = base::trim(text.substr(0, comma));
      text.remove_prefix(std::min(text.size(), comma));
    }
    parts.push_back(std::move(part));
    if (!text.empty()) text.remove_prefix(1);
  }
  return parts;
}

class BindingReader {
 public:
  BindingReader(const Operation& operation, const HttpRequest& request, void* input)
      : request_(request),
        input_(input),
        labels_(read_labels(operation.http.uri, request.path)),
        query_(read_query_string(request.query)),
        fields_(operation.input->fields) {}

  std::uint64_t read() {
    for (const Field& field : fields_) {
      switch (field.traits->in) {
        case In::Header: header(field); break;
        case In::Headers: prefixed_headers(field); break;
        case In::Query: query(field); break;
        case In::Label:
          for (const auto& [name, value] : labels_) {
            if (name == field.traits->at && !value.empty()) put(field, value, TimeFormat::Iso8601);
          }
          break;
        case In::Body:
        case In::StatusCode: break;
      }
    }
    return seen_;
  }

 private:
  static TimeFormat format_of(const Member& traits, TimeFormat otherwise) {
    return traits.time == TimeFormat::Default ? otherwise : traits.time;
  }
  void* make(const Field& field) {
    seen_ |= field.required_bit;
    return field.make(field, input_);
  }
  void put(const Field& field, const std::string& text, TimeFormat format) {
    if (!read_text(*field.type, format_of(*field.traits, format), text, make(field)))
      reject_binding(*field.type, field.traits->at, text);
  }
  void put_element(const Field& field, void* list, const std::string& text, TimeFormat format) {
    const TypeInfo& type = *field.type;
    TimeFormat wanted = format_of(element_traits(*field.traits), format);
    if (!read_text(*type.element, wanted, text, type.append(type, list)))
      reject_binding(*type.element, field.traits->at, text);
  }
  void header(const Field& field);
  void prefixed_headers(const Field& field);
  void query(const Field& field);
  void query_map(const Field& field);

  const HttpRequest& request_;
  void* input_;
  Pairs labels_;
  Pairs query_;
  const std::vector<Field>& fields_;
  std::uint64_t seen_ = 0;
};

void BindingReader::header(const Field& field) {
  const std::string* value = request_.headers.find(field.traits->at);
  if (!value) return;
  if (field.type->kind != Kind::List) return put(field, *value, TimeFormat::Rfc822);
  bool dates = field.type->element->kind == Kind::Time &&
               format_of(element_traits(*field.traits), TimeFormat::Rfc822) == TimeFormat::Rfc822;
  void* list = make(field);
  for (const std::string& part : split_header(*value, dates)) put_element(field, list, part, TimeFormat::Rfc822);
}

void BindingReader::prefixed_headers(const Field& field) {
  std::string_view prefix = field.traits->at;
  for (const auto& [name, value] : request_.headers) {
    if (name.size() < prefix.size() || !base::equals_ignoring_case(name.substr(0, prefix.size()), prefix)) continue;
    if (!base::is_utf8(value)) reject_binding(*field.type->element, name, value);
    // Header names are case-insensitive, so S3 stores the keys of metadata in lower case.
    void* slot = field.type->insert(*field.type, make(field), base::to_lower(name.substr(prefix.size())));
    *static_cast<std::string*>(slot) = value;
  }
}

void BindingReader::query(const Field& field) {
  if (field.type->kind == Kind::Map) return query_map(field);
  const bool number = !field.required_bit && (field.type->kind == Kind::Int32 || field.type->kind == Kind::Int64);
  for (const auto& [name, value] : query_) {
    if (name != field.traits->at) continue;
    if (number && value.empty()) return;  // S3 ignores "max-parts="
    if (field.type->kind == Kind::List) {
      put_element(field, make(field), value, TimeFormat::Iso8601);
    } else {
      return put(field, value, TimeFormat::Iso8601);
    }
  }
}

// All parameters that are not bound to another member; the first of each name, or all.
void BindingReader::query_map(const Field& field) {
  auto claimed = [&](const std::string& name) {
    return std::any_of(fields_.begin(), fields_.end(), [&](const Field& other) {
      return &other != &field && other.traits->in == In::Query && other.traits->at == name;
    });
  };
  std::map<std::string_view, void*> slots;
  const TypeInfo& type = *field.type;
  for (const auto& [name, value] : query_) {
    if (claimed(name) || !base::is_utf8(name)) continue;
    auto [slot, fresh] = slots.try_emplace(name);
    if (fresh) slot->second = type.insert(type, make(field), std::string(name));
    bool list = type.element->kind == Kind::List;
    if (!list && !fresh) continue;
    void* text = list ? type.element->append(*type.element, slot->second) : slot->second;
    const TypeInfo& scalar = list ? *type.element->element : *type.element;
    if (!read_text(scalar, TimeFormat::Iso8601, value, text)) reject_binding(scalar, name, value);
  }
}

// Replaces characters that would end the header line.
std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\r' || c == '\n' || c == '\0') c = ' ';
  }
  return text;
}

std::string header_text(const TypeInfo& type, const Member& traits, const void* value) {
  std::string text;
  append_text(type, traits.time == TimeFormat::Default ? TimeFormat::Rfc822 : traits.time, value, text);
  return text;
}

std::string header_list(const TypeInfo& type, const Member& traits, const void* value) {
  std::string joined;
  std::size_t count = type.size(type, value);
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = header_text(*type.element, element_traits(traits), type.at(type, value, i));
    if (i > 0) joined += ", ";
    if (type.element->kind != Kind::String || text.find_first_of(",\"") == text.npos) {
      joined += text;
      continue;
    }
    joined += '"';
    for (char c : text) {
      if (c == '"' || c == '\\') joined += '\\';
      joined += c;
    }
    joined += '"';
  }
  return joined;
}

}  // namespace

std::uint64_t read_bindings(const Operation& operation, const HttpRequest& request, void* input) {
  return BindingReader(operation, request, input).read();
}

void write_bindings(const TypeInfo& type, const void* output, HttpResponse& response) {
  for (const Field& field : type.fields) {
    const Member& traits = *field.traits;
    const void* value = traits.in == In::Body ? nullptr : field.get(field, output);
    if (!value) continue;
    if (traits.in == In::StatusCode) {
      response.status = *static_cast<const std::int32_t*>(value);
    } else if (traits.in == In::Headers) {
      for_each_entry(*field.type, value, [&](const std::string& key, const void* text) {
        std::string line = header_text(*field.type->element, kNoTraits, text);
        response.headers.add(one_line(std::string(traits.at) + key), to_encoded_words(one_line(std::move(line))));
      });
    } else if (traits.in == In::Header) {
      bool list = field.type->kind == Kind::List;
      std::string text = list ? header_list(*field.type, traits, value) : header_text(*field.type, traits, value);
      response.headers.set(std::string(traits.at), one_line(std::move(text)));
    }
  }
}

}  // namespace wire
