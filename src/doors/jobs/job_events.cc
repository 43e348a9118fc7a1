// SPDX-License-Identifier: Apache-2.0
// Server-sent events: changes of a job, or of all jobs of a pipeline. The id of an event is the number of the change, so
// that a client continues where it was.
#include "doors/jobs/door_request.h"
#include "doors/jobs/problem.h"
#include "wire/error.h"

namespace doors::jobs {
namespace asio = boost::asio;
namespace pipelines = services::pipelines;

struct JobsDoor::Stream {
  std::string topic;
  std::int64_t after = 0;  // the last change that the client has
  bool ends = false;       // with what was read last
  bool more = false;       // there is more to read at once
};

namespace {

constexpr std::int64_t kEventsPerRead = 100;
// A quarter of the server's connections: listeners can't take those of everybody else.
constexpr int kMaxStreams = 1024;

// One of the open streams, counted until its end.
class StreamPlace {
 public:
  explicit StreamPlace(std::atomic<int>& open) : open_(open) {
    if (++open_ <= kMaxStreams) return;
    --open_;
    Problem problem(503, "The server has " + std::to_string(kMaxStreams) + " listeners, the most it allows: try again later.");
    problem.headers.add("Retry-After", "15");
    throw problem;
  }
  ~StreamPlace() { --open_; }
  StreamPlace(const StreamPlace&) = delete;
  StreamPlace& operator=(const StreamPlace&) = delete;

 private:
  std::atomic<int>& open_;
};

void append_event(store::Tx& tx, const pipelines::Pipeline& pipeline, const pipelines::Job& job, std::string& out) {
  out += "id: " + std::to_string(job.change) + "\nevent: job\ndata: " + pipelines::job_document(tx, pipeline, job) +
         "\n\n";
}

}  // namespace

asio::awaitable<JobsDoor::Stream> JobsDoor::open_stream(Request& request) {
  const auto last = last_event_id(request.exchange.head().headers);
  Stream stream;
  api::Engine::Work work = [&](services::Call& call) {
    if (request.route.action == Action::JobEvents) {
      const pipelines::FoundJob found = find(call, request);
      stream.topic = pipelines::job_topic(found.job.number);
      stream.after = last.value_or(0);
      return;
    }
    const auto pipeline =
        pipelines::pipeline_in(call.tx, request.credentials.scope(call.tx), request.route.pipeline);
    stream.topic = pipelines::pipeline_topic(pipeline.number);
    stream.after = last.value_or(pipelines::count_jobs(call.tx, pipeline.number).changes);
  };
  co_await read(request, std::move(work));
  co_return stream;
}

// Throws where the key, the pipeline or the job was deleted meanwhile.
asio::awaitable<std::string> JobsDoor::next_events(Request& request, Stream& stream) {
  std::string events;
  std::int64_t after = stream.after;
  api::Engine::Work work = [&](services::Call& call) {
    events.clear();
    after = stream.after;
    if (request.route.action == Action::JobEvents) {
      const pipelines::FoundJob found = find(call, request);
      stream.ends = pipelines::is_over(found.job.status);
      if (found.job.change <= after) return;
      after = found.job.change;
      return append_event(call.tx, found.pipeline, found.job, events);
    }
    const auto pipeline =
        pipelines::pipeline_in(call.tx, request.credentials.scope(call.tx), request.route.pipeline);
    const std::int64_t lot = pipelines::find_lot(call.tx, pipeline.number);
    const auto changed = pipelines::list_changed_jobs(call.tx, lot, after, kEventsPerRead);
    stream.more = changed.size() == static_cast<std::size_t>(kEventsPerRead);
    for (const pipelines::Job& job : changed) append_event(call.tx, pipeline, job, events);
    if (!changed.empty()) after = changed.back().change;
  };
  co_await setup_.engine.run(services::Access::Read, request.credentials.caller(), std::move(work));
  stream.after = after;
  co_return events;
}

asio::awaitable<http::Response> JobsDoor::events(Request& request) {
  Stream stream = co_await open_stream(request);
  const StreamPlace place(streams_);
  http::Response head{200,
                      {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}},
                      "retry: 1000\n\n"};
  co_await request.exchange.start(std::move(head));
  base::Time written = setup_.engine.clock().now();
  while (!setup_.engine.draining()) {
    const std::uint64_t seen = setup_.engine.topics().seen();
    std::string events;
    try {
      events = co_await next_events(request, stream);
    } catch (const Problem&) {
      break;
    } catch (const wire::ApiError&) {
      break;
    }
    const base::Time now = setup_.engine.clock().now();
    if (events.empty() && now - written >= setup_.keep_alive) events = ":\n\n";
    if (!events.empty()) {
      written = now;
      co_await request.exchange.write_piece(std::move(events));
    }
    if (stream.ends) break;
    if (stream.more) continue;
    co_await setup_.engine.topics().wait(stream.topic, seen, setup_.keep_alive);
    if (request.exchange.peer_gone()) break;
  }
  co_return http::Response{};
}

}  // namespace doors::jobs
