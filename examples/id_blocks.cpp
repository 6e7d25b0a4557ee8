// SPDX-License-Identifier: Apache-2.0
// id_blocks: processes take blocks of a hundred ids from one counter, with no gap and none twice.
//
//     TURNSTILE_SERVERS=zk1:2181 id_blocks BLOCKS      (start several at once)
#include <chrono>
#include <iostream>
#include <string>

#include "connect_string.hpp"
#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

namespace {

struct block {
    long first, last;
};
constexpr const char* k_counter = "/situations/ids/next";

// The counter is kept at the servers, beside the lock: they refuse the write once the hold is lost, and if the counter
// is not as it was read.
turnstile::result<block> next_block(const turnstile::client& servers, turnstile::mutex& ids) {
    auto hold = ids.acquire({.timeout = 30s});
    if (!hold) return hold.error();
    const auto counter = turnstile::read_node(servers, k_counter);
    if (!counter && counter.error() != turnstile::errc::no_node) return counter.error();
    const long first = counter ? std::stol(counter->data) : 1;
    const auto next = std::to_string(first + 100);
    turnstile::transaction writes;
    if (counter) writes.set(k_counter, next, counter->version);
    if (!counter) writes.create(k_counter, next);
    return hold->commit(writes).transform([&](const auto&) { return block{first, first + 99}; });
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: id_blocks BLOCKS\n", 2;
    const turnstile::client servers{connect_string()};
    turnstile::mutex ids{servers, "/situations/ids/lock"};
    for (int left = std::stoi(argv[1]); left != 0;) {
        const auto taken = next_block(servers, ids);
        if (!taken && (taken.error() == turnstile::errc::bad_version ||
                       taken.error() == turnstile::errc::node_exists))
            continue;  // the server that was read from was behind
        std::cout << "ids " << taken.value().first << " to " << taken->last << std::endl;
        --left;
    }
}
