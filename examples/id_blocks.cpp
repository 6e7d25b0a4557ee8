// SPDX-License-Identifier: Apache-2.0
// id_blocks: processes take blocks of a hundred ids from one counter. No id is left out, and no id is given twice.
//
//     TURNSTILE_SERVERS=zk1:2181 id_blocks BLOCKS      (start several at once)
#include <chrono>
#include <iostream>
#include <string>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

struct block {
    long first, last;
};
constexpr const char* k_counter = "/situations/ids/next";

// The counter is a znode beside the lock. A read under the hold sees the value that the previous holder wrote. If the
// hold is lost, the servers refuse the write.
turnstile::result<block> next_block(turnstile::mutex& ids) {
    auto hold = ids.acquire(30s);
    if (!hold) return hold.error();
    const auto counter = turnstile::read_node(*hold, k_counter);
    if (!counter && counter.error() != turnstile::errc::no_node) return counter.error();
    const long first = counter ? std::stol(counter->data) : 1;
    const auto writes = turnstile::transaction{}.put(k_counter, std::to_string(first + 100));
    return hold->commit(writes).transform([&](const auto&) { return block{first, first + 99}; });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: id_blocks BLOCKS\n", 2;
    const turnstile::client servers = turnstile::client::from_environment();
    turnstile::mutex ids{servers, "/situations/ids/lock"};
    for (int left = std::stoi(argv[1]); left != 0; --left) {
        const auto taken = next_block(ids);
        if (!taken) {
            std::cerr << taken.error().message() << '\n';
            return 1;
        }
        std::cout << "ids " << taken->first << " to " << taken->last << std::endl;
    }
}
