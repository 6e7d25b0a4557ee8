#include "core/permits.hpp"

#include <gtest/gtest.h>

namespace turnstile::core {
namespace {

TEST(permits, are_written_and_read_back) {
    for (const auto& [limit, text] :
         {std::pair{permit_limit{5, 5}, "5"}, std::pair{permit_limit{2, 5}, "2 was 5"},
          std::pair{permit_limit{1, 1}, "1"},
          std::pair{permit_limit{2147483647, 2147483647}, "2147483647"}}) {
        EXPECT_EQ(limit_text(limit), text);
        EXPECT_EQ(parse_limit(text), limit);
    }
    EXPECT_EQ(limit_text({5, 2}), "5") << "what is less than now says nothing";
    EXPECT_EQ(parse_limit("5 was 2"), (permit_limit{5, 5}));
    EXPECT_EQ(parse_limit("007"), (permit_limit{7, 7}));
}

TEST(permits, what_is_no_number_of_permits_is_nothing) {
    for (const auto* text : {"", " ", "0", "-1", "5 ", " 5", "5x", "five", "2147483648", "5 was",
                             "5 was ", "5 was 0", "5 was x", " was 5", "5 was 6 was 7", "5 WAS 6"})
        EXPECT_FALSE(parse_limit(text)) << '"' << text << '"';
}

}  // namespace
}  // namespace turnstile::core
