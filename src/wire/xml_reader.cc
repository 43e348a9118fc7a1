// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <pugixml.hpp>

#include "base/utf8.h"
#include "wire/error.h"
#include "wire/place.h"
#include "wire/text.h"
#include "wire/xml.h"

namespace wire {
namespace {

[[noreturn]] void reject_xml() {
  throw ApiError("MalformedXML",
                 "The XML you provided was not well-formed or did not validate against our published schema", 400);
}

// Whether an element or attribute "ns:Name" is the member called `name`.
bool is_named(std::string_view found, std::string_view name) {
  if (found == name) return true;
  std::size_t colon = found.find(':');
  return colon != found.npos && found.substr(colon + 1) == name;
}

// An element's own text, plain or CDATA.
std::string text_of(pugi::xml_node node) {
  std::string text;
  for (pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) text += child.value();
    if (child.type() == pugi::node_element) reject_xml();
  }
  return text;
}

// "lt" of "&lt;", "#x1F" of "&#x1F;". References to characters that XML 1.0 does not allow are accepted,
// since clients send them in keys, except NUL.
bool is_reference(std::string_view name) {
  for (std::string_view known : {"amp", "lt", "gt", "quot", "apos"}) {
    if (name == known) return true;
  }
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x');
  if (hex) name.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return error == std::errc() && end == name.data() + name.size() && code != 0 && code <= 0x10FFFF && !surrogate;
}

// The parser keeps an unresolvable reference as plain text; we reject it. CDATA and comments may contain
// anything.
bool has_bad_reference(std::string_view text) {
  constexpr std::size_t kLongest = 10;  // "#x0010FFFF"
  for (std::size_t at = 0; (at = text.find_first_of("&<", at)) != text.npos;) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--") || rest.starts_with("<![CDATA[")) {
      at = text.find(rest[2] == '-' ? "-->" : "]]>", at + 3);
      if (at == text.npos) return false;  // not well-formed: the parser rejects it
    } else if (rest.front() == '&') {
      const std::size_t end = rest.substr(0, kLongest + 2).find(';');
      if (end == rest.npos || !is_reference(rest.substr(1, end - 1))) return true;
    }
    ++at;
  }
  return false;
}

// The one element of a document.
pugi::xml_node root_of(const pugi::xml_document& document, std::string_view name) {
  pugi::xml_node root;
  for (pugi::xml_node node : document.children()) {
    if (node.type() == pugi::node_doctype || (node.type() == pugi::node_element && root)) reject_xml();
    if (node.type() == pugi::node_element) root = node;
  }
  if (!name.empty() && !is_named(root.name(), name)) reject_xml();
  return root;
}

class XmlReader {
 public:
  void structure(const TypeInfo& type, pugi::xml_node node, void* value, const Place& place);
  std::vector<Violation> take_missing() { return std::move(missing_); }

 private:
  void value(const TypeInfo& type, const Member& traits, pugi::xml_node node, void* value, const Place& place);
  void list(const TypeInfo& type, const Member& traits, pugi::xml_node node, void* value, const Place& place);
  void map(const TypeInfo& type, const Member& traits, pugi::xml_node node, void* value, const Place& place);
  void entry(const TypeInfo& type, const Member& traits, pugi::xml_node node, void* value, const Place& place);
  void scalar(const TypeInfo& type, const Member& traits, std::string_view text, void* value) {
    if (!read_text(type, traits.time, text, value)) reject_xml();
  }

