// SPDX-License-Identifier: Apache-2.0
// Deletes the files of blobs without references: first the file, on a thread that may wait for the disk, then the row
// that names it.
#pragma once

#include "api/engine.h"
#include "api/loops.h"
#include "objects/disk_threads.h"
#include "objects/files.h"

namespace doors::objects {

// All of these outlive the loop.
api::Loop sweep_blobs(api::Engine& engine, ::objects::Files& files, ::objects::DiskThreads& disk);

}  // namespace doors::objects
