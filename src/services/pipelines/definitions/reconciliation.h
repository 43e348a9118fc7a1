// SPDX-License-Identifier: Apache-2.0
// Compares the resources of a pipeline with what it requires, and changes them by the public operations of their
// services, as the caller, in the caller's transaction. A dry run changes nothing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "services/call.h"
#include "services/pipelines/definitions/desired.h"
#include "shapes/stoker/pipeline.h"

namespace services::pipelines {

struct Reconciliation {
  Call& call;
  std::string pipeline;
  bool dry_run = false;
  std::set<shapes::stoker::PipelineResource> owned = {};  // by the pipeline, before
  std::set<shapes::stoker::PipelineResource> present = {};  // afterwards
  std::vector<shapes::stoker::PipelineChange> changes = {};

  bool owns(const std::string& resource, const std::string& name) const { return owned.contains({resource, name}); }
  std::map<std::string, std::string> tags() const { return {{std::string(kPipelineTag), pipeline}}; }
  void created(const std::string& resource, const std::string& name) {
    changes.push_back({.action = "create", .resource = resource, .name = name});
  }
  void deleted(const std::string& resource, const std::string& name) {
    changes.push_back({.action = "delete", .resource = resource, .name = name});
  }
};

// A resource that exists, or is about to. Throws ConflictException if it exists and is not the pipeline's.
void claim(Reconciliation& work, const std::string& resource, const std::string& name, bool exists);

// Differences of one resource, field by field.
class Comparison {
 public:
  Comparison(Reconciliation& work, std::string resource, std::string name)
      : work_(work), resource_(std::move(resource)), name_(std::move(name)) {}

  // True: they differ, which is recorded.
  bool text(const char* field, const std::string& before, const std::string& after);
  // Texts that are equal as JSON are equal.
  bool json(const char* field, const std::string& before, const std::string& after);
  bool number(const char* field, std::int64_t before, std::int64_t after) {
    return text(field, std::to_string(before), std::to_string(after));
  }
  bool flag(const char* field, bool before, bool after) {
    return text(field, before ? "true" : "false", after ? "true" : "false");
  }
  // Whether the tag of the pipeline is missing.
  bool tag(const std::string& value) { return text("tag stoker:pipeline", value, work_.pipeline); }
  bool differs() const { return differs_; }

 private:
  Reconciliation& work_;
  std::string resource_, name_;
  bool differs_ = false;
};

// One of each kind. The order matters: a queue's policy names the bucket, the bucket's notification the queue.
void reconcile_log_group(Reconciliation& work, const Desired& desired);
void reconcile_queues(Reconciliation& work, const Desired& desired);
void reconcile_bucket(Reconciliation& work, const Desired& desired);
void reconcile_workers(Reconciliation& work, const Desired& desired);
void reconcile_scaling(Reconciliation& work, const Desired& desired);

// Their deletion. What does not exist any more is skipped.
void delete_log_group(Reconciliation& work, const Desired& desired);
void delete_queues(Reconciliation& work, const Desired& desired);
// The bucket is deleted if it is empty; else it gets no more messages sent. True: it is gone.
bool release_bucket(Reconciliation& work, const Desired& desired);
void delete_workers(Reconciliation& work, const Desired& desired);
void delete_scaling(Reconciliation& work, const Desired& desired);

// Deletes some objects of a bucket, and the bucket where it has none. False: the bucket still exists.
bool empty_bucket(Call& call, const std::string& bucket);

// What the services report of a pipeline's workers and items.
void show_workers(Call& call, const ResourceNames& names, const std::string& cluster,
                  shapes::stoker::PipelineDescription& into);
void show_scaling(Call& call, const ResourceNames& names, shapes::stoker::PipelineDescription& into);
void show_items(Call& call, const ResourceNames& names, shapes::stoker::PipelineDescription& into);
void set_worker_count(Call& call, const ResourceNames& names, const std::string& cluster, int count);

}  // namespace services::pipelines
