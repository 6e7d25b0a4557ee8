// SPDX-License-Identifier: Apache-2.0
// small_disk: a file system in memory, mounted over a folder, with copies of the folder's files. A campaign can fill
// this file system without harm to other programs.
//
// Needs a mount namespace in which the process may mount (director.py makes it). Thread safety: none.
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
