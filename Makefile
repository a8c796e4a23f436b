# crossplane-capz. `make up` and `make test` are the two commands to know; see README.md.

EXAMPLE ?= aks-aso
XR      ?= examples/$(EXAMPLE)

# As the packages are built, so that a machine that has built nothing compiles everything once, and without what only a debugger reads.
# Vet's check of formats is left to `make lint`: go test would look for it through all that is imported, which takes minutes.
export CGO_ENABLED := 0
export GOFLAGS += -trimpath -gcflags=all=-dwarf=false -vet=atomic,bools,buildtags,directive,errorsas,ifaceassert,nilfunc,stringintconv,tests

LOCAL  := cluster/local
OUTPUT := .local/make
# A module of its own, for the sake of cosign's library.
SIGNING := package/signing

comma    := ,
CAPI_CRDS = $$(go -C $(LOCAL)/parts/capi list -m -f '{{.Dir}}/core/config/crd/bases$(comma){{.Dir}}/bootstrap/kubeadm/config/crd/bases$(comma){{.Dir}}/controlplane/kubeadm/config/crd/bases' sigs.k8s.io/cluster-api)
VALIDATE  = .local/bin/crossplane resource validate --crossplane-image= --error-on-missing-schemas --cache-dir=$(CURDIR)/$(OUTPUT)/schemas

.PHONY: help
help: ## Print this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: up
up: ## Build a management cluster, start it on 127.0.0.1 and bring examples/$(EXAMPLE) up on it.
	@mkdir -p $(OUTPUT)
	@echo "building the tool that builds the rest"
	@go build -C $(LOCAL) -o $(CURDIR)/$(OUTPUT)/local .
	@$(OUTPUT)/local up --example $(EXAMPLE)

.PHONY: down
down: ## End what `make up` started.
	@mkdir -p $(OUTPUT)
	@go build -C $(LOCAL) -o $(CURDIR)/$(OUTPUT)/local .
	@$(OUTPUT)/local down

.PHONY: parts
parts: ## Build every binary that `make up` needs, and start nothing.
	@mkdir -p $(OUTPUT)
	@go build -C $(LOCAL) -o $(CURDIR)/$(OUTPUT)/local .
	@$(OUTPUT)/local parts

STAGES := unit builds fuzz generated breaking fidelity compat alerts schema cli signing machines e2e takeover

.PHONY: test
test: ## Everything: what CI runs. Says how long each part took.
	@set -e; times=; for stage in $(STAGES); do \
		begun=$$(date +%s); $(MAKE) --no-print-directory $$stage; \
		times="$$times$$stage $$(($$(date +%s) - begun)) s, "; \
	done; echo "took: $${times%, }"

# Memory for time: collecting garbage is a quarter of what the compiler and the tests do.
unit builds fuzz breaking compat compat-full alerts signing telemetry parts: export GOGC ?= 400

.PHONY: unit
unit: ## Unit tests: no cluster.
	go test ./apis/... ./cluster/... ./examples/... ./functions/... ./internal/... ./package/compatibility/... ./package/generate/...
	go test -C $(LOCAL) $$(go list -C $(LOCAL) ./machine/... | grep -v "/boot$$")
	go test -C $(LOCAL) . ./endure/... ./node/... ./parts/... ./portal/... ./process/... ./registry/... ./rights/... ./stack/... ./templates/... ./written/...
	go test -C cluster/bench ./...
	@# These read files outside their modules, which the cache of go test does not look at.
	go test -C $(LOCAL) -count=1 ./example/... ./gitops/...
	go test -C docs/site -count=1 ./check/...
	go test -C docs/site ./versions/...

.PHONY: builds
builds: ## Test the Crossplane packages and a release by building them.
	go test ./package/xpkg/... ./package/internal/... ./package/build/... ./package/release/...

# Linked once for each package; what the compiler would add to guide the inputs takes minutes to build.
# That the time is over is no failure, though Go calls it one when it comes in the middle of an input.
FUZZTIME ?= 3s
GUIDED   ?=

