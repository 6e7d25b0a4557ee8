// SPDX-License-Identifier: Apache-2.0
// shared_mutex: readers together, a writer alone, and a reader that becomes a writer.
//
//     shared_mutex [connect string]      (default: "local:", which needs no server)
#include <chrono>
#include <iostream>
#include <shared_mutex>

#include "turnstile/turnstile.hpp"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
    turnstile::client servers{argc > 1 ? argv[1] : "local:"};
    servers.wait_connected(30s).value();
    turnstile::shared_mutex prices{servers, "/locks/prices"};
    const auto holders = [&prices] { return prices.holders().value().size(); };

    // 1. Readers share the lock. An upgradable reader may become a writer.
    auto reader = prices.acquire_shared({.timeout = 10s}).value();
    auto editor = prices.acquire_upgrade({.timeout = 10s}).value();
    std::cout << "readers: " << holders() << '\n';
    const auto alone = prices.try_upgrade(editor);
    std::cout << "upgrade beside a reader: "
              << (alone.error() == turnstile::errc::busy ? "busy" : "unexpected") << '\n';

    // 2. The first reader releases the lock. The upgradable reader becomes the writer without a release, so no other
    // client writes in between.
    reader.release().value();
    const auto read_at = editor.fencing_token();
    prices.upgrade(editor, {.timeout = 10s}).value();
    std::cout << "upgraded, with a larger token: " << std::boolalpha
              << (editor.fencing_token() > read_at) << '\n';
    std::cout << "a reader beside it: "
              << (prices.try_acquire_shared().has_value() ? "unexpected" : "has to wait") << '\n';

    // 3. The writer becomes a reader without a release, so no other client writes in between.
    prices.downgrade_to_shared(editor).value();
    {
        const std::shared_lock reading{prices};
        std::cout << "readers: " << holders() << '\n';
    }
}
