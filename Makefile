# SPDX-License-Identifier: Apache-2.0
# Two commands do everything on a fresh Debian 12: `make demo` and `make test`.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
RELEASE := build/release

.PHONY: all setup build demo test bench clean

all: build

setup:
	tools/setup.sh

build: setup
	cmake --preset release > build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	cmake --build --preset release -j $(JOBS)

demo: build
	tools/demo.sh $(RELEASE)/src/stoker

# Everything: what CI runs.
test: build
	tools/test.sh

bench: build
	bench/setup.sh
	$(RELEASE)/bench/queue_bench
	$(RELEASE)/bench/objects_bench
	$(RELEASE)/bench/schedule_bench
	tools/docker.sh
	bench/start/start_bench.py

clean:
	rm -rf build
