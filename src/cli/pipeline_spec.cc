// SPDX-License-Identifier: Apache-2.0
#include "cli/pipeline_spec.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "wire/type_of.h"

namespace cli {
namespace {

using shapes::stoker::PipelineSpec;

// yaml-cpp builds nodes without a bound, and for some texts without an end. So its events are counted first.
class SpecBounds : public YAML::EventHandler {
 public:
  // The first two documents; throws YAML::ParserException.
  static SpecBounds of(const std::string& text) {
    std::istringstream in(text);
    YAML::Parser parser(in);
    SpecBounds bounds;
    while (bounds.documents_ < 2 && parser.HandleNextDocument(bounds)) {
    }
    return bounds;
  }

  int documents() const { return documents_; }
  // Of its first value.
  const YAML::Mark& last_document() const { return last_document_; }

  void OnDocumentStart(const YAML::Mark&) override {
    ++documents_;
    is_new_document_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override { count(mark); }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark);
  }
  void OnMapEnd() override { --depth_; }

 private:
  static constexpr int kMaxValues = 10'000;
  static constexpr int kMaxDepth = 8;  // a spec has two levels

  void count(const YAML::Mark& mark) {
    if (std::exchange(is_new_document_, false)) last_document_ = mark;
    if (++values_ > kMaxValues) throw YAML::ParserException(mark, "more than 10000 values");
  }
  void open(const YAML::Mark& mark) {
    count(mark);
    if (++depth_ > kMaxDepth) throw YAML::ParserException(mark, "nested too deeply");
  }

  int documents_ = 0, values_ = 0, depth_ = 0;
  bool is_new_document_ = false;
  YAML::Mark last_document_;
};

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

// The text, or its beginning if it is too long for a spec: a device has no end.
std::string read_bounded(std::istream& in) {
  std::string text(kMaxSpecBytes + 1, '\0');
  in.read(text.data(), std::ssize(text));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

PipelineSpec parse_pipeline_spec(std::string_view text, const std::string& source) {
  SpecReader reader(source);
  if (text.size() > kMaxSpecBytes) throw std::runtime_error(source + ": longer than 256 KiB");
  try {
    const SpecBounds bounds = SpecBounds::of(std::string(text));
    if (bounds.documents() == 0) throw std::runtime_error(source + ": the file is empty");
    if (bounds.documents() > 1) {
      reader.fail(bounds.last_document(), "a second document: a file describes one pipeline");
    }
    return reader.read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& error) {
    reader.fail(error.mark, error.msg);
  }
}

PipelineSpec read_pipeline_spec(const std::string& file) {
  if (file == "-") return parse_pipeline_spec(read_bounded(std::cin), "standard input");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("can't read " + file);
  return parse_pipeline_spec(read_bounded(in), file);
}

}  // namespace cli
