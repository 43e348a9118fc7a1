// SPDX-License-Identifier: Apache-2.0
// XML text <-> values, by table; the XML of query, ec2 and restXml is one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/type.h"
#include "wire/validate.h"

namespace wire {

inline constexpr int kMaxXmlDepth = 64;
inline constexpr std::size_t kMaxXmlBytes = 4 << 20;  // ten thousand parts of an upload come to two million

// Adds text, escaped. What XML 1.0 can't carry becomes &#x1;, as Amazon's answers do.
void write_xml_text(std::string_view text, std::string& out);
// Adds <name>text</name>.
void write_xml_element(std::string_view name, std::string_view text, std::string& out);

// S3 and EC2 write 09:30:10.000Z, the services of the query protocol 09:30:10Z.
enum class XmlTimes { MillisIfAny, AlwaysMillis };

// Adds the struct's members as elements; those that travel outside the body are left out.
void write_xml_members(const TypeInfo& type, const void* value, XmlTimes times, std::string& out);

struct XmlRoot {
  std::string_view name;
  std::string_view xmlns;  // unless the struct has its own
};
// Adds the struct as a whole document's element.
void write_xml_root(const XmlRoot& root, const TypeInfo& type, const void* value, std::string& out);

// Fills the struct from a document, whose root has this name; any, where it is "". Answers the
// required members that were not there. Throws ApiError MalformedXML; a document
// type declaration is refused, so that no entity can be declared.
std::vector<Violation> read_xml(const TypeInfo& type, std::string_view text, void* value, std::string_view root = "");

}  // namespace wire
