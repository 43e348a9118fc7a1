# SPDX-License-Identifier: Apache-2.0
# Two commands do everything on a fresh Debian 12: `make demo` and `make test`.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
RELEASE := build/release
# stoker-ocr is the processor of `stoker work --builtin ocr`.
PROGRAMS := stoker stoker-ocr
BENCHES := queue_bench objects_bench schedule_bench packing_bench services_bench points_bench logs_bench

.PHONY: all setup configure build demo demo-tour test bench package clean

all: build

setup:
	tools/setup.sh

configure: setup
	cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

# The programs alone; test programs and benchmarks are built by those who run them.
build: configure
	cmake --build --preset release -j $(JOBS) --target $(PROGRAMS)

# Files in, text out: the OCR pipeline. DEMO_OPTIONS=--keep leaves it running. Installs only what this needs.
demo:
	tools/setup.sh demo
	cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	cmake --build --preset release -j $(JOBS) --target $(PROGRAMS)
	tools/demo.sh $(DEMO_OPTIONS) $(RELEASE)/src/stoker

# Every service in turn, with stock clients.
demo-tour: build
	tools/tour.sh $(RELEASE)/src/stoker

# All tests, as in CI. tools/test.sh lists its settings.
test: setup
	tools/test.sh

# .deb files, a tarball with all libraries and a container image, in build/packages.
package: build
	packaging/setup.sh
	packaging/package.sh $(RELEASE)/src

bench: configure
	cmake --build --preset release -j $(JOBS) --target stoker $(BENCHES)
	bench/setup.sh
	$(RELEASE)/bench/queue_bench
	$(RELEASE)/bench/objects_bench
	$(RELEASE)/bench/schedule_bench
	$(RELEASE)/bench/packing_bench
	$(RELEASE)/bench/services_bench
	$(RELEASE)/bench/points_bench
	$(RELEASE)/bench/logs_bench
	bench/telemetry/alarms/alarms_bench.py
	tools/docker.sh
	bench/start/start_bench.py
	bench/scale/scale_bench.py
	bench/services/deployment_bench.py
	bench/pipeline/pipeline_bench.py

clean:
	rm -rf build
