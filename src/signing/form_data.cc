// SPDX-License-Identifier: Apache-2.0
#include "signing/form_data.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"

namespace signing {
namespace {

constexpr std::size_t kMaxFieldBytes = 20480;  // Amazon's, for everything before the file, or beside it
constexpr std::size_t kMaxHeadBytes = 8 * 1024;
constexpr std::size_t kMaxBoundaryBytes = 70;  // RFC 2046 5.1.1

BodyError malformed() {
  return BodyError(400, "MalformedPOSTRequest",
                   "The body of your POST request is not well-formed multipart/form-data.");
}

// A header's value with parameters: "form-data; name=\"key\"".
std::string_view first_of(std::string_view value) { return base::trim(value.substr(0, value.find(';'))); }

// Consumes one value of `rest`, up to the next unquoted ';'. nullopt where its quotes are not closed.
std::optional<std::string> take_value(std::string_view& rest) {
  std::string value;
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    value = base::trim(rest.substr(0, end));
    rest.remove_prefix(end);
    return value;
  }
  rest.remove_prefix(1);
  while (!rest.empty() && rest[0] != '"') {
    // No other backslash is an escape: some browsers send a whole Windows path.
    if (rest.starts_with("\\\"")) rest.remove_prefix(1);
    value += rest[0];
    rest.remove_prefix(1);
  }
  const bool closed = !rest.empty();
  rest.remove_prefix(std::min(rest.find(';'), rest.size()));
  return closed ? std::optional(std::move(value)) : std::nullopt;
}

std::optional<std::string> parameter(std::string_view header, std::string_view name) {
  std::string_view rest = header.substr(std::min(header.find(';'), header.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the ';'
    const std::size_t equals = std::min(rest.find('='), rest.size());
    const std::string_view found = base::trim(rest.substr(0, equals));
    rest.remove_prefix(std::min(equals + 1, rest.size()));
    rest = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::optional<std::string> value = take_value(rest);
    if (base::equals_ignoring_case(found, name)) return value;
  }
  return std::nullopt;
}

// Amazon uses only what follows the last slash of either kind.
std::string without_folders(const std::string& path) { return path.substr(path.find_last_of("/\\") + 1); }

std::string_view header_of(std::string_view head, std::string_view name) {
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view line = head.substr(at, end - at);
    const std::size_t colon = std::min(line.find(':'), line.size());
    if (base::equals_ignoring_case(base::trim(line.substr(0, colon)), name) && colon < line.size()) {
      return base::trim(line.substr(colon + 1));
    }
    at = end + 2;
  }
  return {};
}

}  // namespace

FormData::FormData(std::string_view content_type, AfterFile after_file) : after_file_(after_file) {
  if (!base::equals_ignoring_case(first_of(content_type), "multipart/form-data")) {
    throw BodyError(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold",
                    {{"Condition", "Bucket POST must be of the enclosure-type multipart/form-data"}});
  }
  const std::string boundary = parameter(content_type, "boundary").value_or("");
  const bool sane = !boundary.empty() && boundary.size() <= kMaxBoundaryBytes && boundary.back() != ' ' &&
                    std::ranges::all_of(boundary, [](char c) { return c >= ' ' && c <= '~'; });
  if (!sane) throw malformed();
  boundary_ = "\r\n--" + boundary;
}

std::string_view FormData::next(std::string_view& input) {
  bool found = false;
  std::string_view bytes;
  const std::size_t before = input.size();
  switch (state_) {
    case State::Done: input = {}; return {};
    case State::Head: take_head(input); return {};
    case State::BoundaryEnd:
      take_boundary_end(input[0]);
      input.remove_prefix(1);
      return {};
    case State::File:
      bytes = take_until_boundary(input, found);
      if (found) state_ = State::BoundaryEnd;
      return bytes;
    case State::Preamble:
    case State::Value: break;
  }
  bytes = take_until_boundary(input, found);
  add_bytes(before - input.size());
  if (state_ == State::Value) value_ += bytes;
  if (found && state_ == State::Value) end_value();
  if (found) state_ = State::BoundaryEnd;
  return {};
}

