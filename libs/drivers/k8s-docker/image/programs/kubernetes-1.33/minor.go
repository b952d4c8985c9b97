package main

// What Kubernetes 1.33 has otherwise.

import (
	"os"

	"k8s.io/component-base/cli"
	kubeadm "k8s.io/kubernetes/cmd/kubeadm/app"
	kubeadmutil "k8s.io/kubernetes/cmd/kubeadm/app/util"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func runKubeadm() { kubeadmutil.CheckErr(kubeadm.Run()) }

func runKubelet() { os.Exit(cli.Run(kubelet.NewKubeletCommand())) }

// kubectl reads its verbosity from its flags alone.
func setVerbosity() {}
