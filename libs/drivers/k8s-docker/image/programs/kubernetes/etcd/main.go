// Command etcd is the server of etcd, which has no package of the version that kubeadm needs in Debian 12.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
