// SPDX-License-Identifier: Apache-2.0
// stoker submit: sends files as jobs; with --wait also waits for their results and writes them to files.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <ostream>
#include <thread>

#include "base/random.h"
#include "cli/commands.h"
#include "cli/job_client.h"
#include "cli/submit_inputs.h"
#include "cli/submit_progress.h"
#include "cli/table.h"
#include "cli/terminal_text.h"

namespace cli {
namespace {

constexpr std::size_t kUploads = 8;  // at the same time
constexpr std::size_t kWaits = 16;
constexpr auto kWait = std::chrono::seconds(20);  // of one request; then others get their turn
constexpr auto kShortestWait = std::chrono::milliseconds(200);
constexpr auto kRetryDelay = std::chrono::milliseconds(500);
constexpr int kMaxSubmitFailures = 60;  // consecutive, of one job: a server may restart meanwhile
constexpr std::size_t kShownFailures = 50;
constexpr std::size_t kFileColumns = 24, kErrorColumns = 52;

struct FailedInput {
  std::string name, status, error;
};

struct Waiting {
  std::size_t input = 0;
  std::string job;
  int failures = 0;
};

class Submitter {
 public:
  Submitter(const Options& options, const SubmitArguments& arguments, std::vector<SubmitInput> inputs,
            SubmitProgress& progress)
      : options_(options), arguments_(arguments), inputs_(std::move(inputs)), progress_(progress), client_(options) {
    counts_.files = inputs_.size();
    counts_.waits = arguments.wait;
  }

  void check_pipeline(std::ostream& err) {
    const PipelineSummary summary = client_.pipeline(arguments_.pipeline);
    if (!summary.paused.value_or(false)) return;
    err << "stoker: " << terminal_text(arguments_.pipeline) << " is paused: its jobs wait for `stoker pipeline resume "
        << terminal_text(arguments_.pipeline) << "`" << std::endl;
  }

  void run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < std::min(kUploads, inputs_.size()); ++i) threads.emplace_back([this] { upload_all(); });
    if (arguments_.wait) {
      for (std::size_t i = 0; i < std::min(kWaits, inputs_.size()); ++i) threads.emplace_back([this] { await_all(); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  // After run().
  const SubmitCounts& counts() const { return counts_; }
  const std::vector<FailedInput>& failures() const { return failures_; }

 private:
  void upload_all() {
    for (std::size_t i; (i = next_input_++) < inputs_.size();) {
      try {
        uploaded(i, upload(inputs_[i]));
      } catch (const std::exception& error) {
        failed(i, "not sent", error.what());
      }
    }
  }

  JobReply upload(const SubmitInput& input) {
    OpenInput opened = open_input(input, arguments_.standard_input);
    const NewJob job{arguments_.pipeline,  arguments_.id.value_or(base::random_uuid()),
                     input.name,           std::move(opened.file),
                     std::move(opened.sha256), arguments_.metadata,
                     arguments_.priority,  arguments_.webhook};
    for (int failures = 0;;) {
      try {
        return client_.create(job);
      } catch (const JobApiError& error) {
        if (!error.is_temporary() || ++failures >= kMaxSubmitFailures) throw;
      } catch (const std::runtime_error&) {  // no reply; the id makes it safe to send the same job again
        if (++failures >= kMaxSubmitFailures) throw;
      }
      pause(kRetryDelay);
    }
  }

  void uploaded(std::size_t input, const JobReply& reply) {
    if (!arguments_.wait) {
      progress_.print(options_.json ? reply.text
                                    : terminal_text(reply.job.task_id) + "  " + terminal_text(inputs_[input].path));
    }
    count([&] {
      ++counts_.sent;
      if (arguments_.wait) waiting_.push_back({input, reply.job.task_id});
    });
  }

  void failed(std::size_t input, const std::string& status, const std::string& error) {
    if (!options_.json && arguments_.wait && !arguments_.progress_bar) {
      progress_.print(status + "  " + terminal_text(inputs_[input].path) + ": " + terminal_text(error));
    }
    count([&] {
      ++counts_.failed;
      failures_.push_back({inputs_[input].path, status, error});
    });
  }

  void succeeded(std::size_t input) {
    if (!options_.json && !arguments_.progress_bar) {
      progress_.print("SUCCEEDED  " + terminal_text(inputs_[input].path) + "  " + terminal_text(inputs_[input].output));
    }
    count([&] { ++counts_.succeeded; });
  }

  // Changes what mutex_ protects, and shows the new counts.
  template <class Fn>
  void count(Fn&& change) {
    SubmitCounts counts;
    {
      std::lock_guard lock(mutex_);
      change();
      counts = counts_;
    }
    changed_.notify_all();
    progress_.show(counts);
  }

  // The next job to wait for; none when all are over.
  std::optional<Waiting> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !waiting_.empty() || counts_.finished() == counts_.files; });
    if (waiting_.empty()) return std::nullopt;
    Waiting one = std::move(waiting_.front());
    waiting_.pop_front();
    return one;
  }

