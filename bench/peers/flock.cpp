// SPDX-License-Identifier: Apache-2.0
// Peer "flock": uses flock(2) on a file in the given folder, with one file for each path.
//
//     flock FOLDER
#include <fcntl.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "plain_lock.hpp"

namespace {

class file_lock {
public:
    explicit file_lock(std::string folder) : folder_{std::move(folder)} {}
    file_lock(file_lock&& other) noexcept
        : folder_{std::move(other.folder_)},
          path_{std::move(other.path_)},
          file_{std::exchange(other.file_, -1)} {}
    file_lock& operator=(file_lock&&) = delete;
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;
    ~file_lock() { close_file(); }

    void acquire(const std::string& path) {
        if (path_ != path) open_file(path);
        change(LOCK_EX);
    }
    void release(const std::string& /*path*/) { change(LOCK_UN); }

private:
    void change(int how) const {
        while (::flock(file_, how) != 0)
            if (errno != EINTR) throw std::system_error{errno, std::generic_category(), path_};
    }
    void open_file(const std::string& path) {
        close_file();
        std::string name = path;
        std::replace(name.begin(), name.end(), '/', '_');
        file_ = ::open((folder_ + "/" + name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (file_ < 0) throw std::system_error{errno, std::generic_category(), path};
        path_ = path;
    }
    void close_file() {
        if (file_ >= 0) ::close(std::exchange(file_, -1));
    }

    std::string folder_;
    std::string path_;
    int file_ = -1;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: flock FOLDER\n";
        return 2;
    }
    utsname system{};
    ::uname(&system);
    bench::serve(system.release, bench::plain_commands([folder = std::string{argv[1]}] {
                     return file_lock{folder};
                 }));
}
