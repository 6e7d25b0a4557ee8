// SPDX-License-Identifier: Apache-2.0
#include "cli/kind_words.hpp"

#include <optional>
#include <string_view>

namespace turnstile::cli {
namespace {

std::string_view option_of(wanted_kind kind) {
    switch (kind) {
        case wanted_kind::mutex: return "--mutex";
        case wanted_kind::exclusive: return "--exclusive";
        case wanted_kind::shared: return "--shared";
        case wanted_kind::permits: break;
    }
    return "--permits";
}

// Returns the options of `run` for a kind of lock. `kind`: the library's name. An election by LeaderLatch's protocol
// has no option.
std::string_view options_for(std::string_view kind) {
    if (kind == "mutex") return "--mutex";
    if (kind == "shared_mutex") return "--exclusive or --shared";
    return kind == "semaphore" ? "--permits" : "";
}

std::string with_detail(const error& failure, const std::string& detail) {
    return error{failure.code(), detail}.message();
}

// The library's sentence about a contender of another kind: "<path>: a <kind> came first at this path, and ...".
struct foreign_kind {
    std::string beginning;  // up to "at this path"
    std::string kind;
};

std::optional<foreign_kind> foreign_kind_in(const std::string& detail) {
    constexpr std::string_view k_article = ": a ";
    constexpr std::string_view k_first = " came first at this path";
    const auto end = detail.find(k_first);
    if (end == std::string::npos) return std::nullopt;
    const auto begin = detail.rfind(k_article, end);
    if (begin == std::string::npos) return std::nullopt;
    const auto kind = begin + k_article.size();
    return foreign_kind{detail.substr(0, end).append(k_first), detail.substr(kind, end - kind)};
}

}  // namespace

std::string message_with_options(const error& failure, wanted_kind wanted) {
    constexpr std::string_view k_no_semaphore = " is no semaphore: ";
    const auto& detail = failure.detail();
    // Only a semaphore's path has data. So programs have probably used a path without data for locks of other kinds.
    if (const auto end = detail.find(k_no_semaphore);
        end != std::string::npos && detail.ends_with("but \"\""))
        return with_detail(failure, detail.substr(0, end) +
                                        ": programs use this path without --permits (with --mutex, "
                                        "--exclusive or --shared): give the same option, or "
                                        "another path");
    const auto foreign = foreign_kind_in(detail);
    if (!foreign) return failure.message();
    const std::string theirs{options_for(foreign->kind)};
    std::string text = foreign->beginning;
    if (!theirs.empty()) text.append(" (").append(theirs).append(")");
    text.append(", and ").append(option_of(wanted)).append(" does not exclude a ");
    text.append(foreign->kind).append(": ");
    text.append(theirs.empty() ? "choose another path" : "give " + theirs + ", or another path");
    return with_detail(failure, text);
}

std::string message_of_elect(const error& failure) {
    const auto foreign = foreign_kind_in(failure.detail());
    if (!foreign) return failure.message();
    return with_detail(failure, foreign->beginning + ", and an election does not exclude a " +
                                    foreign->kind + ": choose another path");
}

}  // namespace turnstile::cli
