// SPDX-License-Identifier: Apache-2.0
#include "recipe/operator/participants.hpp"

#include <gtest/gtest.h>

namespace turnstile::detail {
namespace {

TEST(participant_text, comes_back) {
    for (const auto& each : {published{"host-1", ""}, published{"host 1\n=", "10.0.0.7:80"},
                             published{"a", "b\nturnstile-data=c"}})
        EXPECT_EQ(parse_participant(participant_text(each.id, each.data)), each);
}

// Participants of Curator and of earlier versions write only their id.
TEST(participant_text, an_id_alone_is_written_as_it_is) {
    EXPECT_EQ(participant_text("host-1", ""), "host-1");
    EXPECT_EQ(parse_participant("turnstile-data=x"), (published{"turnstile-data=x", ""}));
    EXPECT_EQ(parse_participant(""), (published{"", ""}));
}

}  // namespace
}  // namespace turnstile::detail