  int depth_ = 0;
  std::vector<Violation> missing_;
};

const Field* find(const TypeInfo& type, std::string_view name, bool attribute) {
  for (const Field& field : type.fields) {
    const Member& traits = *field.traits;
    if (traits.in != In::Body || traits.attribute != attribute) continue;
    if (is_named(name, traits.xml.empty() ? field.name : traits.xml)) return &field;
  }
  return nullptr;
}

void XmlReader::structure(const TypeInfo& type, pugi::xml_node node, void* value, const Place& place) {
  std::uint64_t seen = 0;
  for (pugi::xml_attribute attribute : node.attributes()) {
    const Field* field = find(type, attribute.name(), true);
    if (!field) continue;
    seen |= field->required_bit;
    scalar(*field->type, *field->traits, attribute.value(), field->make(*field, value));
  }
  for (pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element) continue;
    const Field* field = find(type, child.name(), false);
    if (!field) continue;
    seen |= field->required_bit;
    Place at{&place, Place::InStruct, field->name};
    void* member = field->make(*field, value);
    if (field->traits->flattened && field->type->kind == Kind::List) {
      Place in_list{&at, Place::InList, {}, field->type->size(*field->type, member) + 1};
      this->value(*field->type->element, element_traits(*field->traits), child,
                  field->type->append(*field->type, member), in_list);
    } else if (field->traits->flattened && field->type->kind == Kind::Map) {
      entry(*field->type, *field->traits, child, member, at);
    } else {
      this->value(*field->type, *field->traits, child, member, at);
    }
  }
  // Members outside the body are not missing here.
  for (const Field& field : type.fields) {
    if (field.traits->in != In::Body) seen |= field.required_bit;
  }
  if (type.required_bits & ~seen) note_missing(type, seen, place, missing_);
}

void XmlReader::value(const TypeInfo& type, const Member& traits, pugi::xml_node node, void* value,
                      const Place& place) {
  if (++depth_ > kMaxXmlDepth) reject_xml();
  switch (type.kind) {
    case Kind::Struct: structure(type, node, value, place); break;
    case Kind::List: list(type, traits, node, value, place); break;
    case Kind::Map: map(type, traits, node, value, place); break;
    default: scalar(type, traits, text_of(node), value);
  }
  --depth_;
}

void XmlReader::list(const TypeInfo& type, const Member& traits, pugi::xml_node node, void* value, const Place& place) {
  std::string_view item = traits.item.empty() ? "member" : traits.item;
  std::size_t index = 0;
  for (pugi::xml_node child : node.children()) {
    if (child.type() != pugi::node_element || !is_named(child.name(), item)) continue;
    this->value(*type.element, element_traits(traits), child, type.append(type, value),
                {&place, Place::InList, {}, ++index});
  }
}

void XmlReader::map(const TypeInfo& type, const Member& traits, pugi::xml_node node, void* value, const Place& place) {
  for (pugi::xml_node child : node.children()) {
    if (child.type() == pugi::node_element && is_named(child.name(), "entry")) {
      entry(type, traits, child, value, place);
    }
  }
}

void XmlReader::entry(const TypeInfo& type, const Member& traits, pugi::xml_node node, void* value,
                      const Place& place) {
  pugi::xml_node key, held;
  for (pugi::xml_node child : node.children()) {
    if (is_named(child.name(), traits.key.empty() ? "key" : traits.key)) key = child;
    if (is_named(child.name(), traits.value.empty() ? "value" : traits.value)) held = child;
  }
  std::string name = text_of(key);
  if (!key || !held || !base::is_utf8(name)) reject_xml();
  void* slot = type.insert(type, value, std::string(name));
  this->value(*type.element, element_traits(traits), held, slot, {&place, Place::InMap, name});
}

}  // namespace

std::vector<Violation> read_xml(const TypeInfo& type, std::string_view text, void* value, std::string_view root) {
  pugi::xml_document document;
  constexpr unsigned kOptions = pugi::parse_default | pugi::parse_ws_pcdata_single | pugi::parse_doctype;
  if (text.size() > kMaxXmlBytes || has_bad_reference(text)) reject_xml();
  if (!document.load_buffer(text.data(), text.size(), kOptions)) reject_xml();
  XmlReader reader;
  reader.structure(type, root_of(document, root), value, Place{});
  return reader.take_missing();
}

}  // namespace wire
