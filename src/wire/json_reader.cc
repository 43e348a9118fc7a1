// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/time.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/place.h"
#include "wire/timestamp.h"

namespace wire {
namespace {

namespace json = boost::json;
using boost::json::error_code;
using Text = boost::json::string_view;

[[noreturn]] void reject_json(std::string message) {
  throw ApiError("SerializationException", std::move(message), 400);
}

// Amazon's messages, as seen in responses of ECS and EventBridge Scheduler.
[[noreturn]] void reject_json_type(std::string_view token, const TypeInfo& type) {
  std::string_view wanted;
  switch (type.kind) {
    case Kind::String: wanted = "a String"; break;
    case Kind::Bool: wanted = "a Boolean"; break;
    case Kind::Int32: wanted = "an Integer"; break;
    case Kind::Int64: wanted = "a Long"; break;
    case Kind::Float: wanted = "a Float"; break;
    case Kind::Double: wanted = "a Double"; break;
    case Kind::Time: wanted = "a Timestamp"; break;
    case Kind::Blob: wanted = "a ByteBuffer"; break;
    case Kind::List: reject_json("Expected list or null");
    case Kind::Map: reject_json("Expected map or null");
    case Kind::Struct: reject_json("Expected null");
  }
  reject_json(std::string(token) + " can not be converted to " + std::string(wanted));
}

// 2^63 and 2^31 are exact doubles; the maxima themselves are not, so compare with <.
template <class Int>
Int to_integer(double number, const TypeInfo& type) {
  constexpr double kLimit = -static_cast<double>(std::numeric_limits<Int>::min());
  if (!(number >= -kLimit && number < kLimit) || number != std::floor(number)) reject_json_type("NUMBER_VALUE", type);
  return static_cast<Int>(number);
}

// Fills the value from the parser's events. The parser gets the whole text at once, so
// numbers arrive in one piece; strings with escapes do not.
class Handler {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  void start(const TypeInfo& type, void* value) { root_ = {&type, &kNoTraits, value}; }
  std::vector<Violation> take_missing() { return std::move(missing_); }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_comment_part(Text, error_code&) { return true; }
  bool on_comment(Text, error_code&) { return true; }

  bool on_object_begin(error_code&) {
    Target target = next();
    if (!target.value) return skip();
    if (target.type->kind != Kind::Struct && target.type->kind != Kind::Map) {
      reject_json("Start of structure or map found where not expected.");
    }
    push(target);
    return true;
  }
  bool on_array_begin(error_code&) {
    Target target = next();
    if (!target.value) return skip();
    if (target.type->kind != Kind::List) reject_json("Start of list found where not expected.");
    push(target);
    return true;
  }
  bool on_object_end(std::size_t, error_code&) { return end(); }
  bool on_array_end(std::size_t, error_code&) { return end(); }

