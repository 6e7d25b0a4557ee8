// SPDX-License-Identifier: Apache-2.0
#include "core/contender/permit_reading.hpp"

#include "base/check.hpp"
#include "core/contender/answer_class.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::core {

void permit_reading::read(contender_session& c, const std::string& folder) {
    TURNSTILE_CHECK(!reading_);
    reading_ = c.submit(get_op{folder});
}

void permit_reading::apply_list(const reply& list) {
    children_on_ = by_children_ ? list.connection : 0;
    list_mzxid_ = list.stat.mzxid;
}

consequence permit_reading::on_answer(const std::string& folder, std::optional<std::int32_t> wanted,
                                      const reply& answer) {
    // Ignores the answer to the write of settle(). A write into the folder fires the watch on it, so another read
    // follows. This read shows the folder's data, even if another client wrote first.
    TURNSTILE_CHECK(expects(answer.id));
    if (settling_.take_answer(answer)) return goes_on{};
    reading_.reset();
    switch (classify(answer)) {
        case answer_class::ok: break;
        case answer_class::forbidden: return refused{{errc::no_permission, "to read " + folder}};
        case answer_class::gone:
        case answer_class::conflict:
        case answer_class::over_quota:
        case answer_class::bad_acl:
        case answer_class::elsewhere:
        case answer_class::retry: return suspends{};
    }
    limit_ = parse_limit(answer.data);
    limit_mzxid_ = answer.stat.mzxid;
    limit_version_ = answer.stat.version;
    if (!limit_) return refused{no_semaphore(folder, answer.data)};
    if (wanted && *wanted != limit_->now)
        return refused{{errc::bad_option, folder + " has " + std::to_string(limit_->now) +
                                              " permits, not " + std::to_string(*wanted)}};
    return done{};
}

void permit_reading::settle(contender_session& c, const std::string& folder,
                            const std::vector<std::string>& children) {
    if (!limit_ || !is_open(*limit_)) return;
    if (settled_mzxid_ == limit_mzxid_) return;
    settled_mzxid_ = limit_mzxid_;
    const auto found = settled_limit(*limit_, {limit_->earlier, limit_->earlier}, children);
    if (found != *limit_) settling_ = c.submit(set_op{folder, limit_text(found), limit_version_});
}

}  // namespace turnstile::core
