// SPDX-License-Identifier: Apache-2.0
// Fuzzes the admin page's audit file: the reader returns the entries as they were written, and no foreign line between
// two entries hides or changes one of them.
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "admin/access/audit_log.hpp"
#include "fuzz_input.hpp"
#include "support/descriptor.hpp"

namespace {

using namespace turnstile;
using fuzz::expect;

// The library's entries begin with this text, which a hostile line does not contain.
constexpr std::string_view k_own = "/own-";

admin::audit_entry entry_of(const std::vector<std::string>& words, std::size_t number) {
    return {.time = admin::wall_time{std::chrono::seconds{1'700'000'000 + number}},
            .action = number == 0 ? "ask" : "take",
            .path = std::string{k_own} + std::to_string(number) + words[0],
            .kind = "mutex",
            .znode = words[1],
            .user = words[2],
            .by = words[3],
            .why = words[4],
            .from = words[5],
            .outcome = words[6],
            .message = words[7],
            .times = 1 + words[1].size()};
}

std::string without_own(std::string text) {
    for (auto at = text.find("own"); at != std::string::npos; at = text.find("own"))
        text.erase(at, 3);
    return text;
}

std::vector<admin::audit_entry> read_back(std::string_view lines) {
    const support::descriptor file{::memfd_create("audit", MFD_CLOEXEC)};
    expect(file.open(), "there is no file");
    expect(::write(file.get(), lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()),
           "the file cannot be written");
    const admin::audit_log log{"/proc/self/fd/" + std::to_string(file.get())};
    return log.read({}, 0, 1'000).entries;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t k_words = 8;
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    const auto words = fuzz::lines_of(input, k_words);
    std::size_t used = 0;
    for (const auto& each : words) used += each.size() + 1;
    const auto hostile = without_own(std::string{input.substr(std::min(used, size))});
    const auto first = admin::audit_line(entry_of(words, 0));
    const auto second = admin::audit_line(entry_of(words, 1));
    expect(fuzz::is_printable_ascii(first), "an entry is more than a line", first);
    std::vector<std::string> own;
    for (const auto& each : read_back(first + "\n" + hostile + "\n" + second + "\n"))
        if (each.path.starts_with(k_own)) own.push_back(admin::audit_line(each));
    expect(own == std::vector{second, first}, "entries are read back in another way",
           own.empty() ? "none" : own.back() + "\n" + first);
    return 0;
}
