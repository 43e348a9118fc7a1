// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "wire/text.h"
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

void write_namespace(std::string_view uri, std::string_view prefix, std::string& out) {
  if (uri.empty()) return;
  out += prefix.empty() ? " xmlns" : " xmlns:";
  out += prefix;
  out += "=\"";
  write_xml_text(uri, out);
  out += '"';
}

void write_scalar(const TypeInfo& type, const Member& traits, const void* value, std::string& out) {
  if (type.kind == Kind::String) return write_xml_text(*static_cast<const std::string*>(value), out);
  append_text(type, traits.time, value, out);
}

void write_attributes(const TypeInfo& type, const void* value, std::string& out) {
  for (const Field& field : type.fields) {
    const void* member = field.traits->attribute ? field.get(field, value) : nullptr;
    if (!member) continue;
    out += ' ';
    out += field.traits->xml.empty() ? field.name : field.traits->xml;
    out += "=\"";
    write_scalar(*field.type, *field.traits, member, out);
    out += '"';
  }
}

void close(std::string_view name, std::string& out) {
  out += "</";
  out += name;
  out += '>';
}

void open(std::string_view name, std::string_view xmlns, std::string_view prefix, std::string& out) {
  out += '<';
  out += name;
  write_namespace(xmlns, prefix, out);
}

void write_member(std::string_view name, const TypeInfo& type, const Member& traits, const void* value,
                  std::string& out);

void write_list(std::string_view name, const TypeInfo& type, const Member& traits, const void* value,
                std::string& out) {
  std::string_view item = traits.flattened ? name : traits.item.empty() ? "member" : traits.item;
  if (!traits.flattened) {
    open(name, traits.xmlns, traits.xmlns_prefix, out);
    out += '>';
  }
  std::size_t count = type.size(type, value);
  for (std::size_t i = 0; i < count; ++i) {
    write_member(item, *type.element, element_traits(traits), type.at(type, value, i), out);
  }
  if (!traits.flattened) close(name, out);
}

void write_map(std::string_view name, const TypeInfo& type, const Member& traits, const void* value, std::string& out) {
  static const TypeInfo kString = {.kind = Kind::String, .name = {}, .structure = {}, .fields = {}};
  std::string_view entry = traits.flattened ? name : "entry";
  if (!traits.flattened) {
    open(name, traits.xmlns, traits.xmlns_prefix, out);
    out += '>';
  }
  for_each_entry(type, value, [&](const std::string& key, const void* element) {
    open(entry, traits.flattened ? traits.xmlns : "", traits.xmlns_prefix, out);
    out += '>';
    write_member(traits.key.empty() ? "key" : traits.key, kString, key_traits(traits), &key, out);
    write_member(traits.value.empty() ? "value" : traits.value, *type.element, element_traits(traits), element, out);
    close(entry, out);
  });
  if (!traits.flattened) close(name, out);
}

void write_member(std::string_view name, const TypeInfo& type, const Member& traits, const void* value,
                  std::string& out) {
  if (type.kind == Kind::List) return write_list(name, type, traits, value, out);
  if (type.kind == Kind::Map) return write_map(name, type, traits, value, out);
  bool own = traits.xmlns.empty();
  open(name, own ? type.structure.xmlns : traits.xmlns, own ? type.structure.xmlns_prefix : traits.xmlns_prefix, out);
  if (type.kind == Kind::Struct) {
    write_attributes(type, value, out);
    out += '>';
    write_xml_members(type, value, out);
  } else {
    out += '>';
    write_scalar(type, traits, value, out);
  }
  close(name, out);
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
  open(name, "", "", out);
  out += '>';
  write_xml_text(text, out);
  close(name, out);
}

void write_xml_members(const TypeInfo& type, const void* value, std::string& out) {
  for (const Field& field : type.fields) {
    const Member& traits = *field.traits;
    if (traits.attribute || traits.in != In::Body) continue;
    const void* member = field.get(field, value);
    if (member) write_member(traits.xml.empty() ? field.name : traits.xml, *field.type, traits, member, out);
  }
}

void write_xml_root(std::string_view name, std::string_view xmlns, const TypeInfo& type, const void* value,
                    std::string& out) {
  bool own = type.structure.xmlns.empty();
  open(name, own ? xmlns : type.structure.xmlns, own ? "" : type.structure.xmlns_prefix, out);
  write_attributes(type, value, out);
  out += '>';
  write_xml_members(type, value, out);
  close(name, out);
}

}  // namespace wire
