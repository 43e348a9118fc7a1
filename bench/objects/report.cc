// SPDX-License-Identifier: Apache-2.0
#include "objects/report.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <fstream>

namespace bench {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * 1024;
constexpr int kManyConnections = 64;
constexpr double kPutTarget = 0.8, kGetTarget = 0.7, kSmallPutTarget = 3, kListingTarget = 1.25;
constexpr double kMemoryTargetMiB = 64;

double in_mib(std::uint64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(kMiB); }
double mib_rate(const Cell& cell) { return cell.measured.done_rate() * in_mib(cell.size); }
double growth_mib(const Huge& huge) { return in_mib(huge.after_out) - in_mib(huge.before); }
double ms(Seconds time) { return time.count() * 1e3; }

// The CPU time of a request: the server's, or the program's own if there is no server.
double cost_us(const Cell& cell) {
  const Measured& measured = cell.measured;
  return cell.subject == "files" ? measured.own_cpu * 1e6 / measured.request_rate() : measured.server_us();
}

double by_rate(const Cell& ours, const Cell& theirs) { return ours.measured.done_rate() / theirs.measured.done_rate(); }
double by_cost(const Cell& ours, const Cell& theirs) { return cost_us(theirs) / cost_us(ours); }

boost::json::object to_json(const Cell& cell) {
  const Measured& measured = cell.measured;
  return {{"subject", cell.subject},
          {"work", cell.work},
          {"size", cell.size},
          {"connections", cell.connections},
          {"seconds", measured.outcome.elapsed.count()},
          {"done", measured.outcome.done},
          {"done_per_second", measured.done_rate()},
          {"p50_ms", bench::ms(measured.outcome.latency.quantile(0.5))},
          {"p99_ms", bench::ms(measured.outcome.latency.quantile(0.99))},
          {"generator_cores", measured.own_cpu},
          {"server_cores", measured.server_cpu}};
}

boost::json::object to_json(const Listing& listing) {
  boost::json::array pages;
  for (Seconds page : listing.pages) pages.push_back(ms(page));
  return {{"keys", listing.keys}, {"fill_per_second", listing.fill_rate}, {"page_ms", std::move(pages)}};
}

boost::json::object to_json(const Huge& huge) {
  return {{"bytes", huge.bytes},
          {"peak_before", huge.before},
          {"peak_after_in", huge.after_in},
          {"peak_after_out", huge.after_out},
          {"in_seconds", huge.in.count()},
          {"out_seconds", huge.out.count()}};
}

}  // namespace

Seconds Listing::median(std::size_t begin, std::size_t end) const {
  std::vector<Seconds> some(pages.begin() + static_cast<std::ptrdiff_t>(begin),
                            pages.begin() + static_cast<std::ptrdiff_t>(end));
  if (some.empty()) return Seconds(0);
  std::ranges::sort(some);
  return some[some.size() / 2];
}

double Listing::last_of_first() const {
  const std::size_t tenth = std::max<std::size_t>(pages.size() / 10, 1);
  return median(pages.size() - tenth, pages.size()) / median(0, tenth);
}

std::string size_text(std::uint64_t bytes) {
  return bytes % kMiB == 0 ? std::to_string(bytes / kMiB) + " MiB" : std::to_string(bytes / kKiB) + " KiB";
}

void Report::heading() const {
  std::printf("%-7s %-4s %-7s %5s %10s %9s %9s %9s %6s %7s %8s\n", "", "", "", "conns", "requests/s", "MiB/s", "p50 ms",
              "p99 ms", "load", "server", "us/req");
}

void Report::print_cells(const std::string& work, std::uint64_t size) const {
  for (const Place& place : places()) {
    if (place.work != work || place.size != size) continue;
    const Cell& cell = *find(place);
    const Measured& measured = cell.measured;
    std::printf("%-7s %-4s %-7s %5d %10.1f %9.1f %9.3f %9.3f %6.2f %7.2f %8.1f\n", cell.subject.c_str(),
                cell.work.c_str(), size_text(cell.size).c_str(), cell.connections, measured.done_rate(), mib_rate(cell),
                bench::ms(measured.outcome.latency.quantile(0.5)), bench::ms(measured.outcome.latency.quantile(0.99)),
                measured.own_cpu, measured.server_cpu, cost_us(cell));
  }
  std::fflush(stdout);
}

void Report::add(const Listing& listing) {
  listing_ = listing;
  std::printf(
      "\n%llu keys were put at %.0f/s, and listed in %zu pages. A page took %.2f ms at first, %.2f ms in the median,\n"
      "%.2f ms at last; the last tenth of them %.2f times as long as the first (medians).\n",
      static_cast<unsigned long long>(listing.keys), listing.fill_rate, listing.pages.size(), ms(listing.pages.front()),
      ms(listing.median(0, listing.pages.size())), ms(listing.pages.back()), listing.last_of_first());
  std::fflush(stdout);
}

