// SPDX-License-Identifier: Apache-2.0
// Peer "go-zookeeper": uses zk.Lock of github.com/samuel/go-zookeeper.
package main

import (
	"os"
	"strings"
	"time"

	"github.com/samuel/go-zookeeper/zk"
	"turnstile/peer"
)

func main() {
	if len(os.Args) != 3 {
		peer.Fail("usage: gozookeeper VERSION CONNECT")
	}
	connection, events, err := zk.Connect(strings.Split(os.Args[2], ","), 30*time.Second,
		zk.WithLogInfo(false))
	if err != nil {
		peer.Fail(err)
	}
	for event := range events {
		if event.State == zk.StateHasSession {
			break
		}
	}
	peer.Serve(os.Args[1], func(path string) peer.Locker {
		return zk.NewLock(connection, path, zk.WorldACL(zk.PermAll))
	})
	connection.Close()
}
