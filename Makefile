# Thin over CMake: see README.md. BUILD=cpu-clang builds with clang.
BUILD ?= cpu
OUT ?= out/reconnection
JOBS ?= $(shell nproc)

.PHONY: run test build bootstrap bootstrap-test bench lint clean

run: bootstrap build
	build/$(BUILD)/cellwise run examples/reconnection.toml --out $(OUT)
	build/$(BUILD)/cellwise plot $(OUT)

# The whole suite twice: as released, and under the address and undefined-behaviour sanitizers
# (there with clang, and with a short run of each fuzzer).
test: bootstrap-test
	cmake --preset cpu
	cmake --build --preset cpu -j $(JOBS)
	cmake --preset cpu-asan
	cmake --build --preset cpu-asan -j $(JOBS)
	ctest --test-dir build/cpu -j $(JOBS) --output-on-failure
	ctest --test-dir build/cpu-asan -j $(JOBS) --output-on-failure

build:
	cmake --preset $(BUILD) -DBUILD_TESTING=OFF
	cmake --build --preset $(BUILD) -j $(JOBS)

bench: bootstrap build
	bench/run_cpu build/$(BUILD)/cellwise

bootstrap:
	scripts/bootstrap run

bootstrap-test:
	scripts/bootstrap test

lint: bootstrap-test
	scripts/lint

clean:
	rm -rf build out
