//go:build tools

// Package crictl names the program that build.sh compiles from its own module: the client of container runtimes.
package crictl

import _ "sigs.k8s.io/cri-tools/cmd/crictl"
