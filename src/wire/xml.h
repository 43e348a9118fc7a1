// SPDX-License-Identifier: Apache-2.0
// XML text <-> values, by table, for query, ec2 and restXml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/type.h"
#include "wire/validate.h"

namespace wire {

inline constexpr int kMaxXmlDepth = 64;
inline constexpr std::size_t kMaxXmlBytes = 4 << 20;  // an upload's list of ten thousand parts takes two million

// Appends text, escaped. Characters that XML 1.0 does not allow become &#x1;, as in Amazon's responses.
void write_xml_text(std::string_view text, std::string& out);
// Appends <name>text</name>.
void write_xml_element(std::string_view name, std::string_view text, std::string& out);

// S3 and EC2 write 09:30:10.000Z, the services of the query protocol 09:30:10Z.
enum class XmlTimes { MillisIfAny, AlwaysMillis };

// Appends the struct's members as elements, except those that travel outside the body.
void write_xml_members(const TypeInfo& type, const void* value, XmlTimes times, std::string& out);

struct XmlRoot {
  std::string_view name;
  std::string_view xmlns;  // used if the struct has none of its own
};
// Appends the struct as the root element of a document.
void write_xml_root(const XmlRoot& root, const TypeInfo& type, const void* value, std::string& out);

// Fills the struct from a document whose root element has this name ("" = any). Returns the
// missing required members. Throws ApiError MalformedXML, also for a document type
// declaration, so that no entity can be declared.
std::vector<Violation> read_xml(const TypeInfo& type, std::string_view text, void* value, std::string_view root = "");

}  // namespace wire
