// SPDX-License-Identifier: Apache-2.0
#include "cli/top_frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/job_rows.h"
#include "cli/names.h"
#include "cli/terminal_text.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

constexpr std::size_t kGap = 2;      // between columns
constexpr std::size_t kMeter = 10;   // the bar of a GPU's load
constexpr std::size_t kModelColumns = 8;
constexpr double kMiBPerGiB = 1024, kFirstWholeGiB = 100;
constexpr double kUnitsPerCore = 1024;

struct Column {
  std::string title;
  std::size_t width = 0;  // 0: a part of the rest, by weight
  bool right = false;
  std::size_t weight = 1;
};

struct Section {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

std::vector<std::size_t> widths_of(const std::vector<Column>& columns, std::size_t total) {
  std::size_t fixed = kGap * (columns.size() - 1), weights = 0;
  for (const Column& column : columns) {
    fixed += column.width;
    if (column.width == 0) weights += column.weight;
  }
  const std::size_t rest = total > fixed ? total - fixed : 0;
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    widths.push_back(column.width > 0 ? column.width : rest * column.weight / weights);
  }
  return widths;
}

std::string line_of(const Section& section, const std::vector<std::string>& cells, std::size_t columns) {
  const std::vector<std::size_t> widths = widths_of(section.columns, columns);
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += std::string(kGap, ' ');
    line += section.columns[i].right ? fit_right(cells[i], widths[i]) : fit_left(cells[i], widths[i]);
  }
  line = cut(line, columns);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

// "12.1/64.0 GiB", and "120/141 GiB", which would not fit its column otherwise.
std::string gib_of(std::int64_t used, std::int64_t total) {
  const double used_gib = static_cast<double>(used) / kMiBPerGiB, total_gib = static_cast<double>(total) / kMiBPerGiB;
  const int digits = total_gib < kFirstWholeGiB ? 1 : 0;
  return fmt::format("{:.{}f}/{:.{}f} GiB", used_gib, digits, total_gib, digits);
}

Section machine_section(const TopSnapshot& snapshot) {
  Section section{{{"MACHINE"}, {"STATE", 9}, {"TASKS", 7, true}, {"CPU", 11, true}, {"MEMORY", 15, true}, {"GPUS", 7, true}},
                  {}};
  for (const TopMachine& machine : snapshot.machines) {
    const std::string pending = machine.pending > 0 ? "+" + std::to_string(machine.pending) : "";
    section.rows.push_back({machine.name, machine.state, std::to_string(machine.tasks) + pending,
                            fmt::format("{:.1f}/{:.1f}", static_cast<double>(machine.cpu_used) / kUnitsPerCore,
                                        static_cast<double>(machine.cpu_total) / kUnitsPerCore),
                            gib_of(machine.memory_used_mib, machine.memory_total_mib),
                            machine.gpus_total > 0 ? fmt::format("{}/{}", machine.gpus_used, machine.gpus_total) : "-"});
  }
  return section;
}

// "[######    ]  61%"
std::string meter_of(const TopGpu& gpu) {
  if (!gpu.healthy) return "UNHEALTHY";
  if (!gpu.utilization_percent) return "?";
  const std::int64_t percent = std::clamp<std::int64_t>(*gpu.utilization_percent, 0, 100);
  const auto filled = static_cast<std::size_t>(percent * static_cast<std::int64_t>(kMeter) + 50) / 100;
  return fmt::format("[{}{}] {:>3}%", std::string(filled, '#'), std::string(kMeter - filled, ' '), percent);
}

// The word by which people know it: "NVIDIA H100 80GB HBM3" and "Tesla V100-SXM2-16GB" are H100 and V100.
std::string short_model(std::string_view model) {
  for (std::string_view maker : {"NVIDIA ", "Tesla ", "Quadro ", "GeForce "}) {
    if (model.starts_with(maker)) model.remove_prefix(maker.size());
  }
  const std::size_t first = model.find(' '), second = first == model.npos ? first : model.find(' ', first + 1);
  const std::string_view series = model.substr(0, first), both = model.substr(0, second);
  if (series == "RTX" || series == "GTX") {
    model = both.size() <= kModelColumns ? both : both.substr(std::min(first + 1, both.size()));
  } else {
    model = series.substr(0, series.find('-'));
  }
  return model.empty() ? "-" : std::string(model);
}

Section gpu_section(const TopSnapshot& snapshot) {
  Section section{{{"GPU"}, {"#", 2, true}, {"MODEL", kModelColumns}, {"LOAD", 17}, {"MEMORY", 13, true}, {"HELD BY", 0, false, 2}}, {}};
  for (const TopGpu& gpu : snapshot.gpus) {
    const std::string memory = gpu.memory_used_mib ? gib_of(*gpu.memory_used_mib, gpu.memory_total_mib)
                                                   : fmt::format("?/{:.1f} GiB", static_cast<double>(gpu.memory_total_mib) / kMiBPerGiB);
    section.rows.push_back({gpu.machine, std::to_string(gpu.index), short_model(gpu.model), meter_of(gpu), memory,
                            gpu.held_by.empty() ? "-" : gpu.held_by});
  }
  return section;
}

