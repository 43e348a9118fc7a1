// SPDX-License-Identifier: Apache-2.0
// nginx on a folder: what serving a file costs where nobody asks who may read it.
#pragma once

#include <string>

#include "support/process.h"
#include "support/signer.h"

namespace bench {

class Nginx {
 public:
  // Serves `files`; its own things go to `folder`. Throws one clear line when it is not
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
