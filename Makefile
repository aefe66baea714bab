# tengen: what a developer types. `make` alone lists it.

CARGO ?= cargo
TOOLS := target/tools
# What could not be checked, a line each: the scripts and the tests (`tengen_testing::skipped`) append to it.
SKIPPED := target/skipped.txt
export TENGEN_SKIPPED := $(abspath $(SKIPPED))

PAGE := web/dist/index.html
# The program that the Rust tests have built already: every test uses the same profile.
TESTED = $(abspath target/debug/tengen)
# Makes sure that it is there. For one package alone Cargo would choose other features of some libraries, and compile most of it again.
BUILD_TESTED = $(CARGO) build --quiet --profile test --workspace --bin tengen
# Where the Python package is tested.
PYTHON := target/venv-py/bin/python
# The same with PyTorch and what stands on it: several GB.
FRAMEWORKS := target/venv-frameworks/bin/python

.PHONY: help play test bench lint lint-code lint-deps deps test-rust test-doc test-sabaki test-katrain test-torture test-web test-python test-frameworks screenshots check-fuzz fuzz races torture

help: ## List these commands
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /|/' | awk -F'|' '{ printf "make %-12s %s\n", $$1, $$2 }'

play: $(PAGE) ## Play against the engine in the browser (make play ARGS="--size 13"; ARGS=--terminal without a browser)
	@$(CARGO) run --quiet --release --package tengen -- play $(ARGS)