void Report::add(const Huge& huge) {
  huge_ = huge;
  std::printf(
      "\nAn object of %.0f MiB went in by parts at %.0f MiB/s and out at %.0f MiB/s. The server's peak of memory was\n"
      "%.1f MiB before, %.1f MiB after it was in, %.1f MiB after it was out.\n",
      in_mib(huge.bytes), in_mib(huge.bytes) / huge.in.count(), in_mib(huge.bytes) / huge.out.count(),
      in_mib(huge.before), in_mib(huge.after_in), in_mib(huge.after_out));
  std::fflush(stdout);
}

void Report::note(const std::string& line) {
  notes_.push_back(line);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::vector<const Cell*> Report::rounds(const Place& place) const {
  std::vector<const Cell*> found;
  for (const Cell& cell : cells_) {
    if (cell.subject == place.subject && cell.work == place.work && cell.size == place.size &&
        cell.connections == place.connections) {
      found.push_back(&cell);
    }
  }
  return found;
}

const Cell* Report::find(const Place& place) const {
  std::vector<const Cell*> found = rounds(place);
  if (found.empty()) return nullptr;
  std::ranges::sort(found, {}, [](const Cell* cell) { return cell->measured.done_rate(); });
  return found[found.size() / 2];
}

std::optional<double> Report::ratio(const Place& ours, const Place& theirs, Worth worth) const {
  const std::vector<const Cell*> our_rounds = rounds(ours), their_rounds = rounds(theirs);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(our_rounds.size(), their_rounds.size()); ++i) {
    ratios.push_back(worth(*our_rounds[i], *their_rounds[i]));
  }
  if (ratios.empty()) return std::nullopt;
  std::ranges::sort(ratios);
  return ratios[ratios.size() / 2];
}

std::optional<double> Report::ratio(const Place& other, Worth worth) const {
  return ratio({"stoker", other.work, other.size, other.connections}, other, worth);
}

std::vector<Report::Place> Report::places() const {
  std::vector<Place> all;
  for (const Cell& cell : cells_) {
    const bool known = std::ranges::any_of(all, [&](const Place& place) {
      return place.subject == cell.subject && place.work == cell.work && place.size == cell.size &&
             place.connections == cell.connections;
    });
    if (!known) all.push_back({cell.subject, cell.work, cell.size, cell.connections});
  }
  return all;
}

void Report::print_summary() const {
  print_ratios();
  print_targets();
}

void Report::print_ratios() const {
  std::printf("\nStoker's rate divided by that of others, and their time of the processor for a request by Stoker's\n");
  for (const Place& place : places()) {
    if (place.subject == "stoker") continue;
    std::printf("  %-6s %-4s %-7s %5d %8.2f %8.2f\n", place.subject.c_str(), place.work.c_str(),
                size_text(place.size).c_str(), place.connections, ratio(place, by_rate).value_or(0),
                ratio(place, by_cost).value_or(0));
  }
}

void Report::print_ratio_targets(const Place& other, double target) const {
  for (const Place& place : places()) {
    if (place.subject != other.subject || place.work != other.work || place.size != other.size) continue;
    const double got = ratio(place, by_rate).value_or(0);
    const std::string what = place.work + " of " + size_text(place.size) + " at " + std::to_string(place.connections) +
                             " connections, of " + place.subject;
    print_target(what, text(">= %.1f", target), text("%.2f", got), got >= target);
  }
}

void Report::print_targets() const {
  std::printf("\nTargets, on two cores\n");
  print_ratio_targets({"files", "put", kMiB, 0}, kPutTarget);
  const auto small =
      ratio({"stoker", "put", 4 * kKiB, kManyConnections}, {"files", "put", 4 * kKiB, 1}, by_rate);
  if (small) {
    print_target("put of 4 KiB at 64 connections, of one stream of files", text(">= %.1f", kSmallPutTarget),
                 text("%.2f", *small), *small >= kSmallPutTarget);
  }
  print_ratio_targets({"nginx", "get", kMiB, 0}, kGetTarget);
  if (listing_) {
    const double got = listing_->last_of_first();
    print_target("the last tenth of a listing's pages, of the first", text("<= %.2f", kListingTarget),
                 text("%.2f", got), got <= kListingTarget);
  }
  if (huge_) {
    print_target("memory for " + size_text(huge_->bytes) + " in and out, MiB", text("< %.0f", kMemoryTargetMiB),
                 text("%.1f", growth_mib(*huge_)), growth_mib(*huge_) < kMemoryTargetMiB);
  }
}

void Report::write_json(const std::string& file) const {
  boost::json::array cells, notes(notes_.begin(), notes_.end());
  for (const Cell& cell : cells_) cells.push_back(to_json(cell));
  boost::json::object all = {{"cells", std::move(cells)}, {"notes", std::move(notes)}};
  if (listing_) all["listing"] = to_json(*listing_);
  if (huge_) all["huge"] = to_json(*huge_);
  std::ofstream(file) << boost::json::serialize(all) << "\n";
}

}  // namespace bench
