// SPDX-License-Identifier: Apache-2.0
#include "cli/known_bugs.hpp"

#include <array>
#include <charconv>
#include <optional>

namespace turnstile::cli {
namespace {

using release = std::array<int, 3>;

// A bug that affects the releases from `first` up to, but not including, `mended`.
struct known_bug {
    const char* issue;
    release first;
    release mended;
};

constexpr release k_oldest{0, 0, 0};
// Source: the code of the releases (Learner.syncWithLeader). Release 3.8.5 fixed the first four bugs. Release 3.9.0
// still has them, because it was published earlier.
constexpr std::array k_bugs{
    known_bug{"ZOOKEEPER-4643", k_oldest, {3, 8, 5}},
    known_bug{"ZOOKEEPER-4643", {3, 9, 0}, {3, 9, 2}},
    known_bug{"ZOOKEEPER-4646", k_oldest, {3, 8, 5}},
    known_bug{"ZOOKEEPER-4646", {3, 9, 0}, {3, 9, 2}},
    known_bug{"ZOOKEEPER-4685", k_oldest, {3, 8, 5}},
    known_bug{"ZOOKEEPER-4685", {3, 9, 0}, {3, 9, 2}},
    known_bug{"ZOOKEEPER-4785", k_oldest, {3, 8, 5}},
    known_bug{"ZOOKEEPER-4785", {3, 9, 0}, {3, 9, 2}},
    known_bug{"ZOOKEEPER-4925", {3, 9, 3}, {3, 9, 4}},
};

std::optional<release> release_of(std::string_view version) {
    release numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (std::size_t i = 0; i != numbers.size(); ++i) {
        const auto [rest, failure] = std::from_chars(at, end, numbers[i]);
        const bool last = i + 1 == numbers.size();
        if (failure != std::errc{} || (last ? rest != end : rest == end || *rest != '.'))
            return std::nullopt;
        at = last ? rest : rest + 1;
    }
    return numbers;
}

}  // namespace

known_bugs bugs_of_release(std::string_view version) {
    known_bugs found;
    const auto running = release_of(version);
    if (!running) return found;
    for (const auto& bug : k_bugs)
        if (*running >= bug.first && *running < bug.mended) found.issues.emplace_back(bug.issue);
    if (!found.issues.empty())
        found.mended_in = *running < release{3, 9, 0} ? "3.8.5, or 3.9.4" : "3.9.4";
    return found;
}

}  // namespace turnstile::cli
