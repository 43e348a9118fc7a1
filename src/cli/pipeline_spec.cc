// SPDX-License-Identifier: Apache-2.0
#include "cli/pipeline_spec.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "wire/type_of.h"

namespace cli {
namespace {

using shapes::stoker::PipelineSpec;

// Reads the members of a spec from the nodes of its file.
class SpecReader {
 public:
  explicit SpecReader(const std::string& source) : source_(source) {}

  PipelineSpec read(const YAML::Node& root) {
    if (!root.IsMap()) fail(root, "expected keys and values, like 'name: ocr'");
    const wire::TypeInfo& type = wire::type_of<PipelineSpec>();
    PipelineSpec spec;
    std::set<std::string> seen;
    for (const auto& entry : root) {
      if (!entry.first.IsScalar()) fail(entry.first, "a key must be a text");
      const std::string key = entry.first.Scalar();
      const wire::Field* field = type.find(key);
      if (!field) fail(entry.first, "unknown key '" + key + "'" + hint(key));
      if (!seen.insert(key).second) fail(entry.first, "the key '" + key + "' occurs twice");
      // Its own mark would be that of the next key.
      if (entry.second.IsNull()) fail(entry.first, key + " has no value");
      put(key, entry.second, *field->type, field->make(*field, &spec));
    }
    if (!seen.contains("name")) fail(root, "the key 'name' is missing");
    return spec;
  }

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) const {
    throw std::runtime_error(source_ + ":" + std::to_string(mark.is_null() ? 1 : mark.line + 1) + ": " + message);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, const std::string& message) const { fail(node.Mark(), message); }

  // People write hyphens, as in flags.
  static std::string hint(std::string key) {
    std::replace(key.begin(), key.end(), '-', '_');
    return wire::type_of<PipelineSpec>().find(key) ? ": write '" + key + "'" : "";
  }

  std::string text(const std::string& key, const YAML::Node& node) const {
    if (node.IsNull()) fail(node, key + " has no value");
    if (!node.IsScalar()) fail(node, key + " must be a text");
    return node.Scalar();
  }

  std::int32_t number(const std::string& key, const YAML::Node& node) const {
    const std::string given = text(key, node);
    std::int32_t value = 0;
    const auto parsed = std::from_chars(given.data(), given.data() + given.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != given.data() + given.size()) {
      fail(node, key + " must be a whole number, not '" + given + "'");
    }
    return value;
  }

  void put(const std::string& key, const YAML::Node& node, const wire::TypeInfo& type, void* value) const {
    switch (type.kind) {
      case wire::Kind::Int32: *static_cast<std::int32_t*>(value) = number(key, node); return;
      case wire::Kind::List: {
        auto& list = *static_cast<std::vector<std::string>*>(value);
        if (!node.IsSequence()) fail(node, key + " must be a list, like [eng, deu]");
        for (const YAML::Node& one : node) list.push_back(text(key, one));
        return;
      }
      case wire::Kind::Map: {
        auto& map = *static_cast<std::map<std::string, std::string>*>(value);
        if (!node.IsMap()) fail(node, key + " must have keys and values");
        for (const auto& entry : node) {
          const std::string name = text(key, entry.first);
          if (!map.emplace(name, text(key + "." + name, entry.second)).second) {
            fail(entry.first, key + "." + name + " occurs twice");
          }
        }
        return;
      }
      default: *static_cast<std::string*>(value) = text(key, node);
    }
  }

  std::string source_;
};

}  // namespace

PipelineSpec parse_pipeline_spec(std::string_view text, const std::string& source) {
  SpecReader reader(source);
  if (text.size() > kMaxSpecBytes) throw std::runtime_error(source + ": longer than 256 KiB");
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(std::string(text));
    if (documents.empty()) throw std::runtime_error(source + ": the file is empty");
    if (documents.size() > 1) {
      reader.fail(documents[1].Mark(), "a second document: a file describes one pipeline");
    }
    return reader.read(documents[0]);
  } catch (const YAML::Exception& error) {
    reader.fail(error.mark, error.msg);
  }
}

PipelineSpec read_pipeline_spec(const std::string& file) {
  if (file == "-") {
    return parse_pipeline_spec(std::string(std::istreambuf_iterator<char>(std::cin), {}), "standard input");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("can't read " + file);
  return parse_pipeline_spec(std::string(std::istreambuf_iterator<char>(in), {}), file);
}

}  // namespace cli
