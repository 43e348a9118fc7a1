// SPDX-License-Identifier: Apache-2.0
// What the engine answers to a pull: lines of JSON about the image's layers, and a line with the error of a pull that
// fails after the answer began with status 200.
#pragma once

#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "agent/drivers/driver.h"

namespace agent::drivers {

class PullLines {
 public:
  static constexpr std::size_t kMaxLineBytes = 64 * 1024;  // a longer line is ignored
  static constexpr std::size_t kMaxLayers = 512;           // further ones are ignored; engines accept 127
  static constexpr std::size_t kMaxLayerIdBytes = 128;     // lines with a longer id are ignored
  static constexpr std::int64_t kMaxLayerBytes = std::int64_t{1} << 50;  // a larger size counts as this one

  void feed(std::string_view bytes);
  // After the last bytes: the last line may have no end.
  void end_line();

  PullProgress progress() const;
  // The error, or "".
  const std::string& error() const { return error_; }

 private:
  enum class Stage { Known, Downloading, Downloaded, Unpacked, Existing };
  struct Layer {
    Stage stage = Stage::Known;
    std::int64_t bytes = 0, total_bytes = 0;  // downloaded; 0: the size is not known
  };

  void note_layer(const boost::json::value& line);

  std::string line_;
  bool too_long_ = false;
  std::map<std::string, Layer> layers_;  // by the engine's id
  std::string error_;
};

}  // namespace agent::drivers
