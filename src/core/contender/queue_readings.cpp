// SPDX-License-Identifier: Apache-2.0
#include "core/contender/queue_readings.hpp"

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/answers.hpp"
#include "core/queue/permits.hpp"
#include "core/queue/znode_texts.hpp"

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

// `folder_version_` is the version that the folder's data had when the contender last found them empty, or found a
// low-water mark in them (znode_texts.hpp). While the version is the same, the data have not changed.
void low_water_reading::apply_list(const stat& folder, std::size_t children) {
    listed_ = static_cast<std::uint32_t>(children);
    if (folder.data_length == 0) {  // place: folder_without_data
        folder_version_ = folder.version;
    } else if (folder_version_ != folder.version) {
        folder_version_.reset();
    }
}

set_op low_water_reading::raise(const std::string& folder, contender_family of,
                                std::int32_t own) const {
    TURNSTILE_CHECK(folder_version_);
    return {folder, low_water_text(of, own), *folder_version_};  // place: write_of_low_water_mark
}

void low_water_reading::read(contender_session& c, const std::string& folder,
                             std::int32_t nearest) {
    TURNSTILE_CHECK(!reading_);
    nearest_ = nearest;
    reading_ = c.submit(get_op{folder});
}

consequence low_water_reading::on_answer(const reply& answer, contender_family of,
                                         std::optional<std::int32_t> own) {
    TURNSTILE_CHECK(expects(answer.id));
    reading_.reset();
    if (answer.outcome != outcome::answered) return suspends{};
    const bool read = answer.error == server_error::ok;
    const auto mark = read ? parse_low_water_mark(of, answer.data) : std::nullopt;
    const bool ours = read && (mark || answer.data.empty());
    folder_version_ = ours ? std::optional{answer.stat.version} : std::nullopt;
    if (mark && own && leaves_nobody_ahead(*mark, nearest_, *own)) return done{};
    return goes_on{};  // the mark proves nothing: list the folder's children
}

}  // namespace turnstile::core
