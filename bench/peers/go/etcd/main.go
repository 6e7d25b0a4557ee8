// SPDX-License-Identifier: Apache-2.0
// Peer "etcd": uses concurrency.Mutex of etcd's Go client, with one session for each process.
package main

import (
	"context"
	"os"
	"strings"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
	"go.etcd.io/etcd/version"
	"turnstile/peer"
)

type locker struct{ mutex *concurrency.Mutex }

func (l locker) Lock() error   { return l.mutex.Lock(context.Background()) }
func (l locker) Unlock() error { return l.mutex.Unlock(context.Background()) }

func main() {
	if len(os.Args) != 2 {
		peer.Fail("usage: etcd ENDPOINTS")
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: strings.Split(os.Args[1], ","), DialTimeout: 30 * time.Second})
	if err != nil {
		peer.Fail(err)
	}
	session, err := concurrency.NewSession(client, concurrency.WithTTL(30))
	if err != nil {
		peer.Fail(err)
	}
	peer.Serve(version.Version, func(path string) peer.Locker {
		return locker{concurrency.NewMutex(session, path)}
	})
	_ = session.Close()
	_ = client.Close()
}
