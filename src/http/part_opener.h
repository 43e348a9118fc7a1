// SPDX-License-Identifier: Apache-2.0
// How a server comes to the files of an answer that has too many to hold all of them open.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/file.h"

namespace http {

struct PartOpener {
  // nullptr where it is gone: the answer is cut short. What it throws ends it, too.
  std::function<boost::asio::awaitable<std::shared_ptr<const base::File>>(std::string name)> open;
};

}  // namespace http
