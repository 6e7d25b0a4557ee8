// SPDX-License-Identifier: Apache-2.0
// The hand-over in a long queue, by its floor (queue_floor.hpp), at a cost that does not grow with the queue.
//
// | who                                             | asks for                          | then          |
// |-------------------------------------------------|-----------------------------------|---------------|
// | a waiter that has lost the nearest one ahead,   | the folder's data, and its own    | granted, if   |
// | and saw a long queue in which more were ahead   | znode, which no list shows        | the floor is  |
// |                                                 |                                   | not below     |
// |                                                 |                                   | that one; or  |
// |                                                 |                                   | it lists      |
// | who has, or had, nobody ahead, saw a long queue | remove its znode and raise the    |               |
// | and knows the version of the folder's data      | floor in one transaction          |               |
//
// A waiter that gives up writes none, nor do other libraries: then the next one lists, and goes on from there.
#include "core/contender/acquisition.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/queue_floor.hpp"

namespace turnstile::core {

bool acquisition::may_ask_for_the_floor(std::uint64_t connection) const {
    return listed_on_ == connection && is_ordered() && waits() && listed_ >= settings_.long_queue;
}

void acquisition::ask_for_the_floor(acquisition_context& c, const packed_name& gone) {
    const auto number = gone.sequence();
    if (!number) {
        listed_on_ = 0;
        return;
    }
    nearest_ = *number;
    questions_.change().reading_floor = c.submit(get_op{folder()});
    if (own_watched_on_ != c.connection()) look_at_own_znode(c);  // place: looks_beside_the_floor
}

void acquisition::on_floor(acquisition_context& c, const reply& answer) {
    if (answer.what != outcome::answered) {
        listed_on_ = 0;
        return park(c, answer);
    }
    const bool read = answer.error == server_error::ok;
    const auto floor = read ? parse_floor(family(settings_.wants.kind), answer.data) : std::nullopt;
    const bool ours = read && (floor || answer.data.empty());
    folder_version_ = ours ? std::optional{answer.stat.version} : std::nullopt;
    const bool current = listed_on_ == answer.connection && answer.connection == c.connection();
    const auto own = name_.sequence();
    if (waits() && current && floor && own && leaves_nobody_ahead(*floor, nearest_, *own)) {
        be_first(c);
    } else {
        listed_on_ = 0;  // whatever the reason is, a list tells
    }
}

// A list tells the version of the folder's data, and whether there is any. What it was is known from before, if
// the version is the same.
void acquisition::heed_folder(const stat& folder) {
    if (folder.data_length == 0) {  // place: folder_without_data
        folder_version_ = folder.version;
    } else if (folder_version_ != folder.version) {
        folder_version_.reset();
    }
}

bool acquisition::raises_the_floor() const {
    // place: raises_the_floor
    return first_ && folder_version_ && listed_ >= settings_.long_queue && is_ordered();
}

}  // namespace turnstile::core
