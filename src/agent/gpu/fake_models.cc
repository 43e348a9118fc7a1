// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/fake_models.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/bytes.h"

namespace agent::gpu {
namespace {

struct KnownModel {
  std::string_view key;  // in --gpus fake:8x<key>
  std::string_view name;
  std::int64_t memory_mib;
  int idle_watts, max_watts;
};

// Names and sizes as nvidia-smi prints them. The first of a family is its default.
constexpr std::array<KnownModel, 18> kKnownModels = {{
    {"K80", "Tesla K80", 11441, 26, 149},
    {"M60", "Tesla M60", 8192, 15, 150},
    {"P100", "Tesla P100-PCIE-16GB", 16384, 27, 250},
    {"V100", "Tesla V100-SXM2-16GB", 16384, 38, 300},
    {"V100-16GB", "Tesla V100-SXM2-16GB", 16384, 38, 300},
    {"V100-32GB", "Tesla V100-SXM2-32GB", 32768, 38, 300},
    {"T4", "Tesla T4", 15360, 9, 70},
    {"A10G", "NVIDIA A10G", 23028, 15, 300},
    {"A100", "NVIDIA A100-SXM4-40GB", 40960, 50, 400},
    {"A100-40GB", "NVIDIA A100-SXM4-40GB", 40960, 50, 400},
    {"A100-80GB", "NVIDIA A100-SXM4-80GB", 81920, 60, 400},
    {"L4", "NVIDIA L4", 23034, 12, 72},
    {"L40S", "NVIDIA L40S", 46068, 33, 350},
    {"H100", "NVIDIA H100 80GB HBM3", 81559, 70, 700},
    {"H200", "NVIDIA H200", 143771, 76, 700},
    {"B200", "NVIDIA B200", 183359, 140, 1000},
    {"RTX-3090", "NVIDIA GeForce RTX 3090", 24576, 20, 350},
    {"RTX-4090", "NVIDIA GeForce RTX 4090", 24564, 15, 450},
}};

// "RTX 3090", "rtx3090" and "RTX-3090" are equal.
std::string normalized(std::string_view text) {
  std::string out;
  for (char c : base::to_lower(text)) {
    if (c != '-' && c != '_' && c != ' ') out += c;
  }
  return out;
}

const KnownModel* find_model(std::string_view model) {
  std::string wanted = normalized(model);
  for (const KnownModel& known : kKnownModels) {
    std::string key = normalized(known.key);
    if (key == wanted || key == wanted + "gb") return &known;
  }
  return nullptr;
}

std::string known_names() {
  std::string out;
  for (const KnownModel& known : kKnownModels) out += (out.empty() ? "" : ", ") + std::string(known.key);
  return out;
}

std::optional<int> parse_count(std::string_view text) {
  int count = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1) return std::nullopt;
  return count;
}

}  // namespace

base::Result<std::vector<FakeModel>> fake_models(const std::string& text) {
  std::vector<FakeModel> models;
  std::string_view rest = text;
  for (bool more = true; more;) {
    std::size_t comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);

    std::size_t times = part.find_first_of("xX");
    std::optional<int> count;
    if (times != std::string_view::npos) count = parse_count(part.substr(0, times));
    if (!count || *count > kMaxFakeGpus - static_cast<int>(models.size())) {
      return base::Error{fmt::format(
          R"(invalid simulated GPUs "{}": expected a count (at most {} in total), x and a model, as in fake:8xV100. Models: {})",
          part, kMaxFakeGpus, known_names())};
    }
    std::string_view model = part.substr(times + 1);
    const KnownModel* known = find_model(model);
    if (!known) {
      return base::Error{fmt::format(R"(unknown GPU model "{}". Models: {})", model, known_names())};
    }
    FakeModel found{.name = std::string(known->name),
                    .memory_mib = known->memory_mib,
                    .idle_watts = known->idle_watts,
                    .max_watts = known->max_watts};
    models.insert(models.end(), static_cast<std::size_t>(*count), found);
  }
  return models;
}

}  // namespace agent::gpu
