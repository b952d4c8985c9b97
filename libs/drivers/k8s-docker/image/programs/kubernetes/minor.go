package main

// What a former minor version has otherwise.

import (
	"context"
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app"
	kubeadmerrors "k8s.io/kubernetes/cmd/kubeadm/app/util/errors"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func runKubeadm() { kubeadmerrors.HandleError(kubeadm.Run()) }

func runKubelet() { os.Exit(cli.Run(kubelet.NewKubeletCommand(context.Background()))) }

func setVerbosity() {
	logs.GlogSetter(kubectl.GetLogVerbosity(os.Args)) //nolint:errcheck // An unknown verbosity is reported when kubectl reads its flags.
}
