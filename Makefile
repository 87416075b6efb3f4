# Everyday commands. CMake does the work; CMakePresets.json has the kinds of builds.
# Needs only make; "make deps" installs the rest on Debian.

PREFIX ?= /usr/local
DESTDIR ?=
RECOURSE_BUILD ?= build
export RECOURSE_BUILD

.DEFAULT_GOAL := help
.PHONY: help deps build run test bench soak lint format cov generate install deb deb-test clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

deps: ## install what building, testing and measuring need (Debian packages)
	@tools/deps.sh build test bench

build: ## build the release binary, build/recourse
	@tools/deps.sh build
	@tools/build.sh release

run: build ## build, and start the gateway with a provider that fails on purpose
	@mkdir -p $(RECOURSE_BUILD)/run
	@cd $(RECOURSE_BUILD)/run && XDG_STATE_HOME=$$PWD exec ../recourse serve --log human

test: ## build every flavour and run every test
	@tools/deps.sh build test
	@tools/test.sh

bench: ## measure, beside the libraries that others use
	@tools/deps.sh build bench
	@tools/bench.sh

soak: ## long checks: random tests in full, a copied build, commands and SDKs under ASan, cppcheck, path analysis, fuzzing
	@tools/deps.sh build test
	@tools/soak.sh

lint: ## check format, clang-tidy, cppcheck, shellcheck, the analyzers of gcc and clang
	@tools/deps.sh build test
	@tools/lint.sh

format: ## rewrite the C files as clang-format wants them
	@tools/deps.sh build test
	@tools/lint.sh --fix-format

cov: ## measure the coverage of the library by its tests
	@tools/deps.sh build test cov
	@tools/cov.sh

generate: ## write again what is derived from spec/
	@tools/deps.sh build
	@tools/generate.sh

install: build ## install under $(DESTDIR)$(PREFIX)
	@DESTDIR='$(DESTDIR)' cmake --install $(RECOURSE_BUILD)/release --prefix '$(PREFIX)'
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

deb: build ## make the Debian package, in build/
	@tools/deps.sh deb
	@tools/deb.sh

deb-test: build ## install, run, upgrade, remove and purge the package in a fresh Debian (root)
	@tools/deps.sh deb
	@tools/deb_test.sh

clean: ## remove everything that was built
	@rm -rf $(RECOURSE_BUILD)
