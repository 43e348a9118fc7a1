// SPDX-License-Identifier: Apache-2.0
// Test support: an empty folder of files, with disk threads.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include "base/random.h"
#include "objects/disk_threads.h"
#include "objects/files.h"

namespace objects {

class ObjectsTest : public testing::Test {
 protected:
  struct Folder {
    Folder() { std::filesystem::create_directory(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string path = testing::TempDir() + "objects_test_" + base::random_uuid();
  };

  std::size_t files_in(const std::string& name) const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path + "/objects/" + name)) {
      count += entry.is_regular_file();
    }
    return count;
  }

  // Rethrows the coroutine's exception.
  void run(boost::asio::awaitable<void> work) {
    std::exception_ptr thrown;
    bool ended = false;
    boost::asio::co_spawn(io_, std::move(work), [&](std::exception_ptr error) {
      thrown = error;
      ended = true;
    });
    io_.restart();
    auto guard = boost::asio::make_work_guard(io_);
    while (!ended) io_.run_one();
    if (thrown) std::rethrow_exception(thrown);
  }

  // Waits for all works.
  void end_threads() { disk_.reset(); }

  Folder folder_;
  Files files_{folder_.path + "/objects"};
  boost::asio::io_context io_;
  std::unique_ptr<DiskThreads> disk_ = std::make_unique<DiskThreads>(2);
};

}  // namespace objects
