// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/exec.h"

namespace agent::drivers {

std::string exec_term(const ExecRequest& request) {
  if (!request.terminal && request.term.empty()) return "";
  return request.term.empty() ? "xterm-256color" : request.term;
}

}  // namespace agent::drivers
