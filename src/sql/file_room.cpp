// SPDX-License-Identifier: Apache-2.0
#include "sql/file_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

namespace turnstile::sql {
namespace {

using file_identity = std::pair<dev_t, ino_t>;

class open_files {
public:
    // Returns the open descriptor of the file, or -1. It opens the file at the first call.
    int descriptor_of(const std::string& path) {
        struct stat found {};
        if (::stat(path.c_str(), &found) != 0) return -1;
        const std::lock_guard guard{mutex_};
        const auto known = numbers_.find({found.st_dev, found.st_ino});
        if (known != numbers_.end()) return known->second;
        const int number = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        if (number < 0 || ::fstat(number, &found) != 0) return number;
        // Another process may have renamed a file to this path since stat(), so the map needs the opened file's own
        // numbers.
        numbers_.insert_or_assign({found.st_dev, found.st_ino}, number);
        return number;
    }

private:
    std::mutex mutex_;
    std::map<file_identity, int> numbers_;
};

}  // namespace

void reserve_room(const std::string& path, std::int64_t length) {
    static open_files& files = *new open_files;
    const int file = files.descriptor_of(path);
    struct stat found {};
    if (file < 0 || ::fstat(file, &found) != 0 || found.st_size >= length) return;
    while (::fallocate(file, 0, 0, length) != 0 && errno == EINTR) {
    }
}

}  // namespace turnstile::sql
