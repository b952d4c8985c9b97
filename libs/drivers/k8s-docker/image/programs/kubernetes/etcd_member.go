package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const etcdCertificates = "/etc/kubernetes/pki/etcd/"

// runEtcdMember removes the member of etcd of another control plane: `etcd-member remove <node>`. It succeeds when there is none.
func runEtcdMember() {
	if len(os.Args) != 3 || os.Args[1] != "remove" {
		fmt.Fprintln(os.Stderr, "usage: etcd-member remove <node>")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := removeEtcdMember(ctx, os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "etcd-member:", err)
		os.Exit(1)
	}
}

func removeEtcdMember(ctx context.Context, name string) (err error) {
	files := transport.TLSInfo{
		TrustedCAFile: etcdCertificates + "ca.crt",
		CertFile:      etcdCertificates + "healthcheck-client.crt",
		KeyFile:       etcdCertificates + "healthcheck-client.key",
	}
	tls, err := files.ClientConfig()
	if err != nil {
		return err
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"https://127.0.0.1:2379"}, TLS: tls, DialTimeout: 5 * time.Second})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	list, err := client.MemberList(ctx)
	if err != nil {
		return err
	}
	for _, member := range list.Members {
		if member.Name == name {
			_, removed := client.MemberRemove(ctx, member.ID)
			err = errors.Join(err, removed)
		}
	}
	return err
}
