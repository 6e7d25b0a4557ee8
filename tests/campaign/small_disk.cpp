// SPDX-License-Identifier: Apache-2.0
#include "small_disk.hpp"

#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "turnstile/testing/process.hpp"

namespace campaign {

namespace {

[[noreturn]] void fail(const std::filesystem::path& at) {
    throw std::system_error{errno, std::generic_category(), "a disk at " + at.string()};
}

}  // namespace

small_disk::small_disk(std::filesystem::path folder, std::size_t mebibytes)
    : folder_{std::move(folder)} {
    const std::filesystem::path beside = folder_.string() + ".disk";
    struct stat before {};
    if (::stat(folder_.c_str(), &before) != 0) fail(folder_);
    std::filesystem::create_directory(beside);
    const std::string size = "size=" + std::to_string(mebibytes) + "m";
    if (::mount("tmpfs", beside.c_str(), "tmpfs", 0, size.c_str()) != 0) fail(beside);
    turnstile::testing::process copy{
        {.command = {"cp", "-a", folder_.string() + "/.", beside.string()},
         .output = folder_.string() + ".copy"}};
    if (!copy.wait() || copy.exit_code() != 0)
        throw std::runtime_error{"the copy to a small disk failed: " + copy.output()};
    if (::chmod(beside.c_str(), before.st_mode) != 0) fail(beside);
    if (::mount(beside.c_str(), folder_.c_str(), nullptr, MS_MOVE, nullptr) != 0) fail(folder_);
    std::filesystem::remove(beside);
    std::filesystem::remove(folder_.string() + ".copy");
}

small_disk::~small_disk() {
    ::umount2(folder_.c_str(), MNT_DETACH);
}

}  // namespace campaign
