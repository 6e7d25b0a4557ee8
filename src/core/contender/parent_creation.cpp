// SPDX-License-Identifier: Apache-2.0
#include "core/contender/parent_creation.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/path.hpp"
#include "core/contender/contender_errors.hpp"
#include "core/queue/permits.hpp"

namespace turnstile::core {

namespace {

// Limit for creating the parents again. The servers may remove the new folders, which are empty containers, before the
// contender's znode is in them.
constexpr int k_max_rounds = 16;

}  // namespace

bool parent_creation::expects(ticket id) const {
    return std::find(creating_.begin(), creating_.end(), id) != creating_.end();
}

std::optional<error> parent_creation::create(contender_session& c, const std::string& folder,
                                             folder_kind kind,
                                             std::optional<std::int32_t> permits) {
    TURNSTILE_CHECK(!is_under_way());
    if (refusal_) return refusal_;
    if (++rounds_ > k_max_rounds)
        return error{errc::protocol,
                     folder + " was deleted again each time after the client had created it"};
    if (kind == folder_kind::semaphore && !permits)
        return error{
            errc::bad_path,
            folder + " is no semaphore yet, and this call does not give the number of permits"};
    for (auto& path : base::path_from_root(folder)) {
        create_op parent{std::move(path), {}, c.parent_mode(), c.acl()};
        // The folder's data have the semaphore's limit, and must outlive the semaphore's last contender. So the folder
        // is persistent.
        if (kind == folder_kind::semaphore && parent.path == folder) {
            parent.data = limit_text({*permits, *permits});
            parent.mode = create_mode::persistent;
        }
        creating_.push_back(c.submit(std::move(parent)));
    }
    return std::nullopt;
}

consequence parent_creation::on_answer(contender_session& c, const std::string& folder,
                                       const reply& answer) {
    TURNSTILE_CHECK(expects(answer.id));
    // The first create is for the znode directly below the chroot. Answers come in the order of the creates.
    const bool first = creating_.size() == base::path_from_root(folder).size();
    std::erase(creating_, answer.id);
    if (answer.outcome != outcome::answered) {
        rounds_ = 0;  // a lost answer does not show that the parents vanish
        if (answer.outcome == outcome::unknown) c.parent_create_lost();
        return suspends{};
    }
    if (answer.error == server_error::unimplemented) c.containers_unsupported();
    if (answer.error == server_error::no_node && first) refusal_ = error{errc::no_chroot, folder};
    // Stores the refusal without reporting it: the parent may exist, and only the right to create it may be missing.
    if (auto why = folder_refusal(folder, answer.error)) refusal_ = std::move(why);
    // The contender sends its create next. If that create finds the folder missing again, the contender reports the
    // refusal to its caller.
    return goes_on{};
}

}  // namespace turnstile::core
