// SPDX-License-Identifier: Apache-2.0
// probe CONNECT_STRING: takes a lock on the servers and releases it, then prints the libraries that the process has
// loaded. If the program cannot take the lock, it prints the reason and exits with 2.
#include <link.h>

#include <iostream>
#include <system_error>

#include "turnstile/turnstile.hpp"

namespace {

int print_name(dl_phdr_info* library, std::size_t /*size*/, void* /*unused*/) {
    if (*library->dlpi_name != '\0') std::cout << library->dlpi_name << '\n';
    return 0;
}

}  // namespace

int main(int, char** arguments) {
    try {
        turnstile::client servers{arguments[1]};
        turnstile::mutex lock{servers, "/orders"};
        const auto released = lock.acquire({.timeout = std::chrono::seconds{20}}).value().release();
        if (!released) throw std::runtime_error{released.error().message()};
    } catch (const std::system_error& refusal) {
        std::cout << refusal.what() << '\n';
        return 2;
    }
    ::dl_iterate_phdr(print_name, nullptr);
}
