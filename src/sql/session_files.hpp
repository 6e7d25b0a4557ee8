// SPDX-License-Identifier: Apache-2.0
// session_files: the folder beside a SQLite file in which each session has a file. The session holds an OS lock on
// its file while its process lives.
//
// The lock belongs to the open file (F_OFD_SETLK): the kernel releases it when the last descriptor of that file is
// closed, at the latest when the process ends. A guardian, if there is one, has a further descriptor, which it closes
// when it has noticed the process's end: under `turnstile run` the command is dead by then. Other processes test the
// lock without taking it. If the file is missing, the session's deadline decides.
//
// To ring a session is to touch its file; to end it, to close it. The kernel notifies other processes of both
// (file_bells.hpp). It reports a close a moment before it releases the lock.
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
    // Creates `folder` if it is missing. `guardian` may be null. Throws std::system_error.
    session_files(std::filesystem::path folder, mode_t mode,
                  std::shared_ptr<guardian::link> guardian);
    ~session_files() { release_own(false); }
    session_files(const session_files&) = delete;
    session_files& operator=(const session_files&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
    [[nodiscard]] std::filesystem::path path_of(std::int64_t session) const;

    // Creates and locks this session's file, replacing an earlier one. Throws std::system_error.
    void make_own(std::int64_t session);
    // Releases the lock, and with `remove` first removes the file.
    void release_own(bool remove) noexcept;
    [[nodiscard]] bool has_own(std::int64_t session) const noexcept {
        return file_.open() && own_ == session;
    }

    // True if its file exists, and no process holds it.
    [[nodiscard]] bool is_gone(std::int64_t session) const;
    // True if its file exists, and a process holds it.
    [[nodiscard]] bool is_alive(std::int64_t session) const;
    void ring(std::int64_t session) const;
    // Removes the files of all sessions except these.
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
