// SPDX-License-Identifier: Apache-2.0
// Tests the output of `turnstile ask` and `turnstile take` for each outcome.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/taking.hpp"

namespace turnstile::cli {
namespace {

using nlohmann::json;

take_options order() {
    take_options options;
    options.path = "/locks/a";
    options.by = "ops";
    options.reason = "\x1b[2J\x80";
    return options;
}

contender holder() {
    contender target;
    target.name = "_c_1-lock-0000000004";
    target.metadata.host = "web-2";
    return target;
}

// Expects a sentence for people and a word for programs, as in "the contender's znode was deleted" and "deleted".
void expect_end(const take_report& report, const std::string& sentence, const std::string& word) {
    EXPECT_EQ(take_text(order(), report), sentence + "\n");
    EXPECT_EQ(json::parse(take_json(order(), report)).at("outcome"), word);
}

TEST(take_report, of_each_end) {
    expect_end({}, "/locks/a: free; no contender holds it", "free");
    expect_end({holder(), true, revocation_outcome::gave_way},
               "the contender released the lock or left the queue", "gave_way");
    expect_end({holder(), true, revocation_outcome::deleted}, "the contender's znode was deleted",
               "deleted");
    expect_end({holder(), false, revocation_outcome::gone_before},
               "the contender had left the queue before the order", "gone_before");
    EXPECT_TRUE(take_text(order(), {holder(), true}).starts_with("asked web-2, in the queue for "));
    EXPECT_EQ(json::parse(take_json(order(), {holder(), true})).at("outcome"), "asked");
}

TEST(take_report, is_one_object_in_one_line) {
    const auto text = take_json(order(), {holder(), true});
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    const auto said = json::parse(text);
    EXPECT_EQ(said.at("path"), "/locks/a");
    EXPECT_EQ(said.at("asked"), true);
    EXPECT_EQ(said.at("who"), "ops");
    EXPECT_EQ(said.at("why"), "\x1b[2J\xef\xbf\xbd");
    EXPECT_EQ(said.at("znode"), "_c_1-lock-0000000004");
    EXPECT_EQ(said.at("contender").at("host"), "web-2");
}

TEST(take_report, of_a_free_lock) {
    const auto said = json::parse(take_json(order(), {}));
    EXPECT_EQ(said.at("asked"), false);
    EXPECT_TRUE(said.at("znode").is_null());
    EXPECT_TRUE(said.at("contender").is_null());
}

}  // namespace
}  // namespace turnstile::cli
