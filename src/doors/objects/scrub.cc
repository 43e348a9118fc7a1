// SPDX-License-Identifier: Apache-2.0
#include "doors/objects/scrub.h"

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <filesystem>

#include "objects/verify.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace doors::objects {
namespace asio = boost::asio;
using services::s3::StoredRun;
using shapes::stoker::ScrubFinding;
using shapes::stoker::ScrubLine;

namespace {

constexpr std::int64_t kRunsAtOnce = 50;  // small ones include their bytes
// A line at least this often shows the client that the scrub continues, and us that the client still reads.
constexpr base::Duration kProgressEvery = std::chrono::seconds(5);

const char* problem_of(::objects::Verdict::Kind kind) {
  switch (kind) {
    case ::objects::Verdict::Missing: return "MISSING";
    case ::objects::Verdict::Short: return "SHORT";
    case ::objects::Verdict::Long: return "LONG";
    case ::objects::Verdict::Unreadable: return "UNREADABLE";
    default: return "DAMAGED";
  }
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

ScrubFinding finding_of(const StoredRun& run, const ::objects::Verdict& verdict) {
  ScrubFinding finding{.problem = problem_of(verdict.kind), .detail = verdict.detail};
  finding.bucket = run.bucket;
  finding.key = run.key;
  finding.versionId = unless_empty(run.version);
  finding.uploadId = unless_empty(run.upload);
  if (run.part > 0) finding.part = run.part;
  if (run.bytes) finding.file = unless_empty(run.bytes->file);
  return finding;
}

}  // namespace

struct Scrub::Walk {
  http::Exchange& exchange;
  shapes::stoker::ScrubCounts counts = {};
  base::Time reported_at = {};

  asio::awaitable<void> write(ScrubLine line) {
    std::string text;
    wire::write_json(wire::type_of<ScrubLine>(), &line, text);
    text += '\n';
    return exchange.write_piece(std::move(text));
  }
};

asio::awaitable<http::Response> Scrub::serve(http::Exchange& exchange, services::Caller caller) {
  if (!caller.root) throw wire::ApiError("AccessDeniedException", "Only the root key may read all objects.");
  // A deleted file remains readable for this process, and is lost when it ends.
  if (!database_.empty() && !std::filesystem::exists(database_)) {
    throw wire::ApiError("InternalFailure", "The database " + database_ + " was deleted while the server runs, and is lost "
                                            "when it ends: copy it from /proc/PID/fd, or restore a backup.", 500);
  }
  Walk walk{exchange};
  walk.reported_at = engine_.clock().now();
  http::Response head{200, {{"Content-Type", "application/x-ndjson"}}, ""};
  co_await exchange.start(std::move(head));
  co_await check_runs(walk);
  co_await find_unnamed(walk);
  ScrubLine last;
  last.done = walk.counts;
  co_await walk.write(std::move(last));
  co_return http::Response{};
}

asio::awaitable<void> Scrub::check_runs(Walk& walk) {
  services::s3::RunPosition place;
  services::Caller nobody;
  while (place.table != services::s3::RunPosition::Done) {
    std::vector<StoredRun> runs;
    const services::s3::RunPosition before = place;
    api::Engine::Work look = [&](services::Call& call) {
      place = before;
      runs = services::s3::next_runs(call.tx, place, kRunsAtOnce);
    };
    co_await engine_.run(services::Access::Read, nobody, std::move(look));
    for (const StoredRun& run : runs) {
      co_await check_run(walk, run);
      co_await show_progress(walk);
    }
  }
}

asio::awaitable<void> Scrub::check_run(Walk& walk, const StoredRun& run) {
  ::objects::Verdict verdict;
  ::objects::Expected expected{static_cast<std::uint64_t>(run.size), services::s3::digests_of(run)};
  if (!run.bytes) {
    verdict = {::objects::Verdict::Missing, "the row of its bytes is not there"};
  } else if (run.bytes->file.empty()) {
    verdict = ::objects::verify_bytes(run.bytes->bytes, expected);
  } else {
    verdict = co_await ::objects::verify_file(files_, disk_, run.bytes->file, std::move(expected));
  }
  ++walk.counts.checked;
  walk.counts.bytes += run.size;
  if (verdict.kind == ::objects::Verdict::Whole) co_return;
  bool used = false;
  services::Caller nobody;
  api::Engine::Work look = [&](services::Call& call) { used = services::s3::is_used(call.tx, run); };
  co_await engine_.run(services::Access::Read, nobody, std::move(look));
  if (!used) co_return;
  ++walk.counts.bad;
  co_await report(walk, finding_of(run, verdict));
}

// A row exists before its file is in place, and longer than the file. So a file that no row names at the lookup, and
// that still exists then, is unused.
asio::awaitable<void> Scrub::find_unnamed(Walk& walk) {
  services::Caller nobody;
  for (int folder = 0; folder < ::objects::Files::kFolders; ++folder) {
    std::vector<std::string> names, named, left;
    ::objects::DiskThreads::Work list = [&] { names = files_.names(folder); };
    co_await disk_.run(std::move(list));
    api::Engine::Work look = [&](services::Call& call) { named = services::s3::named_files(call.tx, names); };
    co_await engine_.run(services::Access::Read, nobody, std::move(look));
    std::sort(names.begin(), names.end());
    std::sort(named.begin(), named.end());
    std::set_difference(names.begin(), names.end(), named.begin(), named.end(), std::back_inserter(left));
    ::objects::DiskThreads::Work open = [&] {
      std::erase_if(left, [&](const std::string& name) { return !files_.open(name); });
    };
    co_await disk_.run(std::move(open));
    for (const std::string& name : left) {
      ++walk.counts.unnamed;
      ScrubFinding finding{.problem = "UNNAMED", .detail = "no row names it"};
      finding.file = name;
      co_await report(walk, std::move(finding));
    }
    co_await show_progress(walk);
  }
}

asio::awaitable<void> Scrub::report(Walk& walk, ScrubFinding finding) {
  ScrubLine line;
  line.finding = std::move(finding);
  walk.reported_at = engine_.clock().now();
  co_await walk.write(std::move(line));
}

asio::awaitable<void> Scrub::show_progress(Walk& walk) {
  // A response that has begun cannot become an error: it is cut off.
  if (engine_.draining()) {
    throw boost::system::system_error(asio::error::make_error_code(asio::error::connection_aborted));
  }
  const base::Time now = engine_.clock().now();
  if (now - walk.reported_at < kProgressEvery) co_return;
  walk.reported_at = now;
  ScrubLine line;
  line.progress = walk.counts;
  co_await walk.write(std::move(line));
}

}  // namespace doors::objects
