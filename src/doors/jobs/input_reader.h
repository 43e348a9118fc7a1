// SPDX-License-Identifier: Apache-2.0
// The input of a job as it arrives: a raw body, or the file of a form.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/checksum.h"
#include "http/server.h"
#include "signing/form_data.h"

namespace doors::jobs {

class InputReader {
 public:
  // `hash`: what the body must have, in hexadecimal; "" for any. `whole`: the body, where it was read already.
  InputReader(http::Exchange& exchange, std::string hash, std::optional<std::string> whole);

  bool is_form() const { return form_.has_value(); }
  // After the end of the input.
  const signing::FormData& form() const { return *form_; }

  // The next bytes of the input; "" at its end. Throws Problem and BodyError.
  boost::asio::awaitable<std::string> next();

 private:
  boost::asio::awaitable<std::string> next_piece();

  http::Exchange& exchange_;
  std::string hash_;
  std::optional<std::string> whole_;
  base::Hasher hasher_{base::Checksum::Sha256};
  std::optional<signing::FormData> form_;
  std::string piece_;
  std::string_view left_;  // of piece_
};

}  // namespace doors::jobs
