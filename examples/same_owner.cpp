// SPDX-License-Identifier: Apache-2.0
// same_owner: a function that holds a lock calls other functions that take it as well.
//
//     TURNSTILE_SERVERS=zk1:2181 same_owner NAME ORDERS      (start several at once)
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// Each function takes the lock, so that a program may call each function directly. With a mutex, reserve() would wait
// for ever if place() called it, because place() holds the lock.
struct shop {
    turnstile::recursive_mutex lock;
    std::string name;

    void place(int order) {
        const auto hold = lock.acquire().value();
        std::cout << name << ' ' << order << " placed" << std::endl;
        reserve(order);
        charge(order);
        std::cout << name << ' ' << order << " confirmed" << std::endl;
    }
    void reserve(int order) {
        // if place() is the caller, this returns at once, with one more guard
        const auto hold = lock.acquire().value();
        std::cout << name << ' ' << order << " reserved" << std::endl;
        std::this_thread::sleep_for(1ms);  // represents the work
    }
    void charge(int order) {
        const auto hold = lock.acquire().value();
        std::cout << name << ' ' << order << " charged" << std::endl;
        std::this_thread::sleep_for(1ms);
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: same_owner NAME ORDERS\n", 2;
    const turnstile::client servers = turnstile::client::from_environment();
    shop orders{{servers, "/situations/orders"}, argv[1]};
    const int last = std::stoi(argv[2]);
    for (int order = 1; order <= last; ++order) orders.place(order);
}
