// SPDX-License-Identifier: Apache-2.0
// sold_once: several shops sell from one stock, and sell no piece twice.
//
//     TURNSTILE_SERVERS=zk1:2181 sold_once STOCK      (a file with the number of pieces; start several at once)
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

int pieces_in(const std::string& file) {
    int pieces = 0;
    std::ifstream{file} >> pieces;
    return pieces;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: sold_once STOCK\n", 2;
    const std::string file = argv[1];
    const turnstile::client servers = turnstile::client::from_environment();
    turnstile::mutex stock{servers, "/situations/stock"};
    for (;;) {
        // Only one sale happens at a time, over all processes. So the number that is read here is still true when the
        // code below writes it.
        const auto hold = stock.acquire(30s);
        if (!hold) {
            std::cerr << hold.error().message() << '\n';
            return 1;
        }
        const int pieces = pieces_in(file);
        if (pieces == 0) return 0;
        std::this_thread::sleep_for(1ms);  // represents the time of a sale

        if (!hold->valid()) continue;  // this process was stopped meanwhile, so it begins again
        std::ofstream{file} << pieces - 1;
        std::cout << "sold piece " << pieces << std::endl;
    }  // the lock is released here
}
