// SPDX-License-Identifier: Apache-2.0
// Peer "bare": a lock directly on the C client, as a lower bound for the library. This lock has no lease, no fencing
// token, no deadline, and no recovery from a lost reply. As in the library, no call has to wait until a host name is
// resolved.
//
// Peer "bare-no-list", `bare CONNECT no-list`, has only the commands cycle and unlock. It lists the folder once. From
// then on, if each create gets the next sequence number, no other contender exists (docs/why/mutex.md, "Without a
// list"). The peer fails if another client interferes.
//
//     acquire   sends create2 and get_children at once; if another contender is ahead, sets a watch on the predecessor
//               with get, and waits for its deletion; if more than one contender was ahead, then sends get_children
//               again; if only one was ahead, then reads its own znode without waiting for the answer
//     release   sends delete; the commands cycle, granted and take also wait for the answer
//
//     hold, give, queue, granted, take    commands of peer "turnstile" (turnstile.cpp)
//     keep PATH              takes the lock and releases it when another contender appears, as a retained lock does
//     occupy FOLDER COUNT    makes FOLDER/I with one persistent contender in it, for I below COUNT
#include <zookeeper/zookeeper.h>
#include <zookeeper/zookeeper_version.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol.hpp"

namespace {

using bench::arguments;
using bench::number;

constexpr const char* k_prefix = "/_c_00000000-0000-4000-8000-000000000000-lock-";
constexpr std::int64_t k_in_flight = 1000;

// Waits for completions, which the C client runs on its own thread. The waiter wakes up when all of them have arrived.
class arrivals {
public:
    void arrive() {
        const std::lock_guard held{mutex_};
        if (++count_ == wanted_) changed_.notify_one();
    }
    void wait(std::int64_t count) {
        std::unique_lock held{mutex_};
        wanted_ = count;
        changed_.wait(held, [&] { return count_ >= count; });
        wanted_ = 0;
        count_ -= count;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t count_ = 0;
    std::int64_t wanted_ = 0;  // the count that the waiter waits for; 0: no thread waits
};

[[noreturn]] void fail(const std::string& step, int code) {
    throw std::runtime_error{step + ": " + zerror(code)};
}

void require(const std::string& step, int code) {
    if (code != ZOK) fail(step, code);
}

class bare_lock {
public:
    explicit bare_lock(const std::string& where) {
        zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
        handle_ = zookeeper_init(where.c_str(), session_event, 30'000, nullptr, this, 0);
        if (handle_ == nullptr) throw std::runtime_error{"zookeeper_init failed"};
        zoo_set_servers_resolution_delay(handle_, -1);
        connected_.wait(1);
    }
    ~bare_lock() { zookeeper_close(handle_); }
    bare_lock(const bare_lock&) = delete;
    bare_lock& operator=(const bare_lock&) = delete;

    void use(const std::string& path) {
        if (path == path_) return;
        make(path, ZOO_PERSISTENT);
        path_ = path;
        prefix_ = path + k_prefix;
        next_.reset();
    }

    void acquire() {
        enter();
        for (;;) {
            const auto ahead = look_ahead();
            if (ahead.count == 0) return;
            // If only one contender is ahead, the deletion of that contender's znode is the grant: all later contenders
            // are behind this client.
            if (watch(ahead.nearest)) deleted_.wait(1);
            if (ahead.count == 1) return look_at_own();
            ask_for_list();
            answered_.wait(1);
            require("get_children", list_result_);
        }
    }

    void acquire_without_list() {
        if (next_) {
            create();
            answered_.wait(1);
            require("create", create_result_);
            if (folder_changed_ || number_of(name_) != *next_)
                throw std::runtime_error{"another client uses " + path_};
        } else {
            require("get", zoo_awget(handle_, path_.c_str(), folder_changed, this, read, this));
            answered_.wait(1);
            require("get", read_result_);
            acquire();
        }
        next_ = number_of(name_) + 1;
    }

    // Enters the queue behind one other contender, and sets the watch on it. The returned future gets the time of the
    // grant.
    std::future<std::int64_t> queue() {
        enter();
        const auto ahead = look_ahead();
        if (ahead.count != 1 || !watch(ahead.nearest))
            throw std::runtime_error{"there is not one ahead"};
        return std::async(std::launch::async, [this] {
            deleted_.wait(1);
            return bench::now_us();
        });
    }

    void keep() {
        acquire();
        require("get_children",
                zoo_awget_children2(handle_, path_.c_str(), others_came, this, listed, this));
        answered_.wait(1);
        require("get_children", list_result_);
    }

    void release_confirmed() {
        require("delete", zoo_adelete(handle_, name_.c_str(), -1, removed, this));
        answered_.wait(1);
    }

    void release() {
        require("delete", zoo_adelete(
                              handle_, name_.c_str(), -1, [](int, const void*) {}, nullptr));
    }

    void occupy(const std::string& folder, std::int64_t count) {
        make(folder, ZOO_PERSISTENT);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto path = folder + "/" + std::to_string(i);
            for (const auto& [name, mode] :
                 {std::pair{path, ZOO_PERSISTENT}, {path + k_prefix, ZOO_PERSISTENT_SEQUENTIAL}})
                require("create", zoo_acreate(handle_, name.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                                              mode, occupied, this));
            if (i >= k_in_flight) answered_.wait(2);
        }
        answered_.wait(2 * std::min(count, k_in_flight));
    }

private:
    struct ahead_of_us {
        int count = 0;
        std::string nearest;
    };

