// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "model/instance_types.h"

namespace model {
namespace {

constexpr std::string_view kColumns = "type,vcpus,memory_mib,gpus,gpu_model,gpu_memory_mib";
constexpr std::size_t kColumnCount = 6;
constexpr std::size_t kMaxNameLength = 64;
constexpr std::int64_t kMaxVcpus = 4096;
constexpr std::int64_t kMaxMemoryMib = std::int64_t{1} << 30;
constexpr std::int64_t kMaxGpus = 1024;

std::vector<std::string_view> split_row(std::string_view line) {
  std::vector<std::string_view> values;
  while (true) {
    const std::size_t comma = line.find(',');
    values.push_back(base::trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return values;
    line.remove_prefix(comma + 1);
  }
}

std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
  return value;
}

bool is_type_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxNameLength) return false;
  const std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return name.find_first_not_of(allowed) == std::string_view::npos;
}

base::Error invalid_value(std::string_view column, std::string_view value) {
  return {"invalid " + std::string(column) + ": '" + std::string(value) + "'"};
}

base::Result<InstanceType> parse_row(std::string_view line) {
  const auto values = split_row(line);
  if (values.size() != kColumnCount) return base::Error{"expected 6 columns: " + std::string(kColumns)};
  if (!is_type_name(values[0])) return invalid_value("type", values[0]);
  const auto vcpus = whole_number(values[1], 1, kMaxVcpus);
  if (!vcpus) return invalid_value("vcpus", values[1]);
  const auto memory = whole_number(values[2], 1, kMaxMemoryMib);
  if (!memory) return invalid_value("memory_mib", values[2]);
  const auto gpus = whole_number(values[3], 0, kMaxGpus);
  if (!gpus) return invalid_value("gpus", values[3]);
  const auto gpu_memory = whole_number(values[5], 0, kMaxMemoryMib);
  if (!gpu_memory) return invalid_value("gpu_memory_mib", values[5]);
  if (*gpus > 0 && values[4].empty()) return base::Error{"gpu_model is missing"};
  if (*gpus == 0 && (!values[4].empty() || *gpu_memory > 0)) {
    return base::Error{"a type without GPUs has an empty gpu_model and a gpu_memory_mib of 0"};
  }
  return InstanceType{std::string(values[0]), static_cast<int>(*vcpus), *memory,
                      static_cast<int>(*gpus), std::string(values[4]),  *gpu_memory};
}

}  // namespace

base::Result<InstanceTypes> parse_instance_types(std::string_view text, InstanceTypes types) {
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = base::trim(line);
    if (line.empty() || line.starts_with('#') || (number == 1 && line == kColumns)) continue;
    auto type = parse_row(line);
    if (!type) return base::Error{"line " + std::to_string(number) + ": " + type.error()};
    const std::string name = type->name;
    types[name] = std::move(*type);
  }
  return types;
}

}  // namespace model