.PHONY: fuzz
fuzz: ## Feed each parser odd input for FUZZTIME; GUIDED=-fuzz=Fuzz watches which code an input reaches.
	@mkdir -p $(OUTPUT)/fuzz
	@set -e; for package in $$(grep -rl --include='*_test.go' '^func Fuzz' functions internal | xargs -n1 dirname | sort -u); do \
		binary=$(CURDIR)/$(OUTPUT)/fuzz/$$(echo $$package | tr / -).test; \
		go test -c $(GUIDED) -o $$binary ./$$package; \
		for target in $$($$binary -test.list '^Fuzz'); do \
			echo "$$package $$target"; \
			(cd $$package && $$binary -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) -test.fuzzcachedir $(CURDIR)/$(OUTPUT)/fuzz/found) \
				> $$binary.log 2>&1 \
				|| { grep -qx '    context deadline exceeded' $$binary.log && ! grep -q 'Failing input' $$binary.log; } \
				|| { cat $$binary.log; exit 1; }; \
		done; \
	done

.PHONY: generate
generate: ## Write the generated files again.
	go generate ./internal/aso
	go run ./package/generate
	go run -C cluster/bench . --root $(CURDIR) --out $(CURDIR)/docs/benchmarks report > /dev/null
	go run -C $(LOCAL) . --root $(CURDIR) endure --table

.PHONY: generated
generated: generate ## Fail when a generated file is not what `make generate` writes.
	git diff --exit-code -- apis package examples/flavors examples/gitops examples/monitoring examples/portal docs/kinds.md docs/troubleshooting.md docs/metrics.md docs/compatibility.md docs/benchmarks docs/endurance internal/aso/kinds_generated.go internal/preview/zz_generated.defaults.json

.PHONY: breaking
breaking: ## Fail when a changed definition breaks stored objects or manifests of the last release.
	go test -C cluster/breaking ./...

.PHONY: fidelity
fidelity: ## Measure the simulated Azure against recordings of the real one.
	go run ./cluster/fidelity

# A sample that is another one each time, out of what `make compat-full` compares: it has 200 machine pools.
COMPAT_SEED ?= $(shell echo $$(($$(date +%s) % 150 + 1)))

.PHONY: compat
compat: ## Compare a sample of random clusters with CAPZ, whose own packages say what it would do; COMPAT_SEED repeats one.
	go test -C cluster/compat ./...
	go run -C cluster/compat . -seed $(COMPAT_SEED) -specs 500 -requests 900 -objects 900 -self-managed 300 -machine-pools 50

.PHONY: compat-full
compat-full: ## Compare as many as ever, after a change of a mapping: 2,000 clusters of each kind.
	go run -C cluster/compat .

.PHONY: alerts
alerts: ## Test the alerts and the dashboard of examples/monitoring with Prometheus's own engine, and the rest with kube-state-metrics'.
	go test -C cluster/monitoring ./...
	go test -C cluster/kubestatemetrics ./...

.PHONY: traces
traces: ## Test the traces with the OpenTelemetry collector, which is built for it.
	go test -C cluster/traces -count=1 ./...

# Has Prometheus's data of the last run, in a folder for each test.
TELEMETRY_KEEP ?= .local/telemetry
CHROMIUM       ?= chromium

.PHONY: telemetry
telemetry: parts ## Have Prometheus, which is built for it, scrape a management cluster: panels have data, alerts fire on faults and on nothing else.
	TELEMETRY_KEEP=$(abspath $(TELEMETRY_KEEP)) go test -C cluster/telemetry -count=1 -timeout 60m -v ./...