    static bare_lock& self(const void* context) {
        return *static_cast<bare_lock*>(const_cast<void*>(context));
    }
    static void session_event(zhandle_t*, int type, int state, const char*, void* context) {
        if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE)
            self(context).connected_.arrive();
    }
    static void created(int result, const char* name, const Stat*, const void* context) {
        auto& me = self(context);
        me.create_result_ = result;
        if (result == ZOK) me.name_ = name;
        me.answered_.arrive();
    }
    static void occupied(int, const char*, const void* context) {
        self(context).answered_.arrive();
    }
    static void listed(int result, const String_vector* names, const Stat*, const void* context) {
        auto& me = self(context);
        me.list_result_ = result;
        me.children_.clear();
        if (result == ZOK)
            for (int i = 0; i < names->count; ++i) me.children_.emplace_back(names->data[i]);
        me.answered_.arrive();
    }
    static void others_came(zhandle_t*, int type, int, const char*, void* context) {
        if (type == ZOO_CHILD_EVENT) self(context).release();
    }
    static void removed(int, const void* context) { self(context).answered_.arrive(); }
    static void read(int result, const char*, int, const Stat*, const void* context) {
        auto& me = self(context);
        me.read_result_ = result;
        me.answered_.arrive();
    }
    static void folder_changed(zhandle_t*, int type, int, const char*, void* context) {
        if (type != ZOO_SESSION_EVENT) self(context).folder_changed_ = true;
    }
    static void gone(zhandle_t*, int type, int, const char*, void* context) {
        if (type == ZOO_DELETED_EVENT) self(context).deleted_.arrive();
    }

    void make(const std::string& path, int mode) {
        const int result =
            zoo_create(handle_, path.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, mode, nullptr, 0);
        if (result != ZOK && result != ZNODEEXISTS) fail("create " + path, result);
    }

    void ask_for_list() {
        require("get_children", zoo_aget_children2(handle_, path_.c_str(), 0, listed, this));
    }

    static std::string_view sequence(std::string_view name) {
        return name.substr(name.rfind('-') + 1);
    }

    static std::int64_t number_of(std::string_view name) {
        return number(std::string{sequence(name)});
    }

    [[nodiscard]] ahead_of_us look_ahead() const {
        ahead_of_us result;
        std::string_view best;
        for (const auto& child : children_) {
            if (sequence(child) >= sequence(name_)) continue;
            ++result.count;
            if (best.empty() || sequence(child) > sequence(best)) best = child;
        }
        if (result.count > 0) result.nearest = path_ + "/" + std::string{best};
        return result;
    }

