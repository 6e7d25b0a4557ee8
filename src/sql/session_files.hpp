// SPDX-License-Identifier: Apache-2.0
// session_files: the folder beside a SQLite file in which each session has a file of its own, that it holds an OS lock
// on while its process lives.
//
// The lock is one of the open file (F_OFD_SETLK): the kernel lets go of it when the last descriptor of that file is
// closed, as at the latest when the process ends. A guardian, if there is one, has another, which it closes when it has
// seen the process's end: under `turnstile run` the command is dead by then. Other processes ask for it without taking it. Where the file is
// missing nothing is known, and the session's deadline decides.
//
// To ring a session is to touch its file; to end, to close it. Other processes are told of both by the kernel
// (file_bells.hpp). The kernel tells of a close a moment before it lets go of the lock.
//
// Thread safety: `is_gone` and `ring` from any thread, the rest one thread at a time.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "guardian/link.hpp"
#include "support/descriptor.hpp"

namespace turnstile::sql {

class session_files {
public:
    // `folder` is made if it is missing. `guardian` may be null. Throws std::system_error.
    session_files(std::filesystem::path folder, mode_t mode,
                  std::shared_ptr<guardian::link> guardian);
    ~session_files() { release_own(false); }
    session_files(const session_files&) = delete;
    session_files& operator=(const session_files&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
    [[nodiscard]] std::filesystem::path path_of(std::int64_t session) const;

    // Makes and locks this session's file, in place of an earlier one. Throws std::system_error.
    void make_own(std::int64_t session);
    // The lock goes, and with `remove` the file before it.
    void release_own(bool remove) noexcept;
    [[nodiscard]] bool has_own(std::int64_t session) const noexcept {
        return file_.open() && own_ == session;
    }

    // Its file is there, and no process holds it.
    [[nodiscard]] bool is_gone(std::int64_t session) const;
    // Its file is there, and a process holds it.
    [[nodiscard]] bool is_alive(std::int64_t session) const;
    void ring(std::int64_t session) const;
    // Removes the files of all sessions but these.
    void remove_others(const std::set<std::int64_t>& living) const noexcept;

private:
    enum class lock { unknown, free, held };
    [[nodiscard]] lock lock_of(std::int64_t session) const;

    const std::filesystem::path folder_;
    const mode_t mode_;
    const std::shared_ptr<guardian::link> guardian_;
    std::int64_t own_ = 0;
    std::filesystem::path own_path_;
    support::descriptor file_;
    std::uint64_t guardians_copy_ = 0;  // its number
};

}  // namespace turnstile::sql
