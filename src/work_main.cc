// SPDX-License-Identifier: Apache-2.0
// The program stoker-work: `stoker work` alone, in a static program for containers.
#include <cstdio>
#include <exception>

#include "worker/arguments.h"
#include "worker/run.h"

int main(int argc, char** argv) {
  worker::become_init();
  CLI::App app("Processes the objects that a queue announces, with any command.", "stoker-work");
  app.set_version_flag("--version", std::string("stoker-work ") + STOKER_VERSION);
  worker::Arguments arguments;
  worker::add_arguments(app, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    return worker::run_with(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stoker-work: %s\n", error.what());
  }
  return 1;
}