    void look_at_own() {
        require("get", zoo_aget(
                           handle_, name_.c_str(), 0,
                           [](int, const char*, int, const Stat*, const void*) {}, nullptr));
    }

    void create() {
        require("create", zoo_acreate2(handle_, prefix_.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                                       ZOO_EPHEMERAL_SEQUENTIAL, created, this));
    }

    void enter() {
        create();
        ask_for_list();
        answered_.wait(2);
        require("create", create_result_);
        require("get_children", list_result_);
    }

    // Sets a watch on the znode. Returns false if the znode is gone.
    bool watch(const std::string& name) {
        require("get", zoo_awget(handle_, name.c_str(), gone, this, read, this));
        answered_.wait(1);
        if (read_result_ == ZNONODE) return false;
        require("get", read_result_);
        return true;
    }

    zhandle_t* handle_ = nullptr;
    std::string path_;
    std::string prefix_;
    arrivals connected_;
    arrivals answered_;
    arrivals deleted_;
    // Completions write these members, and a thread reads them after it has waited for `answered_`.
    int create_result_ = ZOK;
    int list_result_ = ZOK;
    int read_result_ = ZOK;
    std::string name_;
    std::vector<std::string> children_;
    // The sequence number of the next create, if no other contender comes. A create that gets this number has no
    // contender ahead.
    std::optional<std::int64_t> next_;
    std::atomic<bool> folder_changed_{false};
};

}  // namespace

int main(int argc, char** argv) {
    const bool lists = argc == 2;
    if (!lists && (argc != 3 || std::string_view{argv[2]} != "no-list")) {
        std::cerr << "usage: bare CONNECT [no-list]\n";
        return 2;
    }
    bare_lock lock{argv[1]};
    // Returns a command that takes and releases the lock as often as its argument says.
    const auto rounds = [&lock](auto take, auto give_back) {
        return [&lock, take, give_back](const arguments& given) {
            lock.use(given.at(0));
            return bench::timed(number(given.at(1)), [&] {
                (lock.*take)();
                (lock.*give_back)();
            });
        };
    };
    std::future<std::int64_t> granted;
    bench::commands known;
    const auto take = lists ? &bare_lock::acquire : &bare_lock::acquire_without_list;
    known["cycle"] = rounds(take, &bare_lock::release_confirmed);
    known["unlock"] = rounds(take, &bare_lock::release);
    if (!lists) {
        bench::serve(ZOO_VERSION, known);
        return 0;
    }
    known["contend"] = [&](const arguments& given) {
        lock.use(given.at(0));
        return bench::count_until(number(given.at(1)), number(given.at(2)),
                                  [&](bench::grant_count& count) {
                                      lock.acquire();
                                      count.granted();
                                      lock.release();
                                  })
            .text();
    };
    known["hold"] = [&](const arguments& given) {
        lock.use(given.at(0));
        lock.acquire();
        return "held=1";
    };
    known["give"] = [&](const arguments&) {
        const auto at = bench::now_us();
        lock.release();
        return "at=" + std::to_string(at);
    };
    known["queue"] = [&](const arguments& given) {
        lock.use(given.at(0));
        granted = lock.queue();
        return "queued=1";
    };
    known["granted"] = [&](const arguments&) {
        const auto at = granted.get();
        lock.release_confirmed();
        return "granted_at=" + std::to_string(at);
    };
    known["keep"] = [&](const arguments& given) {
        lock.use(given.at(0));
        lock.keep();
        return "kept=1";
    };
    known["take"] = [&](const arguments& given) {
        lock.use(given.at(0));
        const auto start = bench::now_us();
        lock.acquire();
        const auto end = bench::now_us();
        lock.release_confirmed();
        return "us=" + std::to_string(end - start);
    };
    known["occupy"] = [&](const arguments& given) {
        lock.occupy(given.at(0), number(given.at(1)));
        return "occupied=" + given.at(1);
    };
    bench::serve(ZOO_VERSION, known);
}