.PHONY: pictures
pictures: ## Draw the dashboard into docs/monitoring, from the data of the last `make telemetry`; needs Node.js 20, npm and CHROMIUM.
	@for tool in node npm "$(CHROMIUM)"; do \
		command -v "$$tool" > /dev/null || { echo "there is no $$tool: make pictures needs Node.js 20 or later, npm with its registry, and CHROMIUM=path" >&2; exit 1; }; \
	done
	@test -d "$(TELEMETRY_KEEP)/TestTelemetry/data" || { echo "$(TELEMETRY_KEEP) has no data: run make telemetry first" >&2; exit 1; }
	go build -C cluster/monitoring -tags remove_all_sd -o $(CURDIR)/.local/bin/prometheus github.com/prometheus/prometheus/cmd/prometheus
	npm --prefix cluster/telemetry/pictures ci
	npm --prefix cluster/telemetry/pictures run check
	npm --prefix cluster/telemetry/pictures test
	npm --prefix cluster/telemetry/pictures --silent run take -- --data "$(abspath $(TELEMETRY_KEEP))/TestTelemetry/data" --prometheus $(CURDIR)/.local/bin/prometheus --browser "$$(command -v "$(CHROMIUM)")" --dashboard $(CURDIR)/examples/monitoring/dashboard.json --out $(CURDIR)/docs/monitoring

.PHONY: schema
schema: parts ## Test the kinds against a real kube-apiserver.
	go test -C $(LOCAL) -count=1 -timeout 15m ./schema/...

.PHONY: cli
cli: parts ## Test the manifests with the Crossplane CLI: validate and render, no cluster.
	go test -C $(LOCAL) -count=1 -timeout 30m ./cli/...

.PHONY: signing
signing: ## Test the signatures of packages with the code by which Crossplane verifies them, on a registry.
	go test -C $(SIGNING) ./...

.PHONY: signatures
signatures: parts ## The same with Crossplane itself.
	go test -C cluster/signatures -count=1 -timeout 15m -v ./...

.PHONY: machines
machines: parts ## Boot virtual machines of the simulated Azure: kubeadm, a control plane and a worker, without a management cluster.
	go test -C $(LOCAL) -count=1 -timeout 15m -v ./machine/boot/...

.PHONY: e2e
e2e: parts ## End-to-end tests on a management cluster of their own; E2E_SEED repeats a run's choices.
	go test -C $(LOCAL) -count=1 -timeout 65m -v ./e2e/...

.PHONY: switch
switch: parts ## Take management clusters over from the real CAPZ, which is built for it, return them and take them over again.
	go test -C $(LOCAL) -count=1 -timeout 90m -v ./switch/...

.PHONY: takeover
takeover: parts ## Take one management cluster over from the real CAPZ, killed once, and do not return it.
	go test -C $(LOCAL) -count=1 -timeout 25m -v -short -run '^TestASOManaged$$' ./switch/...

TEMPLATES ?=

.PHONY: templates
templates: ## Bring every template of CAPZ up and down; TEMPLATES='ipv6 prow-*' some only. Writes docs/templates.md.
	@mkdir -p $(OUTPUT)
	@go build -C $(LOCAL) -o $(CURDIR)/$(OUTPUT)/local .
	@$(OUTPUT)/local templates $(patsubst %,--only '%',$(TEMPLATES))

.PHONY: compatibility
compatibility: parts ## Run clusters with other versions of Kubernetes, Crossplane, Cluster API and ASO, one at a time; ONLY='name …' some. Adds to docs/compatibility.jsonl.
	go run ./package/compatibility compatibility $(ONLY)

SEED ?= 0
HOURS ?= 2
ENDURE = $(OUTPUT)/local endure --seed $(SEED) --keep $(patsubst %,--only '%',$(ONLY))

.PHONY: endure
endure: ## Live lives of clusters for HOURS while things break, 1,000 kills and 10,000 faults; SEED and ONLY repeat some. Writes docs/endurance.
	@mkdir -p $(OUTPUT)
	@go build -C $(LOCAL) -o $(CURDIR)/$(OUTPUT)/local .
	@$(ENDURE) --moves --moments 1000 --faults 10000 --time $(HOURS)h --parallel 6

.PHONY: endure-quick
endure-quick: ## The same with a short life of each AKS family, in nine minutes once all is built.
	@mkdir -p $(OUTPUT)
	@go build -C $(LOCAL) -o $(CURDIR)/$(OUTPUT)/local .
	@$(ENDURE) $(if $(ONLY),,--only aks-aso --only aks --only platform) --between 1 --time 1m --parallel 3

BENCH  ?= .local/bench
ROUNDS ?= 5

