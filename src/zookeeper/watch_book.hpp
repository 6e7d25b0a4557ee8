// SPDX-License-Identifier: Apache-2.0
// watch_book: the watches that must be removed, and when the C client allows that.
//
// Purpose: the C client sends a removal only for a watch that it has registered, and it registers
// a watch when the reply arrives; before that it returns ZNOWATCHER and the watch remains. So a watch
// that is forgotten while its request is in progress is removed after the reply. A watch whose removal
// was lost with its connection, or that was forgotten without a connection, is removed after the next
// attach, when the C client has set it again.
//
// | event on a path  | open requests      | then                                |
// |------------------|--------------------|-------------------------------------|
// | asked            | +1                 | the watch is needed (again)         |
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
    // A request that sets a watch was passed to the C client.
    void asked(const std::string& path);
    // The request was answered or lost. Returns true if the path's watches must be removed now.
    [[nodiscard]] bool answered(const std::string& path);
    // No caller needs the path's watches any more. Returns true if they must be removed now.
    [[nodiscard]] bool forgotten(const std::string& path);
    // A removal was executed, or there was nothing to remove.
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
