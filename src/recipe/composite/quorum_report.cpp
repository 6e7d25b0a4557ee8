// SPDX-License-Identifier: Apache-2.0
#include "recipe/composite/quorum_report.hpp"

#include <algorithm>

namespace turnstile::detail {

core::quorum::next worth_asking_again(const error& why) {
    switch (why.code()) {
        case errc::timeout:
        case errc::busy:
        case errc::cancelled:
        case errc::session_lost:
        case errc::removed:
        case errc::not_connected:
        case errc::too_many: return core::quorum::next::again;
        default: return core::quorum::next::never;
    }
}

errc code_of(const std::vector<std::optional<error>>& answers, bool tried) {
    const auto find = [&answers](auto&& good) {
        const auto at = std::find_if(answers.begin(), answers.end(), [&good](const auto& answer) {
            return answer && good(*answer);
        });
        return at == answers.end() ? std::nullopt : *at;
    };
    if (tried && find([](const error& answer) { return answer == errc::busy; })) return errc::busy;
    if (const auto last = find([](const error& answer) {
            return worth_asking_again(answer) == core::quorum::next::never;
        }))
        return last->code();
    const auto any = find([](const error&) { return true; });
    return any ? any->code() : errc::not_connected;
}

error no_majority(const std::string& path, const std::string& answers) {
    return {errc::session_lost,
            path + ": no majority of the ensembles keeps the hold any more: " + answers};
}

}  // namespace turnstile::detail
