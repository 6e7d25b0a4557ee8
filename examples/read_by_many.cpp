// SPDX-License-Identifier: Apache-2.0
// read_by_many: many processes read a cached value at the same time. A process that renews the value works alone, so
// that no reader sees half of it.
//
//     TURNSTILE_SERVERS=zk1:2181 read_by_many CACHE read|renew TIMES      (a file; start several at once)
#include <chrono>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    if (argc != 4) return std::cerr << "usage: read_by_many CACHE read|renew TIMES\n", 2;
    const std::string file = argv[1];
    const bool reads = argv[2] == std::string{"read"};
    const turnstile::client servers = turnstile::client::from_environment();
    turnstile::shared_mutex cache{servers, "/situations/cache"};
    for (int times = std::stoi(argv[3]); times != 0; --times) {
        // Readers share the lock. A writer waits for the readers before it, and later readers wait for the writer.
        const auto hold = reads ? cache.acquire_shared(30s) : cache.acquire(30s);
        if (!hold) {
            std::cerr << hold.error().message() << '\n';
            return 1;
        }
        if (reads) std::cout << "reads" << std::endl;
        std::string value, copy;
        std::ifstream{file} >> value >> copy;
        std::this_thread::sleep_for(1ms);  // represents the time for reading
        if (reads) {
            std::cout << "value " << value << ' ' << copy << std::endl;
            continue;
        }
        value = std::to_string(std::stoi(value) + 1);
        std::ofstream renewed{file};
        renewed << value << std::endl;
        std::this_thread::sleep_for(1ms);  // meanwhile the file is inconsistent
        renewed << value << std::endl;
    }
}
