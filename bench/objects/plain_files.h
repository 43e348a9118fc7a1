// SPDX-License-Identifier: Apache-2.0
// The same work without a server: files are hashed like Stoker's, written with a
// temporary name, synced, and renamed.
#pragma once

#include <string>
#include <vector>

#include "objects/s3_request.h"
#include "support/load.h"

namespace bench {

class PlainFiles {
 public:
  // Creates the folder. Each writer cycles through `names` names.
  PlainFiles(std::string folder, const Body& body);

  // Counts everything up to the last rename of all threads.
  Outcome write(int threads, std::uint64_t names, Seconds at_least);
  // For nginx to serve: `prefix`0, `prefix`1, ...
  void write_for_reading(const std::string& prefix, std::uint64_t count) const;

 private:
  void write_one(const std::string& path) const;
  Outcome write_on_one_thread(int thread, std::uint64_t names, Seconds at_least, std::uint64_t& next) const;

  std::string folder_;
  const Body& body_;
  std::vector<std::uint64_t> next_;  // name, of each thread
};

}  // namespace bench
