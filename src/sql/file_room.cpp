// SPDX-License-Identifier: Apache-2.0
#include "sql/file_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "support/descriptor.hpp"

namespace turnstile::sql {
namespace {

using file_identity = std::pair<dev_t, ino_t>;

// A thread that uses a descriptor shares it, so that no other thread closes it meanwhile.
using shared_file = std::shared_ptr<const support::descriptor>;

class open_files {
public:
    // Returns an open descriptor of the file; nothing if the file cannot be opened. Opens the file at the first call,
    // and keeps it open.
    shared_file descriptor_of(const std::string& path) {
        struct stat found {};
        if (::stat(path.c_str(), &found) != 0) return {};
        const std::lock_guard guard{mutex_};
        const auto known = files_.find({found.st_dev, found.st_ino});
        if (known != files_.end()) return known->second;
        close_deleted();
        auto file =
            std::make_shared<const support::descriptor>(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        if (!file->open() || ::fstat(file->get(), &found) != 0) return {};
        // Another process may have renamed a file to this path since stat(), so the map needs the opened file's own
        // numbers. If the map has this file already, it keeps both descriptors.
        files_.emplace(file_identity{found.st_dev, found.st_ino}, file);
        return file;
    }

private:
    // No process can open a deleted file any more, so its locks protect nothing.
    void close_deleted() {
        std::erase_if(files_, [](const auto& each) {
            struct stat found {};
            return ::fstat(each.second->get(), &found) == 0 && found.st_nlink == 0;
        });
    }

    std::mutex mutex_;
    std::multimap<file_identity, shared_file> files_;
};

}  // namespace

void reserve_room(const std::string& path, std::int64_t length) {
    static open_files& files = *new open_files;
    const auto file = files.descriptor_of(path);
    struct stat found {};
    if (!file || ::fstat(file->get(), &found) != 0 || found.st_size >= length) return;
    while (::fallocate(file->get(), 0, 0, length) != 0 && errno == EINTR) {
    }
}

}  // namespace turnstile::sql
