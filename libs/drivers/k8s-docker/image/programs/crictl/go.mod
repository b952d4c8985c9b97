module stave/crictl

go 1.24.3

require sigs.k8s.io/cri-tools v1.34.0