// The available bytes before the boundary. A boundary contains a line end only at its start, so
// after a failed match no other can have started within the matched bytes.
std::string_view FormData::take_until_boundary(std::string_view& input, bool& found) {
  if (matched_ > 0) {
    const std::string_view wanted = std::string_view(boundary_).substr(matched_, input.size());
    if (input.starts_with(wanted)) {
      matched_ += wanted.size();
      input.remove_prefix(wanted.size());
      found = matched_ == boundary_.size();
      if (found) matched_ = 0;
      return {};
    }
    const std::size_t held = matched_;
    matched_ = 0;
    return std::string_view(boundary_).substr(0, held);
  }
  const std::size_t at = input.find(boundary_);
  found = at != input.npos;
  std::size_t size = found ? at : input.size();
  if (!found) {
    const std::size_t tail = input.size() - std::min(input.size(), boundary_.size() - 1);
    for (std::size_t i = input.find('\r', tail); i != input.npos && matched_ == 0; i = input.find('\r', i + 1)) {
      if (!boundary_.starts_with(input.substr(i))) continue;
      size = i;
      matched_ = input.size() - i;
    }
  }
  const std::string_view bytes = input.substr(0, size);
  input.remove_prefix(found ? size + boundary_.size() : input.size());
  return bytes;
}

void FormData::take_boundary_end(char c) {
  if (text_.empty() && (c == ' ' || c == '\t')) return;  // RFC 2046: padding
  text_ += c;
  if (text_.size() < 2) return;
  if (text_ != "--" && text_ != "\r\n") throw malformed();
  const bool last = text_ == "--";
  ended_ = last && !file_begun_;
  const bool ignored = file_begun_ && after_file_ == AfterFile::Ignored;
  state_ = last || ignored ? State::Done : State::Head;
  text_.clear();
}

void FormData::take_head(std::string_view& input) {
  const std::size_t end = input.find('\n');
  const std::size_t size = end == input.npos ? input.size() : end + 1;
  if (text_.size() + size > kMaxHeadBytes) throw malformed();
  text_ += input.substr(0, size);
  input.remove_prefix(size);
  bytes_ += size;
  if (text_ == "\r\n" || text_.ends_with("\r\n\r\n")) start_part();
}

void FormData::start_part() {
  const std::string_view disposition = header_of(text_, "Content-Disposition");
  const std::optional<std::string> name = parameter(disposition, "name");
  if (!base::equals_ignoring_case(first_of(disposition), "form-data") || !name) throw malformed();
  if (base::equals_ignoring_case(*name, "file")) {
    if (file_begun_) {
      throw BodyError(400, "InvalidArgument", "POST requires exactly one file upload per request.",
                      {{"ArgumentName", "file"}, {"ArgumentValue", "2"}});
    }
    file_.name = without_folders(parameter(disposition, "filename").value_or(""));
    file_.content_type = header_of(text_, "Content-Type");
    file_begun_ = true;
    state_ = State::File;
  } else {
    name_ = *name;
    state_ = State::Value;
  }
  text_.clear();
}

// Rejects repeated names: a policy could cover one field while another is used.
void FormData::end_value() {
  if (fields_.find(name_)) {
    throw BodyError(400, "InvalidArgument", "Bucket POST must contain each field only once.",
                    {{"ArgumentName", name_}});
  }
  fields_.add(std::move(name_), std::move(value_));
  name_.clear();
  value_.clear();
}

void FormData::add_bytes(std::size_t count) {
  bytes_ += count;
  if (bytes_ <= kMaxFieldBytes) return;
  throw BodyError(400, "MaxPostPreDataLengthExceeded",
                  "Your POST request fields preceding the upload file were too large.",
                  {{"MaxPostPreDataLengthBytes", std::to_string(kMaxFieldBytes)}});
}

void FormData::finish() const {
  if (done() && file_begun_) return;
  if (!ended_) throw malformed();
  throw BodyError(400, "InvalidArgument", "POST requires exactly one file upload per request.",
                  {{"ArgumentName", "file"}, {"ArgumentValue", "0"}});
}

}  // namespace signing