  void put_back(Waiting one) {
    std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(one));
    changed_.notify_one();
  }

  void await_all() {
    while (auto one = take()) {
      try {
        await(std::move(*one));
      } catch (const std::exception& error) {
        failed(one->input, "UNKNOWN", error.what());
      }
    }
  }

  void await(Waiting one) {
    const auto began = std::chrono::steady_clock::now();
    std::optional<JobReply> reply;
    try {
      reply = client_.job({one.job, arguments_.pipeline}, kWait);
      if (reply->job.status == "SUCCEEDED") write_result(inputs_[one.input], one.job);
    } catch (const JobApiError& error) {
      if (!error.is_temporary() || ++one.failures >= kMaxSubmitFailures) throw;
      reply.reset();
    } catch (const std::filesystem::filesystem_error&) {
      throw;
    } catch (const std::runtime_error&) {
      if (++one.failures >= kMaxSubmitFailures) throw;
      reply.reset();
    }
    if (reply && reply->job.is_over()) return finish(one, *reply);
    if (reply) one.failures = 0;
    // Not a busy loop if the server does not wait.
    if (!reply || std::chrono::steady_clock::now() - began < kShortestWait) pause(reply ? kShortestWait : kRetryDelay);
    put_back(std::move(one));
  }

  void finish(const Waiting& one, const JobReply& reply) {
    if (options_.json) progress_.print(reply.text);
    if (reply.job.status == "SUCCEEDED") return succeeded(one.input);
    const JobError error = reply.job.error.value_or(JobError{});
    std::string text = error.message.value_or(reply.job.status == "CANCELLED" ? "cancelled" : "no reason given");
    if (error.type) text = *error.type + ": " + text;
    failed(one.input, reply.job.status, text);
  }

  // A result that is there is complete.
  void write_result(const SubmitInput& input, const std::string& job) {
    const std::string incomplete = input.output + ".part";
    std::ofstream file(incomplete, std::ios::binary | std::ios::trunc);
    if (file) client_.read_result({job, arguments_.pipeline}, [&](std::string_view piece) { file << piece; });
    file.close();
    std::error_code error = file ? std::error_code() : std::make_error_code(std::errc::io_error);
    if (!error) std::filesystem::rename(incomplete, input.output, error);
    if (!error) return;
    std::error_code ignored;
    std::filesystem::remove(incomplete, ignored);
    throw std::filesystem::filesystem_error("cannot write the result", input.output, error);
  }

  void pause(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    never_.wait_for(lock, time);
  }

  const Options& options_;
  const SubmitArguments& arguments_;
  const std::vector<SubmitInput> inputs_;
  SubmitProgress& progress_;
  JobClient client_;
  std::atomic<std::size_t> next_input_ = 0;
  std::mutex mutex_;  // protects all below
  std::condition_variable changed_, never_;
  std::deque<Waiting> waiting_;
  SubmitCounts counts_;
  std::vector<FailedInput> failures_;
};

void print_failures(std::ostream& err, const std::vector<FailedInput>& failures) {
  std::vector<std::vector<std::string>> rows{{"FILE", "STATUS", "ERROR"}};
  for (std::size_t i = 0; i < std::min(failures.size(), kShownFailures); ++i) {
    const FailedInput& one = failures[i];
    rows.push_back({cut(one.name, kFileColumns), one.status, cut(one.error, kErrorColumns - one.status.size())});
  }
  print_table(err, rows);
  if (failures.size() > kShownFailures) err << "... and " << failures.size() - kShownFailures << " more\n";
}

}  // namespace

int submit(const Options& options, const SubmitArguments& arguments, std::ostream& out, std::ostream& err) {
  std::vector<SubmitInput> inputs = check_inputs(arguments);
  SubmitProgress progress(arguments.pipeline, arguments.progress_bar, out, err);
  Submitter submitter(options, arguments, std::move(inputs), progress);
  submitter.check_pipeline(err);
  if (arguments.wait) std::filesystem::create_directories(arguments.output);
  submitter.run();
  progress.clear();
  err << summary_line(submitter.counts(), progress.elapsed());
  if (arguments.wait && submitter.counts().succeeded > 0) err << "; results in " << terminal_text(arguments.output);
  err << std::endl;
  if (submitter.failures().empty()) return 0;
  print_failures(err, submitter.failures());
  return 1;
}

}  // namespace cli
