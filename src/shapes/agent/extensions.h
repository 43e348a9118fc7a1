// SPDX-License-Identifier: Apache-2.0
// What only Stoker's own agent and server say to each other, on the work session. The server
// depends on none of it.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/traits.h"

namespace shapes::agent {

struct StokerGpu {
  std::string id;
  std::string model;
  std::int64_t memoryInMiB = 0;
  bool healthy = true;
  std::optional<std::string> trouble;  // why it is not healthy
};
BOOST_DESCRIBE_STRUCT(StokerGpu, (), (id, model, memoryInMiB, healthy, trouble))

// Agent to server: first of all, and again whenever something about them changes.
struct StokerGpus {
  std::vector<StokerGpu> gpus;
};
BOOST_DESCRIBE_STRUCT(StokerGpus, (), (gpus))

// A reason for which the machine accepts no tasks.
struct StokerTrouble {
  std::string kind;        // engine, disk, starts
  std::string reason;      // "its disk is full: 120 MiB free in /data, 256 MiB required"
  std::int64_t since = 0;  // ms
};
BOOST_DESCRIBE_STRUCT(StokerTrouble, (), (kind, reason, since))

// Agent to server: first of all, and again whenever one begins or ends.
struct StokerHealth {
  std::vector<StokerTrouble> troubles;
};
BOOST_DESCRIBE_STRUCT(StokerHealth, (), (troubles))

// The download of an image, and the tasks that wait for it.
struct StokerPull {
  std::string image;
  std::vector<std::string> taskArns;
  std::int64_t startedAt = 0;        // ms
  std::int32_t layers = 0;           // known so far
  std::int32_t layersDone = 0;       // on the machine
  std::int32_t layersExisting = 0;   // of these, those that were there before
  std::int64_t downloadedBytes = 0;  // of the layers whose size is known
  std::int64_t totalBytes = 0;
  bool extracting = false;  // all is downloaded, and not all is unpacked
  bool operator==(const StokerPull&) const = default;
};
BOOST_DESCRIBE_STRUCT(StokerPull, (), (image, taskArns, startedAt, layers, layersDone, layersExisting, downloadedBytes,
    totalBytes, extracting))

// Agent to server: first of all, and again while they change, at most once a second. Pulls that are not listed are over.
struct StokerPulls {
  std::vector<StokerPull> pulls;
};
BOOST_DESCRIBE_STRUCT(StokerPulls, (), (pulls))

struct StokerGpuSample {
  std::string id;
  std::int32_t utilizationPercent = 0;
  std::int32_t memoryUtilizationPercent = 0;
  std::int64_t memoryUsedInMiB = 0;
  std::int64_t memoryTotalInMiB = 0;
  std::optional<std::int32_t> temperatureCelsius;
  std::optional<double> powerWatts;
  std::optional<std::int32_t> smClockInMHz;
  std::optional<std::int64_t> xid;  // the code of its last error; 0: none
};
BOOST_DESCRIBE_STRUCT(StokerGpuSample, (), (id, utilizationPercent, memoryUtilizationPercent, memoryUsedInMiB,
    memoryTotalInMiB, temperatureCelsius, powerWatts, smClockInMHz, xid))

// Agent to server, once a second.
struct StokerGpuSamples {
  std::int64_t at = 0;  // ms
  std::vector<StokerGpuSample> samples;
};
BOOST_DESCRIBE_STRUCT(StokerGpuSamples, (), (at, samples))

// Server to agent, on the telemetry session: publish the usage of tasks this often from now on.
struct StokerTelemetryPace {
  std::int32_t seconds = 20;
};
BOOST_DESCRIBE_STRUCT(StokerTelemetryPace, (), (seconds))

// Server to agent. The agent answers with StokerLogLines until `end`.
struct StokerReadLogs {
  std::string requestId;
  std::string taskArn;
  std::optional<std::string> containerName;  // none: all of the task's
  bool follow = false;
  std::optional<std::int32_t> tail;  // the last so many lines
};
BOOST_DESCRIBE_STRUCT(StokerReadLogs, (), (requestId, taskArn, containerName, follow, tail))

// Server to agent: nobody reads any more.
struct StokerStopLogs {
  std::string requestId;
};
BOOST_DESCRIBE_STRUCT(StokerStopLogs, (), (requestId))

struct StokerLogLine {
  std::string container;
  std::int64_t at = 0;  // ms
  std::string stream;   // stdout, stderr
  std::string text;     // without its end
  std::optional<bool> partial = {};  // true: the stream's next one continues it
  std::optional<std::string> base64 = {};  // the bytes, where they are not UTF-8; `text` is then a readable form
};
BOOST_DESCRIBE_STRUCT(StokerLogLine, (), (container, at, stream, text, partial, base64))

struct StokerLogLines {
  std::string requestId;
  std::vector<StokerLogLine> lines;
  bool end = false;
  std::optional<std::string> error;  // there are none, and why
};
BOOST_DESCRIBE_STRUCT(StokerLogLines, (), (requestId, lines, end, error))

// Server to agent: run a command in a container of a task, or attach to its own process. The agent acknowledges the
// message and opens a WebSocket to /stoker/exec?session=, on which both sides send messages whose first byte is their
// type: docs/exec.md has the list.
struct StokerExecMessage {
  std::string messageId;
  std::string sessionId;
  std::string taskArn;
  std::string containerName;
  std::string command;                 // one text, split into words by the agent
  std::vector<std::string> arguments;  // words; used instead of `command` where it has any
  bool interactive = false;            // standard input is forwarded
  bool tty = false;
  bool attach = false;  // to the container's own process: there is no command
  bool logs = false;    // with attach: its output so far comes first
  std::int32_t rows = 0, columns = 0;
  std::string term;  // the variable TERM
};
BOOST_DESCRIBE_STRUCT(StokerExecMessage, (), (messageId, sessionId, taskArn, containerName, command, arguments, interactive,
    tty, attach, logs, rows, columns, term))

// The session is over. Its own connection states that, too, but behind input that the command may never read.
struct StokerExecEnd {
  std::string sessionId;
};
BOOST_DESCRIBE_STRUCT(StokerExecEnd, (), (sessionId))

}  // namespace shapes::agent