  bool on_key_part(Text part, std::size_t, error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_key(Text part, std::size_t, error_code&) {
    std::string_view key = whole(part);
    if (!skipping_) {
      Frame& frame = frames_[depth_ - 1];
      if (frame.type->kind == Kind::Struct) {
        field_ = frame.type->find(key);
      } else {
        key_ = key;
      }
    }
    text_.clear();
    return true;
  }

  bool on_string_part(Text part, std::size_t, error_code&) {
    text_.append(part.data(), part.size());
    return true;
  }
  bool on_string(Text part, std::size_t, error_code&) {
    Target target = next();
    if (target.value) put_string(target, whole(part));
    text_.clear();
    return true;
  }

  bool on_number_part(Text, error_code&) { return true; }
  bool on_int64(std::int64_t number, Text, error_code&) {
    Target target = next();
    if (target.value) put_integer(target, number);
    return true;
  }
  bool on_uint64(std::uint64_t number, Text, error_code&) {
    Target target = next();
    if (target.value) put_double(target, static_cast<double>(number));
    return true;
  }
  bool on_double(double number, Text text, error_code&) {
    // The parser's own conversion may be off by one in the last place.
    double exact = number;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
    if (error == std::errc() && end == text.data() + text.size()) number = exact;
    Target target = next();
    if (target.value) put_double(target, number);
    return true;
  }
  bool on_bool(bool value, error_code&) {
    Target target = next();
    if (!target.value) return true;
    if (target.type->kind != Kind::Bool) reject_json_type(value ? "TRUE_VALUE" : "FALSE_VALUE", *target.type);
    *static_cast<bool*>(target.value) = value;
    return true;
  }
  bool on_null(error_code&) {
    if (depth_ == 0) reject_json("");
    return true;
  }

 private:
  // The destination of the next value; null: the value is skipped.
  struct Target {
    const TypeInfo* type = nullptr;
    const Member* traits = nullptr;
    void* value = nullptr;
  };
  // An open struct, list or map.
  struct Frame {
    const TypeInfo* type;
    const Member* traits;
    void* value;
    const Field* field;  // the member, in a struct
    std::uint64_t seen;  // required members
    std::size_t count;   // elements
  };

  Target next();
  void push(const Target& target) { frames_[depth_++] = {target.type, target.traits, target.value, field_, 0, 0}; }
  bool end();
  void note_missing_members(const Frame& frame);
  bool skip() {
    ++skipping_;
    return true;
  }
  std::string_view whole(Text part) {
    if (text_.empty()) return {part.data(), part.size()};
    text_.append(part.data(), part.size());
    return text_;
  }
  static void put_string(const Target& target, std::string_view text);
  static void put_time(const Target& target, std::string_view text);
  static void put_integer(const Target& target, std::int64_t number);
  static void put_double(const Target& target, double number);

  Target root_;
  std::array<Frame, kMaxJsonDepth + 1> frames_;
  std::size_t depth_ = 0;
  std::size_t skipping_ = 0;      // open containers inside a skipped member
  const Field* field_ = nullptr;  // the member whose value is next
  std::string key_;               // or the map's key
  std::string text_;              // a string that arrives in parts
  std::vector<Violation> missing_;
};

Handler::Target Handler::next() {
  if (skipping_) return {};
  if (depth_ == 0) return root_;
  Frame& frame = frames_[depth_ - 1];
  const TypeInfo& type = *frame.type;
  ++frame.count;
  if (type.kind == Kind::List) return {type.element, &element_traits(*frame.traits), type.append(type, frame.value)};
  if (type.kind == Kind::Map) {
    return {type.element, &element_traits(*frame.traits), type.insert(type, frame.value, std::move(key_))};
  }
  if (!field_) return {};
  frame.seen |= field_->required_bit;
  return {field_->type, field_->traits, field_->make(*field_, frame.value)};
}

bool Handler::end() {
  if (skipping_) {
    --skipping_;
    return true;
  }
  --depth_;
  const Frame& frame = frames_[depth_];
  if (frame.type->required_bits & ~frame.seen) note_missing_members(frame);
  return true;
}

void Handler::note_missing_members(const Frame& frame) {
  std::array<Place, kMaxJsonDepth + 1> places;
  for (std::size_t i = 1; i <= depth_; ++i) {
    const Frame& up = frames_[i - 1];
    places[i].up = &places[i - 1];
    if (up.type->kind == Kind::Struct) {
      places[i].kind = Place::InStruct;
      places[i].name = frames_[i].field->name;
    } else if (up.type->kind == Kind::List) {
      places[i].kind = Place::InList;
      places[i].index = up.count;
    } else {
      places[i].kind = Place::InMap;
      for_each_entry(*up.type, up.value, [&](const std::string& key, const void* value) {
        if (value == frames_[i].value) places[i].name = key;
      });
    }
  }
  note_missing(*frame.type, frame.seen, places[depth_], missing_);
}

void Handler::put_time(const Target& target, std::string_view text) {
  std::optional<base::Time> time;
  if (target.traits->time == TimeFormat::Rfc822) {
    time = from_rfc822(text);
  } else {
    time = from_iso8601(text);
    if (!time) time = from_epoch(text);
  }
  if (!time) reject_json_type("STRING_VALUE", *target.type);
  *static_cast<base::Time*>(target.value) = *time;
}

void Handler::put_string(const Target& target, std::string_view text) {
  auto special = [&]() -> double {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    reject_json_type("STRING_VALUE", *target.type);
  };
  switch (target.type->kind) {
    case Kind::String: static_cast<std::string*>(target.value)->assign(text); return;
    case Kind::Blob: {
      auto bytes = base::from_base64(text);
      if (!bytes) reject_json("Invalid base64");
      static_cast<base::Blob*>(target.value)->bytes = std::move(*bytes);
      return;
    }
    case Kind::Time: return put_time(target, text);
    case Kind::Float: *static_cast<float*>(target.value) = static_cast<float>(special()); return;
    case Kind::Double: *static_cast<double*>(target.value) = special(); return;
    default: reject_json_type("STRING_VALUE", *target.type);
  }
}

void Handler::put_integer(const Target& target, std::int64_t number) {
  switch (target.type->kind) {
    case Kind::Int64: *static_cast<std::int64_t*>(target.value) = number; return;
    case Kind::Int32:
      if (number != static_cast<std::int32_t>(number)) reject_json_type("NUMBER_VALUE", *target.type);
      *static_cast<std::int32_t*>(target.value) = static_cast<std::int32_t>(number);
      return;
    default: put_double(target, static_cast<double>(number));
  }
}

void Handler::put_double(const Target& target, double number) {
  switch (target.type->kind) {
    case Kind::Int32:
      *static_cast<std::int32_t*>(target.value) = to_integer<std::int32_t>(number, *target.type);
      return;
    case Kind::Int64:
      *static_cast<std::int64_t*>(target.value) = to_integer<std::int64_t>(number, *target.type);
      return;
    case Kind::Float: *static_cast<float*>(target.value) = static_cast<float>(number); return;
    case Kind::Double: *static_cast<double*>(target.value) = number; return;
    case Kind::Time: {
      auto time = from_epoch(number);
      if (!time) reject_json_type("NUMBER_VALUE", *target.type);
      *static_cast<base::Time*>(target.value) = *time;
      return;
    }
    default: reject_json_type("NUMBER_VALUE", *target.type);
  }
}

}  // namespace

std::vector<Violation> read_json(const TypeInfo& type, std::string_view text, void* value) {
  if (text.empty()) text = "{}";
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  json::basic_parser<Handler> parser(options);
  parser.handler().start(type, value);
  error_code error;
  std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  if (error || used != text.size()) reject_json("");
  return parser.handler().take_missing();
}

}  // namespace wire
