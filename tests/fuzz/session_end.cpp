// SPDX-License-Identifier: Apache-2.0
// Fuzzes answers of a server to the guardian, which closes the sessions of dead processes. The guardian's steps are the
// same however the bytes are cut into pieces. The guardian closes the session only after the server has answered the
// attach request.
#include <span>
#include <string>

#include "fuzz_input.hpp"
#include "guardian/end_answers.hpp"

namespace {

using namespace turnstile;
using fuzz::expect;
using step = guardian::end_answers::step;

struct course {
    bool attached = false;
    step last = step::wait;
    std::size_t used = 0;  // number of bytes that were consumed
};

course take_all(std::span<const std::byte> bytes, std::size_t piece) {
    guardian::end_answers answers;
    course out;
    while (!bytes.empty() && out.last != step::over && out.last != step::broken) {
        const auto room = answers.room();
        expect(!room.empty(), "there is no room for an answer");
        const auto count = std::min({piece, room.size(), bytes.size()});
        std::copy_n(bytes.begin(), count, room.begin());
        bytes = bytes.subspan(count);
        out.used += count;
        const auto next = answers.take(count);
        out.attached = out.attached || next == step::close;
        out.last = next == step::close ? step::wait : next;
    }
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t k_shortest_answer = 20;
    const auto bytes = std::as_bytes(std::span{data, size});
    const auto single = take_all(bytes, 1);
    if (single.last == step::over || single.attached)
        expect(single.used >= k_shortest_answer, "too few bytes for an answer");
    if (single.last == step::over && single.attached)
        expect(single.used >= 2 * k_shortest_answer, "a session was closed without an answer");
    // A single piece of bytes may contain the answers to both requests.
    for (const std::size_t piece : {std::size_t{7}, size}) {
        const auto other = take_all(bytes, std::max<std::size_t>(piece, 1));
        expect(other.last == single.last, "the end depends on the pieces");
        expect(other.attached <= single.attached, "an attach depends on the pieces");
        if (single.last == step::wait)
            expect(other.attached == single.attached, "an attach was not told");
    }
    return 0;
}
