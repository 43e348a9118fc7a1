// SPDX-License-Identifier: Apache-2.0
// Opens the files of a response that has too many to keep them all open.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/file.h"

namespace http {

struct PartOpener {
  // nullptr for a missing file. That, and an exception, cut the response short.
  std::function<boost::asio::awaitable<std::shared_ptr<const base::File>>(std::string name)> open;
};

}  // namespace http
