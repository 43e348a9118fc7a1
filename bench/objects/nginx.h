// SPDX-License-Identifier: Apache-2.0
// nginx with a folder: the cost of serving a file without authentication.
#pragma once

#include <string>

#include "support/process.h"
#include "support/signer.h"

namespace bench {

class Nginx {
 public:
  // Serves `files`; its own files are in `folder`. Throws an error of one line if it is not
  // installed or does not start.
  Nginx(const std::string& folder, const std::string& files);
  ~Nginx();

  const Endpoint& endpoint() const { return endpoint_; }
  Seconds cpu() const { return process_.cpu(); }

 private:
  Endpoint endpoint_;  // before the process, which needs its port
  Process process_;
};

}  // namespace bench
