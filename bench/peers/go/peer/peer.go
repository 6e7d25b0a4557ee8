// SPDX-License-Identifier: Apache-2.0
// Package peer contains the code that the peers in Go share. ../../protocol.hpp describes the commands.
package peer

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Locker is a lock on one path.
type Locker interface {
	Lock() error
	Unlock() error
}

func nowMicros() int64 { return time.Now().UnixNano() / 1000 }

func cycle(lock Locker, count int64) (string, error) {
	times := make([]string, 0, count)
	for i := int64(0); i < count; i++ {
		start := time.Now()
		if err := lock.Lock(); err != nil {
			return "", err
		}
		if err := lock.Unlock(); err != nil {
			return "", err
		}
		took := float64(time.Since(start).Nanoseconds()) / 1000
		times = append(times, strconv.FormatFloat(took, 'f', 1, 64))
	}
	return "us=" + strings.Join(times, ","), nil
}

func contend(lock Locker, begin, end int64) (string, error) {
	grants, all := 0, 0
	for nowMicros() < end {
		if err := lock.Lock(); err != nil {
			return "", err
		}
		all++
		if now := nowMicros(); begin <= now && now < end {
			grants++
		}
		if err := lock.Unlock(); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("grants=%d all=%d", grants, all), nil
}

func answer(words []string, locker func(path string) Locker) (string, error) {
	numbers := []int64{}
	for i := 2; i < len(words); i++ {
		number, err := strconv.ParseInt(words[i], 10, 64)
		if err != nil {
			return "", err
		}
		numbers = append(numbers, number)
	}
	switch {
	case words[0] == "cycle" && len(numbers) == 1:
		return cycle(locker(words[1]), numbers[0])
	case words[0] == "contend" && len(numbers) == 2:
		return contend(locker(words[1]), numbers[0], numbers[1])
	}
	return "", fmt.Errorf("no command '%s'", strings.Join(words, " "))
}

// Serve prints the greeting, and answers commands until the input ends.
func Serve(version string, locker func(path string) Locker) {
	fmt.Printf("ok version=%s commands=cycle,contend\n", version)
	for input := bufio.NewScanner(os.Stdin); input.Scan(); {
		text, err := answer(strings.Fields(input.Text()), locker)
		if err != nil {
			fmt.Printf("error %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			fmt.Printf("ok %s\n", text)
		}
	}
}

// Fail ends the process, because the peer cannot serve.
func Fail(why interface{}) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(2)
}
