// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/fake_script.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "base/log.h"

namespace agent::gpu {
namespace {

namespace json = boost::json;

constexpr std::size_t kMaxScriptBytes = 1024 * 1024;
constexpr std::size_t kMaxSteps = 10000;
constexpr double kMaxStepSeconds = 86400;

[[noreturn]] void reject(const std::string& reason) { throw std::runtime_error(reason); }

double number_between(std::string_view member, const json::value& value, double low, double high) {
  double number = value.is_number() ? value.to_number<double>() : NAN;
  if (!(number >= low && number <= high)) reject(fmt::format("{} must be a number from {} to {}", member, low, high));
  return number;
}

FakeStep parse_step(const json::value& value) {
  if (!value.is_object()) reject("the value of a GPU must be an object or a list of objects");
  FakeStep step;
  for (const auto& [key, member] : value.get_object()) {
    std::string_view name = key;
    if (name == "utilization") {
      step.state.utilization_percent = static_cast<int>(number_between(name, member, 0, 100));
    } else if (name == "memory_utilization") {
      step.state.memory_utilization_percent = static_cast<int>(number_between(name, member, 0, 100));
    } else if (name == "memory_used_mib") {
      step.state.memory_used_mib = static_cast<std::int64_t>(number_between(name, member, 0, 1e9));
    } else if (name == "temperature") {
      step.state.temperature_celsius = static_cast<int>(number_between(name, member, 0, 150));
    } else if (name == "power_watts") {
      step.state.power_watts = number_between(name, member, 0, 1e5);
    } else if (name == "sm_clock_mhz") {
      step.state.sm_clock_mhz = static_cast<int>(number_between(name, member, 0, 1e5));
    } else if (name == "xid") {
      step.state.xid = static_cast<std::int64_t>(number_between(name, member, 0, 1e6));
    } else if (name == "seconds") {
      double seconds = number_between(name, member, 0.001, kMaxStepSeconds);
      step.lasts = base::Duration(static_cast<std::int64_t>(seconds * 1000));
    } else if (name == "healthy" && member.is_bool()) {
      step.state.healthy = member.get_bool();
    } else if (name == "trouble" && member.is_string()) {
      step.state.trouble = member.get_string().c_str();
    } else {
      reject(fmt::format("{}: unknown member, or wrong type", name));
    }
  }
  if (!step.state.healthy && step.state.trouble.empty()) step.state.trouble = "marked as unhealthy in gpus.json";
  if (step.state.healthy) step.state.trouble.clear();
  return step;
}

std::vector<FakeStep> parse_steps(const json::value& value) {
  if (!value.is_array()) return {parse_step(value)};
  const json::array& list = value.get_array();
  if (list.empty() || list.size() > kMaxSteps) reject(fmt::format("a list must have 1 to {} steps", kMaxSteps));
  std::vector<FakeStep> steps;
  for (const json::value& step : list) steps.push_back(parse_step(step));
  return steps;
}

std::string read_bounded(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxScriptBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

base::Result<FakeSteps> parse_fake_script(const std::string& text) {
  FakeSteps steps;
  if (text.empty()) return steps;
  if (text.size() > kMaxScriptBytes) return base::Error{fmt::format("longer than {} bytes", kMaxScriptBytes)};
  try {
    json::value root = json::parse(text);
    if (!root.is_object()) reject("expected an object with a member for each GPU");
    for (const auto& [gpu, value] : root.get_object()) steps[std::string(gpu)] = parse_steps(value);
  } catch (const std::exception& error) {
    return base::Error{error.what()};
  }
  return steps;
}

// Reads the whole file each time: it is small, and stat() cannot distinguish two writes within a tick.
void FakeScript::refresh(base::Time now) {
  std::string text = read_bounded(file_);
  if (text == text_) return;
  text_ = text;
  base::Result<FakeSteps> parsed = parse_fake_script(text);
  if (!parsed) {
    base::log_warn("invalid script of simulated GPUs was ignored",
                   {{"file", file_.string()}, {"error", parsed.error()}});
    return;
  }
  steps_ = std::move(*parsed);
  read_at_ = now;
}

FakeState FakeScript::state(int index, const std::string& id, base::Time now) const {
  auto found = steps_.find(id);
  if (found == steps_.end()) found = steps_.find(std::to_string(index));
  if (found == steps_.end()) return {};
  base::Duration whole{0};
  for (const FakeStep& step : found->second) whole += step.lasts;
  base::Duration at = std::max(now - read_at_, base::Duration(0)) % whole;
  for (const FakeStep& step : found->second) {
    if (at < step.lasts) return step.state;
    at -= step.lasts;
  }
  return found->second.back().state;
}

}  // namespace agent::gpu
