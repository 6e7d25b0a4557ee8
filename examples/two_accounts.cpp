// SPDX-License-Identifier: Apache-2.0
// two_accounts: money moves between two accounts at a time, in any direction, without a deadlock.
//
//     TURNSTILE_SERVERS=zk1:2181 two_accounts FOLDER FROM TO TIMES      (files with a number; start several at once)
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

// Adds the amount to the number in a file.
void book(const std::string& account, int amount) {
    int balance = 0;
    std::ifstream{account} >> balance;
    std::this_thread::sleep_for(1ms);  // represents the bank's work
    std::ofstream{account} << balance + amount;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return std::cerr << "usage: two_accounts FOLDER FROM TO TIMES\n", 2;
    const std::string folder = argv[1], from = argv[2], to = argv[3];
    const turnstile::client servers = turnstile::client::from_environment();
    turnstile::mutex giver{servers, "/situations/accounts/" + from};
    turnstile::mutex taker{servers, "/situations/accounts/" + to};
    // Takes both locks or none. Every process takes them in the same order, so that no two wait for each other.
    turnstile::multi_lock both{giver, taker};
    for (int times = std::stoi(argv[4]); times != 0; --times) {
        const auto hold = both.acquire(30s);
        if (!hold) {
            std::cerr << hold.error().message() << '\n';
            return 1;
        }
        book(folder + '/' + from, -1);
        book(folder + '/' + to, 1);
    }
}