Section queue_section(const TopSnapshot& snapshot) {
  Section section{{{"QUEUE"}, {"VISIBLE", 10, true}, {"IN FLIGHT", 10, true}, {"DELAYED", 8, true}, {"OLDEST", 8, true}}, {}};
  for (const QueueCounts& queue : snapshot.queues) {
    const bool has_age = queue.visible > 0 && queue.oldest_seconds;
    section.rows.push_back({queue.name, std::to_string(queue.visible), std::to_string(queue.in_flight),
                            std::to_string(queue.delayed),
                            has_age ? brief_duration(std::chrono::seconds(*queue.oldest_seconds)) : "-"});
  }
  return section;
}

std::string rate_text(const std::optional<double>& rate) { return rate ? fmt::format("{:.1f}", *rate) : "-"; }

Section pipeline_section(const TopSnapshot& snapshot) {
  Section section{{{"PIPELINE"}, {"QUEUED", 8, true}, {"RUNNING", 8, true}, {"DONE", 9, true}, {"FAILED", 7, true},
                   {"WORKERS", 8, true}, {"ITEMS/S", 8, true}},
                  {}};
  for (const TopPipeline& pipeline : snapshot.pipelines) {
    section.rows.push_back({pipeline.name, std::to_string(pipeline.queued), std::to_string(pipeline.running),
                            std::to_string(pipeline.succeeded), std::to_string(pipeline.failed),
                            pipeline.paused ? "paused" : fmt::format("{}/{}", pipeline.workers, pipeline.max),
                            rate_text(pipeline.items_per_second)});
  }
  return section;
}

// "127.0.0.1:4566  cluster default  2 machines  8 GPUs, 5 held, load 61%  41.2 items/s  12:00:05 UTC"
std::string title_of(const TopSnapshot& snapshot, std::size_t columns) {
  std::int64_t load = 0, measured = 0, held = 0;
  for (const TopGpu& gpu : snapshot.gpus) {
    held += !gpu.held_by.empty();
    if (!gpu.utilization_percent) continue;
    load += *gpu.utilization_percent;
    ++measured;
  }
  double rate = 0;
  for (const TopPipeline& pipeline : snapshot.pipelines) rate += pipeline.items_per_second.value_or(0);
  std::string left = fmt::format("{}  {}  {} {}", snapshot.endpoint, snapshot.cluster, snapshot.machines.size(),
                                 snapshot.machines.size() == 1 ? "machine" : "machines");
  if (!snapshot.gpus.empty()) left += fmt::format("  GPUs {}/{} held", held, snapshot.gpus.size());
  if (measured > 0) left += fmt::format(", {}%", load / measured);
  const std::string clock = wire::to_iso8601(snapshot.now).substr(11, 8);
  const std::string right = fmt::format("{:.1f} items/s  {}Z", rate, clock);
  if (columns <= right.size() + kGap) return cut(right, columns);
  return fit_left(left, columns - right.size() - kGap) + std::string(kGap, ' ') + right;
}

// How many rows of each section are shown: one for each in turn, as long as there is space.
std::vector<std::size_t> share_rows(const std::vector<Section>& sections, std::size_t space) {
  std::vector<std::size_t> shown(sections.size(), 0);
  for (bool more = true; more && space > 0;) {
    more = false;
    for (std::size_t i = 0; i < sections.size() && space > 0; ++i) {
      if (shown[i] == sections[i].rows.size()) continue;
      ++shown[i];
      --space;
      more = true;
    }
  }
  return shown;
}

void add_section(const Section& section, std::size_t shown, std::size_t columns, std::vector<FrameLine>& lines) {
  std::vector<std::string> titles;
  for (const Column& column : section.columns) titles.push_back(column.title);
  lines.push_back({line_of(section, titles, columns), true});
  const bool all = shown == section.rows.size();
  for (std::size_t i = 0; i + (all ? 0 : 1) < shown; ++i) lines.push_back({line_of(section, section.rows[i], columns)});
  if (all) return;
  const std::size_t missing = section.rows.size() - (shown > 0 ? shown - 1 : 0);
  if (shown > 0) lines.push_back({cut(fmt::format("... and {} more", missing), columns)});
}

}  // namespace

std::vector<FrameLine> make_frame(const TopSnapshot& snapshot, const FrameSize& size) {
  std::vector<Section> sections;
  for (Section section : {machine_section(snapshot), gpu_section(snapshot), queue_section(snapshot), pipeline_section(snapshot)}) {
    if (!section.rows.empty()) sections.push_back(std::move(section));
  }
  std::vector<FrameLine> lines{{title_of(snapshot, size.columns)}};
  const std::size_t others = 1 + sections.size() + (snapshot.trouble.empty() ? 0 : 1);
  const std::vector<std::size_t> shown = share_rows(sections, size.rows > others ? size.rows - others : 0);
  for (std::size_t i = 0; i < sections.size(); ++i) add_section(sections[i], shown[i], size.columns, lines);
  if (sections.empty() && snapshot.trouble.empty()) lines.push_back({cut("no machines, queues or pipelines yet", size.columns)});
  if (!snapshot.trouble.empty()) lines.push_back({cut("! " + snapshot.trouble, size.columns)});
  if (lines.size() > size.rows) lines.resize(size.rows);
  return lines;
}

}  // namespace cli
