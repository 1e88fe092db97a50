# Thin over CMake: see README.md. BUILD=cpu-clang builds with clang.
BUILD ?= cpu
OUT ?= out/reconnection
JOBS ?= $(shell nproc)
# Device code for `make run` only where it can also run.
CUDA ?= $(shell nvidia-smi -L >/dev/null 2>&1 && echo AUTO || echo OFF)

.PHONY: run test test-gpu build bootstrap bootstrap-test bench bench-gpu docs lint clean

run: build
	build/$(BUILD)/cellwise run examples/reconnection.toml --out $(OUT)
	build/$(BUILD)/cellwise plot $(OUT)

# The whole suite twice: as released, and under the address and undefined-behaviour sanitizers
# (there with clang, and with a short run of each fuzzer). Device code compiles where nvcc is, for one
# architecture: enough to see that it does.
test: bootstrap-test
	cmake --preset cpu -Dcuda=AUTO -Dcuda_architectures=90a -DBUILD_TESTING=ON
	cmake --build --preset cpu -j $(JOBS)
	cmake --preset cpu-asan
	cmake --build --preset cpu-asan -j $(JOBS)
	ctest --test-dir build/cpu -j $(JOBS) --output-on-failure
	ctest --test-dir build/cpu-asan -j $(JOBS) --output-on-failure

# Every device test; each skips, and says so, where there is no device. Prebuilt programs are run by
# scripts/test-gpu, and carried elsewhere by scripts/bundle.
test-gpu: bootstrap-test
	cmake --preset cuda
	cmake --build --preset cuda -j $(JOBS)
	ctest --test-dir build/cuda -L gpu --output-on-failure

build: bootstrap
	cmake --preset $(BUILD) -DBUILD_TESTING=OFF -Dcuda=$(CUDA)
	cmake --build --preset $(BUILD) -j $(JOBS)

bench: build
	bench/run_cpu build/$(BUILD)/cellwise

bench-gpu: bootstrap-test
	cmake --preset cuda
	cmake --build --preset cuda -j $(JOBS)
	bench/run_h200 build/cuda/cellwise

bootstrap:
	scripts/bootstrap run

bootstrap-test:
	scripts/bootstrap test

# Guide, deck reference, commands and library as one site: build/docs/html/index.html.
docs: build
	scripts/bootstrap docs
	python3 docs/site/build.py build/$(BUILD)/cellwise build/docs

lint:
	scripts/bootstrap lint
	scripts/lint

clean:
	rm -rf build out
