package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

const (
	// routeProtocol marks the routes that this program made, so that it removes no others.
	routeProtocol = 111
	configuration = "/etc/cni/net.d/10-stave.conflist"
	// resync repairs routes and rules that somebody else removed.
	resync = time.Minute
)

// runPodNetwork connects the pods of the nodes of one layer 2 network: it gives the CNI plug-ins of this node the range of its pods,
// keeps a route to the pods of every other node, and hides pods behind their node towards everything that is no pod.
func runPodNetwork() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := keepPodNetwork(ctx, os.Getenv("NODE_NAME"), os.Getenv("POD_SUBNET")); err != nil {
		fmt.Fprintln(os.Stderr, "pod-network:", err)
		os.Exit(1)
	}
}

func keepPodNetwork(ctx context.Context, node, podSubnet string) error {
	if _, _, err := net.ParseCIDR(podSubnet); node == "" || err != nil {
		return fmt.Errorf("NODE_NAME must be the name of the node, and POD_SUBNET the range of all pods: %w", err)
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	changed := make(chan struct{}, 1)
	factory := informers.NewSharedInformerFactory(client, resync)
	nodes := factory.Core().V1().Nodes()
	if _, err := nodes.Informer().AddEventHandler(notify(changed)); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			apply(nodes.Lister(), node, podSubnet)
		}
	}
}

func notify(changed chan<- struct{}) cache.ResourceEventHandler {
	mark := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { mark() },
		UpdateFunc: func(any, any) { mark() },
		DeleteFunc: func(any) { mark() },
	}
}

// apply logs what failed; the next change or resync tries it again.
func apply(nodes listers.NodeLister, own, podSubnet string) {
	all, err := nodes.List(labels.Everything())
	if err != nil {
		klog.ErrorS(err, "Could not list the nodes")
		return
	}
	wanted := map[string]net.IP{}
	for _, node := range all {
		if node.Spec.PodCIDR == "" {
			continue
		}
		if node.Name == own {
			err = errors.Join(err, writeConfiguration(node.Spec.PodCIDR))
		} else if address := addressOf(node); address != nil {
			wanted[node.Spec.PodCIDR] = address
		}
	}
	if err = errors.Join(err, keepRoutes(wanted), masquerade(podSubnet)); err != nil {
		klog.ErrorS(err, "Could not complete the network of pods")
	}
}

func addressOf(node *corev1.Node) net.IP {
	for _, address := range node.Status.Addresses {
		if address.Type == corev1.NodeInternalIP {
			return net.ParseIP(address.Address)
		}
	}
	return nil
}

// writeConfiguration replaces the file in one step: the container runtime reads it at any time.
func writeConfiguration(podCIDR string) error {
	content := fmt.Sprintf(`{"cniVersion":"0.4.0","name":"stave","plugins":[`+
		`{"type":"bridge","bridge":"pods","isGateway":true,"hairpinMode":true,"ipam":{"type":"host-local","ranges":[[{"subnet":%q}]],"routes":[{"dst":"0.0.0.0/0"}]}},`+
		`{"type":"portmap","capabilities":{"portMappings":true}}]}`+"\n", podCIDR)
	if present, err := os.ReadFile(configuration); err == nil && string(present) == content {
		return nil
	}
	temporary := filepath.Join(filepath.Dir(configuration), ".10-stave.tmp")
	if err := os.WriteFile(temporary, []byte(content), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, configuration)
}

// keepRoutes makes the wanted routes, and removes own ones that are no longer wanted.
func keepRoutes(wanted map[string]net.IP) error {
	filter := &netlink.Route{Protocol: routeProtocol}
	present, err := netlink.RouteListFiltered(netlink.FAMILY_V4, filter, netlink.RT_FILTER_PROTOCOL)
	if err != nil {
		return err
	}
	for _, route := range present {
		if route.Dst != nil && wanted[route.Dst.String()] == nil {
			route := route
			err = errors.Join(err, netlink.RouteDel(&route))
		}
	}
	for cidr, gateway := range wanted {
		_, destination, invalid := net.ParseCIDR(cidr)
		if invalid != nil {
			err = errors.Join(err, invalid)
			continue
		}
		err = errors.Join(err, netlink.RouteReplace(&netlink.Route{Dst: destination, Gw: gateway, Protocol: routeProtocol}))
	}
	return err
}

func masquerade(podSubnet string) error {
	rule := []string{"POSTROUTING", "--source", podSubnet, "!", "--destination", podSubnet, "--jump", "MASQUERADE"}
	command := func(action string) *exec.Cmd {
		return exec.Command("iptables", append([]string{"--wait", "--table", "nat", action}, rule...)...)
	}
	if command("--check").Run() == nil {
		return nil
	}
	if output, err := command("--append").CombinedOutput(); err != nil {
		return fmt.Errorf("iptables: %s: %w", strings.TrimSpace(string(output)), err)
	}
	return nil
}
