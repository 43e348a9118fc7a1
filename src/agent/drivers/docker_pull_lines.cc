// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_pull_lines.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <utility>

#include "agent/drivers/docker_api.h"

namespace agent::drivers {
namespace json = boost::json;

void PullLines::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    if (line_.size() + end > kMaxLineBytes) too_long_ = true;
    if (!too_long_) line_ += bytes.substr(0, end);
    if (end == bytes.size()) return;
    end_line();
    bytes.remove_prefix(end + 1);
  }
}

void PullLines::end_line() {
  boost::system::error_code broken;
  const json::value line = too_long_ ? json::value() : json::parse(line_, broken);
  line_.clear();
  too_long_ = false;
  if (broken) return;
  const std::string error = text_at(line, {"error"});
  if (!error.empty()) error_ = error;
  note_layer(line);
}

// Other lines have an id as well: "Pulling from library/busybox" has the tag.
void PullLines::note_layer(const json::value& line) {
  constexpr std::pair<std::string_view, Stage> kStages[] = {
      {"Pulling fs layer", Stage::Known},        {"Waiting", Stage::Known},
      {"Downloading", Stage::Downloading},       {"Verifying Checksum", Stage::Downloaded},
      {"Download complete", Stage::Downloaded},  {"Extracting", Stage::Downloaded},
      {"Pull complete", Stage::Unpacked},        {"Already exists", Stage::Existing},
  };
  const auto* stage = std::ranges::find(kStages, text_at(line, {"status"}), &std::pair<std::string_view, Stage>::first);
  const std::string id = text_at(line, {"id"});
  if (stage == std::end(kStages) || id.empty() || id.size() > kMaxLayerIdBytes) return;
  if (!layers_.contains(id) && layers_.size() == kMaxLayers) return;
  Layer& layer = layers_[id];
  layer.stage = stage->second;
  if (layer.stage != Stage::Downloading) return;
  const std::int64_t total = std::clamp<std::int64_t>(number_at(line, {"progressDetail", "total"}), 0, kMaxLayerBytes);
  if (total > 0) layer.total_bytes = total;
  layer.bytes = std::clamp<std::int64_t>(number_at(line, {"progressDetail", "current"}), 0, layer.total_bytes);
}

PullProgress PullLines::progress() const {
  PullProgress sum;
  std::int32_t downloaded = 0;
  for (const auto& [id, layer] : layers_) {
    ++sum.layers;
    if (layer.stage == Stage::Existing) ++sum.layers_existing;
    if (layer.stage >= Stage::Unpacked) ++sum.layers_done;
    if (layer.stage >= Stage::Downloaded) ++downloaded;
    sum.total_bytes += layer.total_bytes;
    sum.downloaded_bytes += layer.stage >= Stage::Downloaded ? layer.total_bytes : layer.bytes;
  }
  sum.extracting = downloaded == sum.layers && sum.layers_done < sum.layers;
  return sum;
}

}  // namespace agent::drivers
