// SPDX-License-Identifier: Apache-2.0
// watch_book: which watches are to be dropped, and when the C client lets us.
//
// Purpose: the C client sends a removal only for a watch that it has registered, and it registers
// one when the reply arrives; before that it says ZNOWATCHER and leaves the watch behind. So a watch
// that is forgotten while the request that sets it is under way is removed after the reply; and one
// whose removal was lost with its connection, or that was forgotten without one, after the next
// attach, when the C client has set it again.
//
// | event on a path  | requests under way | then                                |
// |------------------|--------------------|-------------------------------------|
// | asked            | +1                 | the watch is wanted (again)         |
// | forgotten        | none               | remove now                          |
// | forgotten        | some               | remove after the last reply         |
// | answered (last)  | none left          | remove now if forgotten since       |
// | removed          |                    | done, unless asked again meanwhile  |
// | attached         |                    | remove all that are still forgotten |
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace turnstile::zookeeper {

class watch_book {
public:
    // A request that sets a watch was handed to the C client.
    void asked(const std::string& path);
    // It was answered or lost. True: remove the path's watches now.
    [[nodiscard]] bool answered(const std::string& path);
    // The path's watches are not wanted any more. True: remove them now.
    [[nodiscard]] bool forgotten(const std::string& path);
    // A removal was carried out, or there was nothing to remove.
    void removed(const std::string& path);
    // The paths to remove after an attach.
    [[nodiscard]] std::vector<std::string> left_over() const;

    [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

private:
    struct entry {
        std::size_t under_way = 0;
        bool unwanted = false;
    };
    std::map<std::string, entry> entries_;
};

}  // namespace turnstile::zookeeper
