// SPDX-License-Identifier: Apache-2.0
// small_disk: a file system of its own, in memory, over a folder, with what was in the folder: it can be filled without
// harm to others.
//
// Needs a mount namespace of the process's own, in which it may mount (director.py makes it). Thread safety: none.
#pragma once

#include <cstddef>
#include <filesystem>

namespace campaign {

class small_disk {
public:
    // Throws std::system_error or std::runtime_error.
    small_disk(std::filesystem::path folder, std::size_t mebibytes);
    ~small_disk();
    small_disk(const small_disk&) = delete;
    small_disk& operator=(const small_disk&) = delete;

private:
    const std::filesystem::path folder_;
};

}  // namespace campaign
