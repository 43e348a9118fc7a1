// SPDX-License-Identifier: Apache-2.0
#include "packing/trace_file.h"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace packing {
namespace {

using scheduler::test::kWholeGpu;
using scheduler::test::Trace;

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, separator);) {
    if (field.ends_with('\r')) field.pop_back();
    fields.push_back(field);
  }
  return fields;
}

using Row = std::map<std::string, std::string>;

std::vector<Row> read_csv(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": can't be opened");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split(line, ',');
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line, ',');
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = i < fields.size() ? fields[i] : "";
  }
  if (rows.empty()) throw std::runtime_error(path + ": has no rows");
  return rows;
}

std::int64_t number(const Row& row, const std::string& column, const std::string& path) {
  const auto found = row.find(column);
  if (found == row.end()) throw std::runtime_error(path + ": has no column " + column);
  try {
    return std::stoll(found->second);
  } catch (const std::exception&) {
    throw std::runtime_error(path + ": invalid " + column + ": '" + found->second + "'");
  }
}

}  // namespace

Trace read_trace(const std::string& machines, const std::string& tasks) {
  Trace trace;
  for (const Row& row : read_csv(machines)) {
    trace.machines.push_back({.cpu = number(row, "cpu_milli", machines),
                              .memory_mib = number(row, "memory_mib", machines),
                              .gpus = static_cast<int>(number(row, "gpu", machines)),
                              .model = row.contains("model") ? row.at("model") : ""});
  }
  for (const Row& row : read_csv(tasks)) {
    auto& task = trace.tasks.emplace_back();
    task.cpu = number(row, "cpu_milli", tasks);
    task.memory_mib = number(row, "memory_mib", tasks);
    task.gpus = static_cast<int>(number(row, "num_gpu", tasks));
    const std::int64_t part = number(row, "gpu_milli", tasks);
    if (task.gpus == 1 && part < kWholeGpu) task.share = part;
    if (row.contains("gpu_spec")) task.models = split(row.at("gpu_spec"), '|');
  }
  return trace;
}

}  // namespace packing
