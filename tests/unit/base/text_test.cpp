// SPDX-License-Identifier: Apache-2.0
#include "turnstile/text.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "turnstile/fmt.hpp"
#include "turnstile/ostream.hpp"

namespace turnstile {
namespace {

template <class V>
void expect_printed(const V& value, const std::string& text) {
    EXPECT_EQ(text_of(value), text);
    std::ostringstream out;
    out << value;
    EXPECT_EQ(out.str(), text);
    EXPECT_EQ(fmt::format("{}", value), text);
    EXPECT_EQ(fmt::format("{:>200}", value), std::string(200 - text.size(), ' ') + text);
}

TEST(text, is_the_same_wherever_it_is_printed) {
    expect_printed(fencing_token{0x500000007, 3}, "0x500000007+3");
    expect_printed(session_state::suspended, "suspended");
    expect_printed(server_role::leader, "leader");
    expect_printed(contender_kind::upgradable, "upgradable");
    expect_printed(errc::busy, make_error_code(errc::busy).message());
    expect_printed(error{errc::busy, "1 ahead on /a"},
                   error{errc::busy, "1 ahead on /a"}.message());
    expect_printed(
        fencing_vector{{{"/a", fencing_token{1}}, {"/b", fencing_token{2}}}},
        fencing_vector{{{"/a", fencing_token{1}}, {"/b", fencing_token{2}}}}.to_string());
}

static_assert(has_text<owner> && !has_text<int> && !has_text<std::string>);

}  // namespace
}  // namespace turnstile
