// SPDX-License-Identifier: Apache-2.0
// each_user_once: several consumers get the same messages, some messages more than once, and credit each user once.
//
//     TURNSTILE_SERVERS=zk1:2181 each_user_once INBOX LEDGER      (files with one user a line; start several at once)
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

bool is_in(const std::string& ledger, const std::string& user) {
    std::ifstream lines{ledger};
    for (std::string line; std::getline(lines, line);)
        if (line == user) return true;
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return std::cerr << "usage: each_user_once INBOX LEDGER\n", 2;
    const std::string ledger = argv[2];
    // If a consumer crashes, its lock becomes free when this timeout has passed.
    const turnstile::client servers = turnstile::client::from_environment({.session_timeout = 6s});
    // The template turns any text into a valid name.
    const turnstile::path_template lock_of{"/situations/users/{}"};
    std::ifstream inbox{argv[1]};
    for (std::string user; std::getline(inbox, user);) {
        turnstile::mutex turn{servers, lock_of.format(user)};
        const auto hold = turn.acquire(1min);
        const auto is_new = hold && !is_in(ledger, user);
        if (is_new) std::this_thread::sleep_for(1ms);  // represents the work for this user
        if (const auto held = hold.and_then(&turnstile::guard::status); !held) {
            std::cerr << user << ": " << held.error().message() << '\n';
            return 1;  // the message is not acknowledged, so it will be delivered again
        }
        // The new line is both the credit for the user and the record that the user was credited. So no crash can come
        // between the two.
        if (is_new) std::ofstream{ledger, std::ios::app} << user << std::endl;
        std::cout << "acknowledged " << user << std::endl;
    }
}
