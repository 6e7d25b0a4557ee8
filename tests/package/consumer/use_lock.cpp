// SPDX-License-Identifier: Apache-2.0
// Takes a lock whose contenders are all in this process. The lock needs no server.
#include <iostream>

#include "turnstile/turnstile.hpp"

int main() {
    turnstile::client client{"local:package-test"};
    turnstile::mutex mutex{client, "/locks/a"};
    auto hold = mutex.acquire();
    if (!hold) {
        std::cerr << hold.error().message() << '\n';
        return 1;
    }
    std::cout << "fencing token " << hold->fencing_token().to_string() << '\n';
}
