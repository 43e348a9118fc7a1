// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/time.h"
#include "wire/text.h"
#include "wire/timestamp.h"
#include "wire/xml.h"

namespace wire {
namespace {

constexpr std::array<bool, 256> kEscaped = [] {
  std::array<bool, 256> escaped{};
  for (int c = 0; c < 0x20; ++c) escaped[c] = c != '\t' && c != '\n';
  for (char c : std::string_view("&<>\"")) escaped[static_cast<unsigned char>(c)] = true;
  return escaped;
}();

void write_escape(unsigned char c, std::string& out) {
  switch (c) {
    case '&': out += "&amp;"; return;
    case '<': out += "&lt;"; return;
    case '>': out += "&gt;"; return;
    case '"': out += "&quot;"; return;
    default:
      out += "&#x";
      if (c >= 0x10) out += '1';
      out += "0123456789ABCDEF"[c & 15];
      out += ';';
  }
}

void close_element(std::string_view name, std::string& out) {
  out += "</";
  out += name;
  out += '>';
}

// "<name xmlns:prefix="uri"", left open for attributes.
void open_element(std::string_view name, std::string_view uri, std::string_view prefix, std::string& out) {
  out += '<';
  out += name;
  if (uri.empty()) return;
  out += prefix.empty() ? " xmlns" : " xmlns:";
  out += prefix;
  out += "=\"";
  write_xml_text(uri, out);
  out += '"';
}

class Writer {
 public:
  Writer(XmlTimes times, std::string& out) : times_(times), out_(out) {}

  void attributes(const TypeInfo& type, const void* value);
  void members(const TypeInfo& type, const void* value);
  void only_member(const TypeInfo& type, const void* value);

 private:
  void member(std::string_view name, const TypeInfo& type, const Member& traits, const void* value);
  void list(std::string_view name, const TypeInfo& type, const Member& traits, const void* value);
  void map(std::string_view name, const TypeInfo& type, const Member& traits, const void* value);
  void scalar(const TypeInfo& type, const Member& traits, const void* value);

  XmlTimes times_;
  std::string& out_;
};

void Writer::scalar(const TypeInfo& type, const Member& traits, const void* value) {
  if (type.kind == Kind::String) return write_xml_text(*static_cast<const std::string*>(value), out_);
  bool iso = traits.time == TimeFormat::Default || traits.time == TimeFormat::Iso8601;
  if (type.kind == Kind::Time && iso) {
    out_ += to_iso8601(*static_cast<const base::Time*>(value), times_ == XmlTimes::AlwaysMillis);
  } else {
    append_text(type, traits.time, value, out_);
  }
}

void Writer::only_member(const TypeInfo& type, const void* value) {
  const Field& field = type.fields.front();
  if (const void* held = field.get(field, value)) scalar(*field.type, *field.traits, held);
}

void Writer::attributes(const TypeInfo& type, const void* value) {
  for (const Field& field : type.fields) {
    const void* held = field.traits->attribute ? field.get(field, value) : nullptr;
    if (!held) continue;
    out_ += ' ';
    out_ += field.traits->xml.empty() ? field.name : field.traits->xml;
    out_ += "=\"";
    scalar(*field.type, *field.traits, held);
    out_ += '"';
  }
}

void Writer::members(const TypeInfo& type, const void* value) {
  for (const Field& field : type.fields) {
    const Member& traits = *field.traits;
    if (traits.attribute || traits.in != In::Body) continue;
    const void* held = field.get(field, value);
    if (held) member(traits.xml.empty() ? field.name : traits.xml, *field.type, traits, held);
  }
}

void Writer::list(std::string_view name, const TypeInfo& type, const Member& traits, const void* value) {
  std::string_view item = traits.flattened ? name : traits.item.empty() ? "member" : traits.item;
  if (!traits.flattened) {
    open_element(name, traits.xmlns, traits.xmlns_prefix, out_);
    out_ += '>';
  }
  std::size_t count = type.size(type, value);
  for (std::size_t i = 0; i < count; ++i) {
    member(item, *type.element, element_traits(traits), type.at(type, value, i));
  }
  if (!traits.flattened) close_element(name, out_);
}

void Writer::map(std::string_view name, const TypeInfo& type, const Member& traits, const void* value) {
  static const TypeInfo kString = {.kind = Kind::String};
  std::string_view entry = traits.flattened ? name : "entry";
  if (!traits.flattened) {
    open_element(name, traits.xmlns, traits.xmlns_prefix, out_);
    out_ += '>';
  }
  for_each_entry(type, value, [&](const std::string& key, const void* element) {
    open_element(entry, traits.flattened ? traits.xmlns : "", traits.xmlns_prefix, out_);
    out_ += '>';
    member(traits.key.empty() ? "key" : traits.key, kString, key_traits(traits), &key);
    member(traits.value.empty() ? "value" : traits.value, *type.element, element_traits(traits), element);
    close_element(entry, out_);
  });
  if (!traits.flattened) close_element(name, out_);
}

void Writer::member(std::string_view name, const TypeInfo& type, const Member& traits, const void* value) {
  if (type.kind == Kind::List) return list(name, type, traits, value);
  if (type.kind == Kind::Map) return map(name, type, traits, value);
  bool own = traits.xmlns.empty();
  open_element(name, own ? type.structure.xmlns : traits.xmlns, own ? type.structure.xmlns_prefix : traits.xmlns_prefix,
               out_);
  if (type.kind == Kind::Struct) {
    attributes(type, value);
    out_ += '>';
    members(type, value);
  } else {
    out_ += '>';
    scalar(type, traits, value);
  }
  close_element(name, out_);
}

}  // namespace

void write_xml_text(std::string_view text, std::string& out) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (!kEscaped[byte]) continue;
    out.append(text, start, i - start);
    write_escape(byte, out);
    start = i + 1;
  }
  out.append(text, start);
}

void write_xml_element(std::string_view name, std::string_view text, std::string& out) {
  open_element(name, "", "", out);
  out += '>';
  write_xml_text(text, out);
  close_element(name, out);
}

void write_xml_members(const TypeInfo& type, const void* value, XmlTimes times, std::string& out) {
  Writer(times, out).members(type, value);
}

void write_xml_root(const XmlRoot& root, const TypeInfo& type, const void* value, std::string& out) {
  bool own = type.structure.xmlns.empty();
  open_element(root.name, own ? root.xmlns : type.structure.xmlns, own ? "" : type.structure.xmlns_prefix, out);
  Writer writer(XmlTimes::AlwaysMillis, out);
  writer.attributes(type, value);
  out += '>';
  type.structure.unwrapped ? writer.only_member(type, value) : writer.members(type, value);
  close_element(root.name, out);
}

}  // namespace wire
