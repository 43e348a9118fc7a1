// SPDX-License-Identifier: Apache-2.0
// The program tar of this machine, at one end of a pipe.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace cli {

class LocalTar {
 public:
  enum class Use { Create, Extract };

  // Throws std::system_error.
  LocalTar(Use use, const std::vector<std::string>& arguments);
  ~LocalTar();
  LocalTar(const LocalTar&) = delete;
  LocalTar& operator=(const LocalTar&) = delete;

  // Its output where it creates an archive, its input where it extracts one.
  int descriptor() const { return descriptor_; }
  // Closes the pipe and waits for its end; returns its exit status.
  int finish();

 private:
  int descriptor_ = -1;
  pid_t process_ = -1;
};

}  // namespace cli
