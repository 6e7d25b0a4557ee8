// SPDX-License-Identifier: Apache-2.0
// Fuzzes answers of a server to a client that opens a session. The client must read no more bytes than the server sent,
// and must return no more paths than these bytes can contain. It accepts a session only from an answer with a session
// id.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "zookeeper/raw_session.hpp"

namespace {

using namespace turnstile::zookeeper;

// A stream that delivers the input and then ends.
class input_stream final : public byte_stream {
public:
    explicit input_stream(std::string_view bytes) : rest_{bytes} {}

    bool write(std::string_view) override { return true; }
    bool read(std::span<char> bytes) override {
        if (rest_.size() < bytes.size()) return false;
        std::copy_n(rest_.begin(), bytes.size(), bytes.begin());
        rest_.remove_prefix(bytes.size());
        return true;
    }
    void finish() override {}
    std::string reason() const override { return "the input has ended"; }

private:
    std::string_view rest_;
};

void check(bool holds) {
    if (!holds) std::abort();
}

void open_with(std::string_view answers, const std::string& credentials) {
    input_stream link{answers};
    const auto result = open_session(link, {.timeout_ms = 10'000, .credentials = credentials});
    if (result.outcome == opening_outcome::opened) check(result.session.id != 0);
    if (result.outcome == opening_outcome::shared) check(result.owned.count > 0);
    check(result.owned.paths.size() <= result.owned.count);
    check(result.owned.paths.size() * k_length_bytes <= answers.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view answers{reinterpret_cast<const char*>(data), size};
    open_with(answers, {});
    open_with(answers, "me:secret");
    return 0;
}
