// SPDX-License-Identifier: Apache-2.0
// multipart/form-data as browsers send it to S3: fields, then the one that is called `file`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/headers.h"
#include "signing/body_error.h"

namespace signing {

struct FormFile {
  std::string name;          // without the folders that some browsers say too; "" where there is none
  std::string content_type;  // "" where there is none
};

// Fed with a body as it comes. Nothing of the file is kept here; the fields before it have a bound.
class FormData {
 public:
  // Of the request. Throws BodyError where it is no form, or has no boundary.
  explicit FormData(std::string_view content_type);

  // Takes some off the front of `input` and returns bytes of the file, which may be none: good until
  // the next call. To be called until `input` is empty. Throws BodyError; then it is not to be used again.
  std::string_view next(std::string_view& input);

  // All fields that count are there, and the file's bytes come next. It returns nothing before this is true,
  // and never turns it true and returns bytes at once: so there is a moment to look at the fields.
  bool file_begun() const { return file_begun_; }
  const base::Headers& fields() const { return fields_; }  // in their order
  const FormFile& file() const { return file_; }

  // The file is whole. What follows it is ignored, as Amazon does.
  bool done() const { return state_ == State::Done; }
  // At the body's end. Throws BodyError where something is missing.
  void finish() const;

 private:
  enum class State { Preamble, BoundaryEnd, Head, Value, File, Done };

  std::string_view take_until_boundary(std::string_view& input, bool& found);
  void take_boundary_end(char c);
  void take_head(std::string_view& input);
  void start_part();
  void end_value();
  void add_bytes(std::size_t count);

  std::string boundary_;     // with the line end and the two dashes before it
  std::size_t matched_ = 2;  // of it: the body's start is the start of a line
  State state_ = State::Preamble;
  std::string text_;       // of a head or of what ends a boundary
  std::size_t bytes_ = 0;  // before the file
  std::string name_, value_;
  base::Headers fields_;
  FormFile file_;
  bool file_begun_ = false;
  bool ended_ = false;  // said so itself, without a file
};

}  // namespace signing
