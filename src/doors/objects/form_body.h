// SPDX-License-Identifier: Apache-2.0
// A form that a browser POSTs to a bucket: fields, then a file.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <string_view>

#include "base/checksum.h"
#include "http/server.h"
#include "signing/form_data.h"
#include "wire/type.h"

namespace doors::objects {

class FormBody {
 public:
  // `payload_hash`: the hash of the whole body, where the request itself is signed; "" otherwise. All of it throws
  // BodyError, and ApiError where the hash does not match.
  FormBody(http::Exchange& exchange, std::string payload_hash);

  // Reads up to the file.
  boost::asio::awaitable<void> read_fields();
  const signing::FormData& form() const { return form_; }

  // The next piece of the file, "" at its end.
  boost::asio::awaitable<std::string> next();

 private:
  boost::asio::awaitable<void> read_piece();

  http::Exchange& exchange_;
  signing::FormData form_;
  std::string payload_hash_;
  base::Hasher hasher_{base::Checksum::Sha256};
  std::string piece_;
  std::string_view left_;  // of piece_
};

// Fills the members Fields, with names in lower case, and FileName.
void fill_form(const signing::FormData& form, const wire::TypeInfo& type, void* input);

}  // namespace doors::objects
