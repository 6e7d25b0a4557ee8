// SPDX-License-Identifier: Apache-2.0
// Tests path templates: every argument becomes one node name, whatever bytes it has.
#include "turnstile/path_template.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "base/path.hpp"
#include "base/random.hpp"
#include "core/queue/contender_name.hpp"
#include "turnstile/turnstile.hpp"

namespace turnstile {
namespace {

using std::string_literals::operator""s;
using std::string_view_literals::operator""sv;

std::string formatted(std::string_view argument) {
    return path_template{"/locks/{}"}.format(argument).substr(std::string{"/locks/"}.size());
}

// Returns the message of the exception that `call` throws.
template <class F>
std::string refusal(F&& call) {
    try {
        static_cast<void>(call());
    } catch (const std::system_error& why) {
        EXPECT_EQ(why.code(), errc::bad_path);
        return why.what();
    }
    return "accepted";
}
std::string template_refusal(std::string_view text) {
    return refusal([&] { return path_template{text}; });
}

TEST(path_template, puts_arguments_into_their_places) {
    EXPECT_EQ(path_template{"/locks/orders/{}"}.format("a-17"), "/locks/orders/a-17");
    EXPECT_EQ(path_template{"/{}/orders/no-{}-of/{}"}.format("shop"s, 17, "b"sv),
              "/shop/orders/no-17-of/b");
    EXPECT_EQ(path_template{"/locks/all"}.format(), "/locks/all");
    EXPECT_EQ(path_template{"/a/{{{}}}"}.format("x"), "/a/{x}");
    EXPECT_EQ(path_template{"/a/{{}}"}.format(), "/a/{}");
    const std::vector<std::string_view> given{"x", "y"};
    EXPECT_EQ(path_template{"/a/{}/{}"}.format_list(given), "/a/x/y");
}

TEST(path_template, tells_what_it_is) {
    const path_template orders{"/locks/{}/{{x}}/{}"};
    EXPECT_EQ(orders.text(), "/locks/{}/{{x}}/{}");
    EXPECT_EQ(orders.arguments(), 2U);
}

TEST(path_template, writes_integers_in_decimal) {
    const path_template pattern{"/x/{}"};
    EXPECT_EQ(pattern.format(std::int64_t{-5}), "/x/-5");
    EXPECT_EQ(pattern.format(std::uint64_t{18446744073709551615U}), "/x/18446744073709551615");
    EXPECT_EQ(pattern.format(std::uint8_t{65}), "/x/65");
    EXPECT_EQ(pattern.format(42), pattern.format("42"));
    static_assert(!path_argument<bool>);
    static_assert(!path_argument<char>);
    static_assert(!path_argument<std::nullptr_t>);
    static_assert(!path_argument<double>);
}

TEST(path_template, escapes_what_a_name_may_not_be) {
    EXPECT_EQ(formatted(""), "%empty");
    EXPECT_EQ(formatted("%empty"), "%25empty");
    EXPECT_EQ(formatted("."), "%2e");
    EXPECT_EQ(formatted(".."), "%2e.");
    EXPECT_EQ(formatted("../../etc"), "%2e.%2f..%2fetc");
    EXPECT_EQ(formatted("%2e"), "%252e");
    EXPECT_EQ(formatted("a\0b"sv), "a%00b");
    EXPECT_EQ(formatted("two words\n\x7f"), "two%20words%0a%7f");
    EXPECT_EQ(formatted("\xff\xc3("), "%ff%c3(");
    EXPECT_EQ(formatted("\xc2\x80"), "%c2%80");                // a control character
    EXPECT_EQ(formatted("\xf0\x9f\x94\x92"), "%f0%9f%94%92");  // above ZooKeeper's range
    EXPECT_EQ(formatted("gr\xc3\xbc"
                        "n/\xe6\x97\xa5"),
              "gr\xc3\xbc"
              "n%2f\xe6\x97\xa5");
    EXPECT_EQ(formatted("a.b"), "a.b");
}

// A dot in the template before an argument must never form ".." with the argument.
TEST(path_template, joins_no_dots) {
    const path_template hidden{"/x/.{}"};
    EXPECT_EQ(hidden.format("."), "/x/.%2e");
    EXPECT_EQ(hidden.format(""), "/x/.%empty");
}

// Queues ignore children that are no contenders. So the folder of a nested lock must not be named like a contender.
TEST(path_template, makes_no_name_of_a_recipes_own) {
    EXPECT_EQ(formatted("lock-0000000001"), "lock-000000000%31");
    EXPECT_EQ(formatted("lock--2147483648"), "lock--214748364%38");
    EXPECT_EQ(formatted("lock--000000001"), "lock--00000000%31");
    EXPECT_EQ(formatted("x-lease-0000000001"), "x-lease-000000000%31");
    EXPECT_EQ(formatted("x-lease3-0000000001"), "x-lease3-000000000%31");
    EXPECT_EQ(formatted("a__READ__0000000001"), "a__READ__000000000%31");
    EXPECT_EQ(formatted("1700000000"), "1700000000");
    EXPECT_EQ(formatted("order-1700000000"), "order-1700000000");
    EXPECT_EQ(formatted("lock-1"), "lock-1");
    EXPECT_EQ(path_template{"/x/lock-{}"}.format("0000000001"), "/x/lock-000000000%31");
    EXPECT_EQ(path_template{"/x/lock-{}9"}.format("000000000"), "/x/lock-00000000%309");
}

TEST(path_template, keeps_out_of_zookeepers_own_folder) {
    EXPECT_EQ(path_template{"/{}"}.format("zookeeper"), "/zookeepe%72");
    EXPECT_EQ(path_template{"/zoo{}/x"}.format("keeper"), "/zookeepe%72/x");
    EXPECT_EQ(path_template{"/locks/{}"}.format("zookeeper"), "/locks/zookeeper");
}

TEST(path_template, cuts_what_is_long_and_adds_a_digest) {
    EXPECT_EQ(formatted(std::string(128, 'x')), std::string(128, 'x'));
    // All versions must compute the same digest: uuid.uuid5(space, "x" * 129) in Python.
    EXPECT_EQ(formatted(std::string(129, 'x')),
              std::string(80, 'x') + "%~80e1786f-a8a0-5287-b14a-88e6bf9fb144");
    const auto slashes = formatted(std::string(100'000, '/'));
    EXPECT_EQ(slashes.size(), 78U + 2U + 36U);  // the cut is not inside an escape
    EXPECT_NE(slashes, formatted(std::string(100'001, '/')));
}

TEST(path_template, refuses_a_bad_template_by_its_rule) {
    EXPECT_EQ(
        template_refusal("/a/{"),
        "bad path: path template \"/a/{\": \"{\" at byte 3 has no partner; write \"{}\" for an "
        "argument, and the brace twice for the character itself");
    EXPECT_NE(template_refusal("/a/}x").find("\"}\" at byte 3 has no partner"), std::string::npos);
    EXPECT_NE(template_refusal("/a/{0}").find("\"{\" at byte 3 has no partner"), std::string::npos);
    EXPECT_NE(template_refusal("/a/{{}").find("\"}\" at byte 5 has no partner"), std::string::npos);
    EXPECT_NE(template_refusal("a/{}").find("must start with \"/\""), std::string::npos);
    EXPECT_NE(template_refusal("{}").find("must start with \"/\""), std::string::npos);
    EXPECT_NE(template_refusal("").find("must not be empty"), std::string::npos);
    EXPECT_NE(template_refusal("/").find("the root cannot be a lock's path"), std::string::npos);
    EXPECT_NE(template_refusal("/a/").find("must not end with \"/\""), std::string::npos);
    EXPECT_NE(template_refusal("/{}/").find("must not end with \"/\""), std::string::npos);
    EXPECT_NE(template_refusal("/a//{}").find("empty name"), std::string::npos);
    EXPECT_NE(template_refusal("/../{}").find("the name \"..\""), std::string::npos);
    EXPECT_NE(template_refusal("/a\n/{}").find("is not allowed"), std::string::npos);
    EXPECT_NE(template_refusal("/a/{}{}").find("two arguments in one name"), std::string::npos);
    EXPECT_NE(template_refusal("/a/{}-{}/b").find("two arguments in one name"), std::string::npos);
}

TEST(path_template, refuses_another_number_of_arguments) {
    const path_template pattern{"/locks/{}"};
    EXPECT_EQ(refusal([&] { return pattern.format(); }),
              "bad path: path template \"/locks/{}\": takes 1 argument, was given 0");
    EXPECT_EQ(refusal([&] { return pattern.format("a", "b"); }),
              "bad path: path template \"/locks/{}\": takes 1 argument, was given 2");
    EXPECT_EQ(refusal([] { return path_template{"/locks/x"}.format(1); }),
              "bad path: path template \"/locks/x\": takes 0 arguments, was given 1");
}

TEST(path_template, refuses_a_path_that_becomes_too_long) {
    const path_template near{"/" + std::string(base::k_longest_path - 4, 'x') + "/{}"};
    EXPECT_EQ(near.format("ab").size(), base::k_longest_path);
    EXPECT_NE(refusal([&] { return near.format("abc"); }).find("has 32769 bytes"),
              std::string::npos);
}

TEST(path_template, names_a_lock) {
    client servers{"local:path-template-test"};
    const path_template orders{"/locks/orders/{}"};
    mutex m{servers, orders.format("../7")};
    const auto hold = m.acquire({.timeout = std::chrono::seconds{30}}).value();
    EXPECT_EQ(hold.path(), "/locks/orders/%2e.%2f7");
}

TEST(path_template, gives_arguments_back) {
    EXPECT_EQ(path_template::unescape("%empty"), "");
    EXPECT_EQ(path_template::unescape("lock-000000000%31"), "lock-0000000001");
    for (const auto& text : {""s, "%"s, "%4"s, "%4G"s, "%4A"s, "a%~b"s, "%emptyx"s,
                             path_template::escape(std::string(129, 'x'))})
        EXPECT_EQ(path_template::unescape(text), std::nullopt) << text;
}

// ---- random bytes ---------------------------------------------------------------------------

// Makes an argument from few parts, which are likely to interact. These parts contain all characters that the rules
// mention.
std::string random_argument(base::random& chance) {
    static const std::vector<std::string> k_parts{
        "/",    ".",        "%",         "%2e",  "%empty", "%~",     "\0"s,
        "\xff", "\xc3\xbc", "a",         "lock", "lock-",  "lease-", "0000000001",
        "-",    "1",        "zookeeper", "\x1f", " ",      "{}"};
    std::string argument;
    for (auto left = chance() % 8; left != 0; --left) {
        if (chance() % 4 == 0) {
            argument += static_cast<char>(chance());
        } else {
            argument += k_parts[chance() % k_parts.size()];
        }
    }
    if (chance() % 50 == 0) argument.append(chance() % 200, argument.empty() ? 'x' : argument[0]);
    return argument;
}

TEST(path_template, is_injective_for_random_bytes) {
    base::random chance{20261121};
    const std::vector<path_template> templates{
        path_template{"/{}"},          path_template{"/locks/{}"},      path_template{"/l/lock-{}"},
        path_template{"/l/.{}"},       path_template{"/l/{}/{}/x"},     path_template{"/zoo{}/b"},
        path_template{"/l/a-{}-b/{}"}, path_template{"/l/lock-{}01/{}"}};
    std::vector<std::map<std::string, std::vector<std::string>>> seen(templates.size());
    for (int i = 0; i != 100'000; ++i) {
        const auto which = chance() % templates.size();
        std::vector<std::string> arguments(templates[which].arguments());
        for (auto& argument : arguments) argument = random_argument(chance);
        const auto path = templates[which].format_list(
            std::vector<std::string_view>(arguments.begin(), arguments.end()));
        ASSERT_TRUE(base::validate_path(path)) << base::printable(path);
        const auto count = [](std::string_view text) {
            return std::count(text.begin(), text.end(), '/');
        };
        ASSERT_EQ(count(path), count(templates[which].text())) << path;
        ASSERT_NE(path, "/zookeeper");
        ASSERT_FALSE(core::contender_sequence(path.substr(path.rfind('/') + 1))) << path;
        const auto [before, fresh] = seen[which].emplace(path, arguments);
        ASSERT_TRUE(fresh || before->second == arguments) << path;
    }
}

TEST(path_template, matches_its_own_paths_and_no_others) {
    base::random chance{11};
    const path_template orders{"/l/a-{}-b/{}/c"};
    for (int i = 0; i != 10'000; ++i)
        ASSERT_TRUE(
            orders.matches(orders.format(random_argument(chance), random_argument(chance))));
    EXPECT_TRUE(orders.matches("/l/a-b-b/-b/c"));
    EXPECT_TRUE(path_template{"/l"}.matches("/l"));
    EXPECT_TRUE(path_template{"/{}"}.matches("/l"));
    for (const auto* other :
         {"", "/l", "/l/a--b/x/c", "/l/a-1-b//c", "/l/a-1-b/x", "/l/a-1-b/x/c/d", "/l/a-1-x/x/c",
          "/k/a-1-b/x/c", "/l/a-1-b/x/y/c", "/l/a-1-b/x/cc"})
        EXPECT_FALSE(orders.matches(other)) << other;
    EXPECT_FALSE(path_template{"/{}"}.matches("/"));
    EXPECT_FALSE(path_template{"/{}"}.matches("/l/m"));
    EXPECT_FALSE(path_template{"/l"}.matches("/l/m"));
}

TEST(path_template, escapes_so_that_it_can_be_undone) {
    base::random chance{7};
    for (int i = 0; i != 100'000; ++i) {
        const auto argument = random_argument(chance);
        const auto escaped = path_template::escape(argument);
        ASSERT_LE(escaped.size(), path_template::k_longest_argument);
        ASSERT_TRUE(base::validate_path('/' + escaped));
        if (escaped.find("%~") == std::string::npos) {
            ASSERT_EQ(path_template::unescape(escaped), argument);
        }
    }
}

}  // namespace
}  // namespace turnstile
