// SPDX-License-Identifier: Apache-2.0
// multipart/form-data as browsers send it to S3: fields, then the field `file`. Other receivers read fields after it, too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/headers.h"
#include "signing/body_error.h"

namespace signing {

struct FormFile {
  std::string name;          // without the folders that some browsers send; may be ""
  std::string content_type;  // may be ""
};

// Parses a body as it arrives. Does not store the file; the fields before it have a size limit.
class FormData {
 public:
  // What follows the file. Amazon ignores it.
  enum class AfterFile { Ignored, Fields };

  // The Content-Type of the request. Throws BodyError if it is not a form or has no boundary.
  explicit FormData(std::string_view content_type, AfterFile after_file = AfterFile::Ignored);

  // Consumes a part of `input` and returns bytes of the file, which may be empty and are valid until the
  // next call. Call it until `input` is empty. Throws BodyError; do not use the parser after that.
  std::string_view next(std::string_view& input);

  // All fields before the file are complete, and the file's bytes are next. A call of next() that makes this true returns no
  // bytes yet, so that the caller can check the fields first.
  bool file_begun() const { return file_begun_; }
  const base::Headers& fields() const { return fields_; }  // in order
  const FormFile& file() const { return file_; }

  // The form is complete: with the file, where what follows is ignored.
  bool done() const { return state_ == State::Done; }
  // Call at the end of the body. Throws BodyError if the form is incomplete.
  void finish() const;

 private:
  enum class State { Preamble, BoundaryEnd, Head, Value, File, Done };

  std::string_view take_until_boundary(std::string_view& input, bool& found);
  void take_boundary_end(char c);
  void take_head(std::string_view& input);
  void start_part();
  void end_value();
  void add_bytes(std::size_t count);

  AfterFile after_file_;
  std::string boundary_;     // with the preceding line end and two dashes
  std::size_t matched_ = 2;  // bytes of boundary_: the body starts at the start of a line
  State state_ = State::Preamble;
  std::string text_;       // of a part's head, or after a boundary
  std::size_t bytes_ = 0;  // of everything but the file
  std::string name_, value_;
  base::Headers fields_;
  FormFile file_;
  bool file_begun_ = false;
  bool ended_ = false;  // the final boundary came without a file
};

}  // namespace signing
