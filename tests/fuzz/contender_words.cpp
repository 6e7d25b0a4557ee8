// SPDX-License-Identifier: Apache-2.0
// Fuzzes the texts that contenders and operators write into znodes. Whatever a znode contains, each field that the
// library reads stays within its limits, and the command shows it without control characters. The library reads its own
// texts back unchanged. If an operator's request (`ask`) or order (`take`) is appended to a contender's data, the
// contender's fields stay the same.
#include <array>
#include <climits>
#include <string>
#include <string_view>

#include "base/metadata_limits.hpp"
#include "cli/status_pipe.hpp"
#include "core/queue/znode_texts.hpp"
#include "fuzz_input.hpp"
#include "support/utf8.hpp"
#include "support/visible.hpp"
#include "turnstile/lock_status.hpp"

namespace {

using namespace turnstile;
using fuzz::expect;

std::array<std::string*, 8> fields(contender_metadata& of) {
    return {&of.resource, &of.host,  &of.pid,     &of.thread,
            &of.label,    &of.owner, &of.timeout, &of.since};
}

bool have_same_fields(contender_metadata a, contender_metadata b) {
    a.text = b.text = {};
    const auto of_a = fields(a);
    const auto of_b = fields(b);
    return std::equal(of_a.begin(), of_a.end(), of_b.begin(),
                      [](const auto* x, const auto* y) { return *x == *y; });
}

void check_number(const std::string& field, long long largest) {
    if (field.empty()) return;
    expect(field.size() < 18 && field.find_first_not_of("0123456789") == std::string::npos,
           "a number has other characters", field);
    const auto value = std::stoll(field);
    expect(value >= 1 && value <= largest, "a number is out of its bounds", field);
}

// Checks that the shown field is UTF-8 without control characters and marks of direction, and that its JSON line is
// ASCII and short enough for one write to a pipe.
void check_shown(const std::string& field) {
    const auto shown = support::visible(field);
    auto line = cli::asked_line({field, field});
    line.pop_back();  // the newline
    expect(fuzz::is_printable_ascii(line) && line.size() < PIPE_BUF, "an odd status line", line);
    for (std::string_view rest = shown; !rest.empty();) {
        const auto [point, length] = support::decode_utf8(rest);
        expect(length != 0, "what is shown is no UTF-8", shown);
        const bool control = point < 0x20 || (point >= 0x7f && point < 0xa0) ||
                             (point >= 0x202a && point <= 0x202e) ||
                             (point >= 0x2066 && point <= 0x2069);
        expect(!control, "a control character is shown", shown);
        rest.remove_prefix(length);
    }
}

void check_claims(std::string_view data) {
    auto claimed = contender_metadata::parse(data);
    expect(claimed.text.size() <= 16 * 1024, "the text is too long");
    expect(claimed.host.size() <= 255, "the host is too long", claimed.host);
    expect(claimed.label.size() <= detail::k_longest_label, "the label is too long", claimed.label);
    expect(claimed.owner.size() <= detail::k_longest_owner, "the owner is too long", claimed.owner);
    expect(claimed.resource.size() <= 4096, "the path is too long", claimed.resource);
    expect(claimed.since.empty() || claimed.since.size() == 20, "the time is none", claimed.since);
    check_number(claimed.pid, 2'147'483'647);
    check_number(claimed.thread, 2'147'483'647);
    check_number(claimed.timeout, detail::k_longest_session_timeout.count());
    for (const auto* const field : fields(claimed)) check_shown(*field);
    check_shown(claimed.text);
    const auto written = claimed.to_string();
    expect(written.find_first_of("\n\r\t\x1b") == std::string::npos, "a line is broken", written);
    expect(have_same_fields(contender_metadata::parse(written), claimed),
           "fields are read in another way than they were written", written);
}

void check_order(std::string_view data) {
    const auto found = core::parse_revocation(data);
    if (!found) return;
    for (const auto* const words : {&found->by, &found->why}) {
        expect(words->size() <= core::k_longest_words, "the words are too long", *words);
        check_shown(*words);
    }
}

void check_written(const std::vector<std::string>& words) {
    core::revocation_text order{words[0].size() % 2 == 0 ? core::revocation_text::how::ask
                                                         : core::revocation_text::how::take,
                                words[0].substr(0, core::k_longest_words),
                                words[1].substr(0, core::k_longest_words)};
    const auto& data = words[2];
    const auto both = core::with_order(data, order);
    expect(core::parse_revocation(both) == order, "an order is read in another way", both);
    expect(have_same_fields(contender_metadata::parse(both), contender_metadata::parse(data)),
           "an order changes what the contender says", both);
    const auto left = core::without_orders(both, order);
    expect(left.size() <= data.size() && data.starts_with(left), "an order stays", both);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    check_claims(text);
    check_order(text);
    check_written(fuzz::lines_of(text, 3));
    return 0;
}
