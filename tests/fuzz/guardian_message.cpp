// SPDX-License-Identifier: Apache-2.0
// Fuzzes the messages to a guardian (a process that closes the sessions of dead processes). The guardian reads any
// bytes as one message or refuses them. If that message is written again, the bytes are the same.
#include "guardian/message.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace guardian = turnstile::guardian;
    const auto bytes = std::as_bytes(std::span{data, size});
    const auto read = guardian::decode(bytes);
    if (read && !std::ranges::equal(guardian::encode(*read), bytes)) {
        std::fprintf(stderr, "a message of %zu bytes is written in another way\n", size);
        std::abort();
    }
    return 0;
}