.PHONY: bench
bench: ## Measure this project and CAPZ side by side into BENCH; ROUNDS of each, ONLY=name,... of the benchmarks, one SIDE only.
	go run -C cluster/bench . --root $(CURDIR) --out $(abspath $(BENCH)) run --rounds $(ROUNDS) $(if $(ONLY),--only $(ONLY)) $(if $(SIDE),--side $(SIDE))

.PHONY: bench-quick
bench-quick: ## Measure only what takes seconds, in one round: less than five minutes once all is built.
	go run -C cluster/bench . --root $(CURDIR) --out $(abspath $(BENCH))-quick run --rounds 1 --only function,binaries,aks-aso

.PHONY: render
render: ## Print the ASO resources of XR=file, offline; CRDS=folder checks them; INPUTS=folder writes what `crossplane composition render` takes.
	@mkdir -p $(OUTPUT)
	@go build -o $(OUTPUT)/function-capz ./functions/function-capz
	@$(OUTPUT)/function-capz render $(XR) $(if $(INPUTS),--inputs $(INPUTS)) $(addprefix --crds ,$(or $(CRDS),$(if $(INPUTS),$(wildcard .local/aso/crd))))

.PHONY: validate
validate: parts ## Check XR=file, and the ASO resources that it stands for, against all schemas, offline.
	@$(VALIDATE) "$$(ls package/configuration/*/definition.yaml | paste -sd,),$(CAPI_CRDS)" $(XR)
	@$(MAKE) --silent render XR=$(XR) > $(OUTPUT)/rendered.yaml
	@$(VALIDATE) .local/aso/crd $(OUTPUT)/rendered.yaml

.PHONY: package
package: ## Build the Crossplane packages into .local/packages and print their digests.
	@go run ./package/build --out .local/packages

# A file, or env://NAME for an environment variable. The password of the key is in COSIGN_PASSWORD.
SIGNING_KEY ?=
# URL of the transparency log that signatures are entered into.
REKOR       ?=
BUILDER_ID  ?=

.PHONY: release
release: ## Write what a release consists of into dist; SIGNING_KEY=file or env://NAME signs it, REKOR=url enters the signatures into a log.
	@rm -rf dist
	@go run ./package/release --out dist
ifeq ($(SIGNING_KEY),)
	@echo "nothing is signed; SIGNING_KEY=FILE or SIGNING_KEY=env://NAME signs the release with a private key"
else
	@go run -C $(SIGNING) . sign --key "$(if $(filter env://%,$(SIGNING_KEY)),$(SIGNING_KEY),$(abspath $(SIGNING_KEY)))" $(if $(REKOR),--rekor "$(REKOR)") $(if $(BUILDER_ID),--builder "$(BUILDER_ID)") $(CURDIR)/dist
endif

.PHONY: push-signatures
push-signatures: ## Push the signatures of dist beside its packages, which are in the registry already; TO=prefix for another one.
	@go run -C $(SIGNING) . push $(if $(TO),--to "$(TO)") $(CURDIR)/dist

TAGS ?=
SITE ?= http://127.0.0.1:1313/

.PHONY: docs
docs: hugo ## Build the site from docs/ and serve it on 127.0.0.1:1313; TAGS='v0.1.0 ...' builds those versions, too.
	@HUGO_MODULE_PROXY=$$(go env GOPROXY) $(OUTPUT)/site --serve $(TAGS)

.PHONY: docs-build
docs-build: hugo ## Build the site for the address SITE into .local/site/public.
	@HUGO_MODULE_PROXY=$$(go env GOPROXY) $(OUTPUT)/site --url $(SITE) $(TAGS)

.PHONY: hugo
hugo:
	@mkdir -p $(OUTPUT)
	@go build -C docs/site -o $(CURDIR)/$(OUTPUT)/site .

.PHONY: lint
lint: ## Run golangci-lint with .golangci.yaml in all modules.
	@set -e; for module in . $(addprefix cluster/,bench compat breaking monitoring kubestatemetrics telemetry traces signatures) $(SIGNING) docs/site $(LOCAL); do \
		echo "$$module"; \
		(cd $$module && go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run --config $(CURDIR)/.golangci.yaml ./...); \
	done