# The page is embedded in the program. (`npm ci` would refuse where a registry lacks packages of other platforms.)
# Without Node.js the program is built without it, for the terminal and for GTP.
$(PAGE): web/package-lock.json web/index.html web/vite.config.js $(wildcard web/src/* web/src/languages/* web/public/*)
	@if command -v npm >/dev/null; then \
		cd web && { [ node_modules/.package-lock.json -nt package-lock.json ] || npm install --no-save --no-audit --no-fund --silent; } && \
		npm run build --silent -- --logLevel warn && touch dist/index.html; \
	else \
		echo "Node.js is missing, so there will be no board in the browser: install Node.js 20 or later (https://nodejs.org)" >&2; \
	fi

test: ## Everything that must hold before a change is merged; says at the end what could not be checked
	@mkdir -p target && : > $(SKIPPED)
	@$(MAKE) --no-print-directory deps $(PAGE) test-rust test-doc test-sabaki test-katrain test-torture test-web test-python check-fuzz lint-code
	@if [ -s $(SKIPPED) ]; then echo; echo "Passed, but not checked here:"; sort -u $(SKIPPED); else echo "Passed, nothing skipped."; fi

bench: ## Speed of every hot path on this machine, compared with the last release (ARGS=playout for a part; docs/performance.md)
	@$(CARGO) build --quiet --release --package tengen
	@python3 benchmarks/speed.py $(ARGS)

lint: lint-code lint-deps ## Formatting, clippy, documentation, licences and advisories of dependencies

lint-code: ## The part of lint that make test runs
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items --quiet

# Installing cargo-deny takes about five minutes, so it is not part of `make test`; the tool stays in target/tools.
lint-deps: ## Licences, sources and advisories of dependencies, with cargo-deny (installed in target/tools if missing)
	@command -v cargo-deny >/dev/null || [ -x $(TOOLS)/bin/cargo-deny ] || $(CARGO) install cargo-deny --locked --quiet --root $(TOOLS)
	@PATH="$$PATH:$(abspath $(TOOLS))/bin" ./tests/check-dependencies

# What the tests use besides Rust. Each is optional: without it the tests that need it print SKIPPED.
deps:
	@mkdir -p target && touch $(SKIPPED)
	@./tests/install-dependencies $(SKIPPED)

test-rust:
	@if $(CARGO) nextest --version >/dev/null 2>&1; then \
		$(CARGO) nextest run --workspace --no-fail-fast; \
	else \
		$(CARGO) test --workspace --lib --bins --tests --no-fail-fast; \
	fi

test-doc:
	$(CARGO) test --workspace --doc --quiet

# The real GTP client of Sabaki.
test-sabaki:
	@if [ ! -d tests/sabaki ]; then \
		:; \
	elif [ -d tests/sabaki/node_modules ]; then \
		$(BUILD_TESTED) && \
		cd tests/sabaki && TENGEN_BIN="$(TESTED)" npm test --silent; \
	else \
		echo "- tests/sabaki: its npm packages are not installed" >> $(SKIPPED); \
	fi

# KaTrain's own engine code.
test-katrain:
	@if [ ! -d tests/katrain ]; then \
		:; \
	elif target/venv/bin/python -c 'import katrain, pysgf, chardet' 2>/dev/null; then \
		$(BUILD_TESTED) && \
		TENGEN_BIN="$(TESTED)" target/venv/bin/python tests/katrain/test_katrain.py; \
	else \
		echo "- tests/katrain: KaTrain is not installed" >> $(SKIPPED); \
	fi

# The program killed, crowded, on a full disk; a short form of `make torture`.
test-torture:
	@$(MAKE) --no-print-directory torture ARGS=--short

torture: ## Hours of kills, fast games, crowds of pages, full disks (ARGS=kills for a part: kills, games, pages, disk, memory)
	@if target/venv/bin/python -c 'import websockets' 2>/dev/null; then \
		$(BUILD_TESTED) && \
		TENGEN_BIN="$(TESTED)" target/venv/bin/python tests/torture/torture.py $(ARGS); \
	else \
		echo "- tests/torture: websockets is not installed" >> $(SKIPPED); \
	fi

# The page in a real browser. Pictures go to target/screenshots.
test-web: $(PAGE)
	@if [ ! -f $(PAGE) ]; then \
		echo "- web: the page could not be built" >> $(SKIPPED); \
	elif ! (command -v chromium || command -v chromium-browser || command -v google-chrome) >/dev/null; then \
		echo "- web: Chromium is not installed" >> $(SKIPPED); \
	else \
		$(BUILD_TESTED) && \
		cd web && TENGEN_BIN="$(TESTED)" npm test --silent; \
	fi

# The Python package, of which the Rust tests have built the most part.
test-python: $(PAGE)
	@if $(PYTHON) -c 'import maturin, pytest, gymnasium, pettingzoo, hypothesis, mypy, nbclient' 2>/dev/null; then \
		VIRTUAL_ENV="$(abspath target/venv-py)" $(PYTHON) -m maturin develop --quiet && \
		timeout 1800 $(PYTHON) -m pytest; \
	else \
		echo "- python: its packages are not installed" >> $(SKIPPED); \
	fi

# Not part of `make test`: PyTorch brings several GB of GPU libraries along. The environment stays in target/venv-frameworks.
test-frameworks: ## The Python package with PyTorch, Keras, SB3-contrib, Tianshou, TorchRL and pgx (installs 7 GB in target/)
	@$(FRAMEWORKS) -c 'import maturin, pytest, pettingzoo, torch, keras, sb3_contrib, tianshou, torchrl, pgx' 2>/dev/null || \
		{ python3 -m venv target/venv-frameworks && $(FRAMEWORKS) -m pip install --quiet --disable-pip-version-check \
		'maturin>=1.16,<2' 'gymnasium>=1.4,<2' 'pettingzoo[classic]>=1.27,<2' pytest torch 'keras>=3' sb3-contrib 'tianshou>=2' torchrl pgx; }
	@VIRTUAL_ENV="$(abspath target/venv-frameworks)" $(FRAMEWORKS) -m maturin develop --quiet
	@$(FRAMEWORKS) -m pytest python/tests/frameworks

screenshots: $(PAGE) ## Make the pictures of the README again
	@$(CARGO) build --quiet --release --package tengen
	@cd web && TENGEN_SCREENSHOTS=../docs TENGEN_BIN="$(abspath target/release/tengen)" npm test --silent

# The model checker tries every order of what two threads do in the search tree; ThreadSanitizer watches real searches.
races: ## Look for races between the threads of a search, with loom and ThreadSanitizer
	RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom $(CARGO) test --quiet --release --package tengen-engine --lib model
	RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" CARGO_TARGET_DIR=target/tsan \
		TSAN_OPTIONS="suppressions=$(abspath tests/tsan-suppressions)" $(CARGO) test --quiet --package tengen-engine \
		--target $(shell rustc -vV | sed -n 's/^host: //p') --test all -- search:: gtp_analysis::

# That the fuzz targets compile. Their kept inputs are a test of crates/fuzzing.
check-fuzz:
	@CARGO_TARGET_DIR=target/fuzz $(CARGO) check --quiet --manifest-path fuzz/Cargo.toml

# libFuzzer and the address sanitizer, which RUSTC_BOOTSTRAP opens in the pinned compiler. Leaks are not looked for, as the
# page's server goes on between executions and its buffers are in use then. What makes a target fail is left in
# fuzz/artifacts/TARGET: mend it, and keep it in fuzz/corpus/TARGET.
FUZZ_TARGETS := $(patsubst fuzz/fuzz_targets/%.rs,%,$(wildcard fuzz/fuzz_targets/*.rs))
fuzz: SECONDS := 600
fuzz: ## Send rubbish to everything that reads from outside (make fuzz SECONDS=60 for each; FUZZ_TARGETS=sgf for one)
	@[ -x $(TOOLS)/bin/cargo-fuzz ] || $(CARGO) install cargo-fuzz --locked --quiet --root $(TOOLS)
	@for target in $(FUZZ_TARGETS); do \
		echo "$$target:"; mkdir -p target/fuzz/corpus/$$target; \
		RUSTC_BOOTSTRAP=1 PATH="$(abspath $(TOOLS))/bin:$$PATH" $(CARGO) fuzz run --target-dir target/fuzz $$target \
			target/fuzz/corpus/$$target fuzz/corpus/$$target -- \
			-max_total_time=$(SECONDS) -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 -detect_leaks=0 || exit 1; \
	done
