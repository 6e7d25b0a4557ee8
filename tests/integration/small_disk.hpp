// SPDX-License-Identifier: Apache-2.0
// small_disk: a disk of fixed size in memory, visible to this process and its children.
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "turnstile/testing/temporary_folder.hpp"

namespace turnstile::tests {

class small_disk {
public:
    // `size` is an option of mount(8), such as "8m". The constructor changes only the calling thread's mounts, so the
    // same thread must start the programs.
    explicit small_disk(const std::string& size)
        : mounted_{::unshare(CLONE_NEWNS) == 0 &&
                   ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                   ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) ==
                       0} {}
    ~small_disk() {
        if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
    }
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;

    // Returns false if this process may not mount a disk.
    [[nodiscard]] bool mounted() const noexcept { return mounted_; }
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }
    [[nodiscard]] std::string file(const std::string& name) const { return folder() / name; }

    // Fills the rest of the disk with another file.
    void fill() const {
        std::ofstream rest{file(k_rest), std::ios::binary};
        const std::string page(4096, 'x');
        while (rest << page << std::flush) {
        }
    }
    void empty() const { std::filesystem::remove(file(k_rest)); }

private:
    static constexpr const char* k_rest = "rest";

    const testing::temporary_folder folder_;
    const bool mounted_;
};

}  // namespace turnstile::tests
