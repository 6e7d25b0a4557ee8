// SPDX-License-Identifier: Apache-2.0
#include "core/contender/low_water_reading.hpp"

#include "base/check.hpp"
#include "core/queue/znode_texts.hpp"

namespace turnstile::core {

// `folder_version_` is the version of the folder's data at the latest read, if they were empty or a low-water mark
// (znode_texts.hpp) at that time. If they still have this version, they have not changed.
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
