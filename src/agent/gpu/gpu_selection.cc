// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/gpu_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace agent::gpu {
namespace {

constexpr std::string_view kFakeSource = "fake:", kIdPrefix = "GPU-";

bool is_listed_gpu(std::string_view text) {
  if (text.starts_with(kIdPrefix)) return text.size() > kIdPrefix.size();
  return !text.empty() && text.size() <= 3 && text.find_first_not_of("0123456789") == text.npos;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

class SelectedGpus final : public GpuSource {
 public:
  SelectedGpus(std::unique_ptr<GpuSource> source, GpuSelection selection)
      : source_(std::move(source)), selection_(std::move(selection)) {}

  std::string driver() const override { return source_->driver(); }
  bool simulated() const override { return source_->simulated(); }
  std::optional<GpuTools> tools() const override { return source_->tools(); }

  std::vector<Gpu> probe() override {
    std::vector<Gpu> gpus = source_->probe();
    std::erase_if(gpus, [this](const Gpu& gpu) { return !selects(selection_, gpu); });
    for (const Gpu& gpu : gpus) ids_.insert(gpu.id);
    return gpus;
  }
  std::vector<GpuSample> sample() override {
    std::vector<GpuSample> samples = source_->sample();
    std::erase_if(samples, [this](const GpuSample& sample) { return !ids_.contains(sample.id); });
    return samples;
  }
  std::vector<GpuDetails> details() override {
    std::vector<GpuDetails> all = source_->details();
    std::erase_if(all, [this](const GpuDetails& one) { return !ids_.contains(one.id); });
    return all;
  }

 private:
  std::unique_ptr<GpuSource> source_;
  const GpuSelection selection_;
  std::set<std::string> ids_;  // of the selected GPUs that a probe has found
};

}  // namespace

base::Result<GpuSelection> parse_gpus(const std::string& text) {
  const base::Error invalid{fmt::format(
      R"(invalid GPUs "{}": use auto, none, a list of indexes or ids (0,1), or simulated ones (fake:8xV100))", text)};
  GpuSelection selection;
  const std::size_t hash = text.find('#');
  selection.source = text.substr(0, hash);
  std::string list = hash == text.npos ? "" : text.substr(hash + 1);
  const bool plain_list = hash == text.npos && is_listed_gpu(text.substr(0, text.find(',')));
  if (plain_list) {
    list = text;
    selection.source = "auto";
  }
  if (hash != text.npos || plain_list) {
    selection.listed = split_list(list);
    if (selection.listed.size() > kMaxListedGpus || !std::ranges::all_of(selection.listed, is_listed_gpu)) return invalid;
  }
  const bool fake = selection.source.starts_with(kFakeSource);
  if (const std::size_t at = selection.source.find('@'); fake && at != std::string::npos) {
    selection.name = selection.source.substr(at + 1);
    selection.source.resize(at);
    if (selection.name.empty()) return invalid;
  }
  if (!fake && selection.source != "auto" && selection.source != "none") return invalid;
  return selection;
}

bool selects(const GpuSelection& selection, const Gpu& gpu) {
  if (selection.listed.empty()) return true;
  const auto& listed = selection.listed;
  return std::ranges::find(listed, gpu.id) != listed.end() ||
         std::ranges::find(listed, std::to_string(gpu.index)) != listed.end();
}

std::unique_ptr<GpuSource> select_gpus(std::unique_ptr<GpuSource> source, GpuSelection selection) {
  if (selection.listed.empty()) return source;
  return std::make_unique<SelectedGpus>(std::move(source), std::move(selection));
}

}  // namespace agent::gpu
