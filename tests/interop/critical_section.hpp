// SPDX-License-Identifier: Apache-2.0
// critical_section: creates files under a lock, so that the file system detects two holders, independently of any lock.
// java/CriticalSection.java and python/kazoo_contender.py use the same files.
//
//     critical_section section{folder.path()};
//     EXPECT_TRUE(section.write());
//     EXPECT_EQ(section.count(), 1);
//
// A writer creates the file "writer". The file must not exist before, and no reader's file may exist beside it. When
// the writer leaves, it adds one to the number in "counter" and removes "writer". A reader creates a file "reader-..."
// with a unique name, while "writer" must not exist. If contenders that exclude each other overlap, at least one of
// them sees the other's file.
//
// Thread safety: any thread may call all members.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace turnstile::tests {

class critical_section {
public:
    explicit critical_section(std::filesystem::path folder) : folder_{std::move(folder)} {}

    // Enters as a writer. Returns false if another client is inside.
    [[nodiscard]] bool enter() const { return make(writer_) && !readers_inside(); }
    [[nodiscard]] bool leave() const {
        const int next = count() + 1;
        std::ofstream{counter_} << next;
        return std::filesystem::remove(writer_);
    }
    [[nodiscard]] bool write() const { return enter() && leave(); }

    // Enters and leaves as a reader. Returns false if a writer is inside.
    [[nodiscard]] bool read() const {
        static std::atomic<int> last{0};
        const auto mine = folder_ / ("reader-cpp-" + std::to_string(++last));
        if (!make(mine)) return false;
        const int before = count();
        const bool alone = !std::filesystem::exists(writer_) && count() == before;
        return std::filesystem::remove(mine) && alone;
    }

    // Returns the number of writers that have left.
    [[nodiscard]] int count() const {
        int written = 0;
        std::ifstream{counter_} >> written;
        return written;
    }

private:
    static bool make(const std::filesystem::path& file) {
        const int descriptor = ::open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        return descriptor >= 0 && ::close(descriptor) == 0;
    }
    [[nodiscard]] bool readers_inside() const {
        for (const auto& entry : std::filesystem::directory_iterator{folder_})
            if (entry.path().filename().string().starts_with("reader-")) return true;
        return false;
    }

    const std::filesystem::path folder_;
    const std::filesystem::path writer_ = folder_ / "writer";
    const std::filesystem::path counter_ = folder_ / "counter";
};

}  // namespace turnstile::tests
