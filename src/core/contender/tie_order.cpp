// SPDX-License-Identifier: Apache-2.0
#include "core/contender/tie_order.hpp"

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/answer_class.hpp"

namespace turnstile::core {

void tie_order::ask(contender_session& c, const std::string& folder,
                    const std::vector<std::string>& tied) {
    TURNSTILE_CHECK(!tied.empty());
    for (const auto& name : tied)
        asking_.emplace(c.submit(get_op{base::child_path(folder, name)}), name);
}

consequence tie_order::on_answer(const reply& answer) {
    TURNSTILE_CHECK(asking_.contains(answer.id));
    const auto name = asking_.extract(answer.id).mapped();
    switch (classify(answer)) {
        case answer_class::ok: learn(name, answer.stat.czxid); return goes_on{};
        // The other contender's znode is gone. Our znode may be gone as well, and may have gone first. Only a list of
        // the folder's children shows both znodes at the same instant.
        case answer_class::gone: return lists_again{};
        case answer_class::forbidden:
            return refused{{errc::no_permission,
                            "to read " + name +
                                ", a contender with the same number as this client's contender"}};
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: break;
    }
    return suspends{};
}

}  // namespace turnstile::core
