// SPDX-License-Identifier: Apache-2.0
#include "agent/metrics/metrics_endpoint.h"

#include <algorithm>
#include <fstream>

#include "agent/metrics/dcgm_page.h"
#include "base/log.h"

namespace agent {
namespace {

namespace asio = boost::asio;

constexpr base::Duration kReadEvery = std::chrono::seconds(1);
constexpr std::size_t kMaxReaders = 64;  // connections

// "arn:aws:ecs:region:account:task/cluster/id"
GpuUser to_user(const Ledger::Holder& holder) {
  const std::string& arn = holder.task_arn;
  GpuUser user{.container = holder.container};
  const std::size_t last = arn.rfind('/');
  if (last == arn.npos) return user;
  user.task_id = arn.substr(last + 1);
  const std::size_t first = arn.find('/');
  if (first < last) user.cluster = arn.substr(first + 1, last - first - 1);
  return user;
}

std::string version_of(const std::string& driver) {
  constexpr std::string_view kVendor = "NVIDIA ";
  return driver.starts_with(kVendor) ? driver.substr(kVendor.size()) : driver;
}

asio::awaitable<http::Response> serve(MetricsEndpoint* endpoint, http::Exchange& exchange) {
  co_return endpoint->answer(exchange.head());
}

}  // namespace

void MetricsEndpoint::listen(http::IoThreads& io) {
  if (settings_.address.empty()) return;
  http::Limits limits;
  limits.connections.all = kMaxReaders;
  auto server = std::make_unique<http::Server>(io, std::bind_front(&serve, this), limits);
  try {
    server->listen_tcp(settings_.address, settings_.port);
  } catch (const std::runtime_error& error) {
    base::log_warn("GPU metrics page not available; --metrics-listen chooses another port", {{"error", error.what()}});
    return;
  }
  server_ = std::move(server);
  const std::string host = settings_.address.find(':') == std::string::npos ? settings_.address
                                                                            : "[" + settings_.address + "]";
  const std::string url = "http://" + host + ":" + std::to_string(port()) + "/metrics";
  std::ofstream(settings_.url_file, std::ios::trunc) << url << "\n";
  base::log_info("GPU metrics page opened", {{"url", url}});
}

http::Response MetricsEndpoint::answer(const http::RequestHead& head) {
  if (head.method != "GET" && head.method != "HEAD") return http::text_response(405, "Method Not Allowed");
  if (head.path() == "/health") return http::text_response(200, "OK");
  if (head.path() == "/metrics") {
    return {200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, page()};
  }
  if (head.path() == "/") return http::text_response(200, "GPU metrics are at /metrics.");
  return http::text_response(404, "404 page not found");
}

std::string MetricsEndpoint::page() {
  const base::Time now = machine_.clock.now();
  if (read_at_ && now >= *read_at_ && now - *read_at_ < kReadEvery) return text_;
  read_at_ = now;
  const std::vector<gpu::GpuSample> samples = source_.sample();
  const std::vector<gpu::GpuDetails> details = source_.details();
  std::vector<PageGpu> gpus;
  for (const gpu::Gpu& gpu : machine_.ledger.gpus()) {
    const auto sample = std::ranges::find(samples, gpu.id, &gpu::GpuSample::id);
    if (sample == samples.end()) continue;  // it does not respond
    PageGpu& shown = gpus.emplace_back();
    shown.gpu = gpu;
    shown.sample = *sample;
    const auto more = std::ranges::find(details, gpu.id, &gpu::GpuDetails::id);
    if (more != details.end()) shown.details = *more;
    for (const Ledger::Holder& holder : machine_.ledger.containers_on(gpu.id)) shown.users.push_back(to_user(holder));
  }
  text_ = dcgm_page(gpus, settings_.host_name, version_of(source_.driver()));
  return text_;
}

}  // namespace agent
