// SPDX-License-Identifier: Apache-2.0
// The test program is also the shim of its processes, and of commands in them.
#include <gmock/gmock.h>

#include <cstring>

#include "agent/drivers/exec_shim.h"
#include "agent/drivers/shim.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "shim") == 0) return agent::drivers::run_shim(argv[2]);
  if (argc == 2 && std::strcmp(argv[1], "exec-shim") == 0) return agent::drivers::run_exec_shim();
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
