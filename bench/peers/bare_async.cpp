// SPDX-License-Identifier: Apache-2.0
// Peer "bare-async": the lock of peer "bare", but without a waiting thread. The callback of each answer sends the next
// request. The peer is the lower bound for the measure "saturation". It has the commands of that measure (crowd.hpp)
// and this command:
//
//     make FOLDER LOCKS      creates the locks' folders as persistent znodes, so that no folder is removed while
//                            another peer runs
#include <zookeeper/zookeeper.h>
#include <zookeeper/zookeeper_version.h>

#include <cstdlib>
#include <string_view>

#include "crowd.hpp"

namespace {

using bench::arguments;
using bench::number;

constexpr std::string_view k_prefix = "/_c_00000000-0000-4000-8000-000000000000-lock-";

struct lock_paths {
    std::string folder;
    std::string prefix;
};

std::string text_of(const std::string& step, int code) {
    return step + ": " + zerror(code);
}

// Ends the process if the C client refuses a request. The session of the request has then ended, and its other requests
// will get no answer.
void require_sent(const std::string& step, int code) {
    if (code == ZOK) return;
    std::cerr << text_of(step, code) << std::endl;
    std::_Exit(1);
}

// An acquire and its release, in the callbacks of one session. The object deletes itself at the end.
class attempt {
public:
    static void begin(zhandle_t* handle, const lock_paths& paths, bench::crowd_waiter& waiter) {
        auto* self = new attempt{handle, paths, waiter};  // deleted by finish() or fail()
        require_sent("create",
                     zoo_acreate2(handle, paths.prefix.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                                  ZOO_EPHEMERAL_SEQUENTIAL, created, self));
        self->list();
    }
    attempt(const attempt&) = delete;
    attempt& operator=(const attempt&) = delete;

private:
    attempt(zhandle_t* handle, const lock_paths& paths, bench::crowd_waiter& waiter)
        : handle_{handle}, paths_{paths}, waiter_{waiter} {}
    ~attempt() = default;

    static attempt& self(const void* context) {
        return *static_cast<attempt*>(const_cast<void*>(context));
    }
    static void created(int result, const char* name, const Stat*, const void* context) {
        auto& me = self(context);
        me.create_result_ = result;
        if (result == ZOK) me.name_ = name;
    }
    static void listed(int result, const String_vector* names, const Stat*, const void* context) {
        auto& me = self(context);
        if (me.create_result_ != ZOK) return me.fail("create", me.create_result_);
        if (result != ZOK) return me.fail("get_children", result);
        me.look_ahead(*names);
    }
    static void read(int result, const char*, int, const Stat*, const void* context) {
        if (result == ZNONODE) return self(context).on_awaited_gone();
        if (result != ZOK) self(context).fail("get", result);
    }
    static void gone(zhandle_t*, int type, int, const char*, void* context) {
        if (type == ZOO_DELETED_EVENT) self(context).on_awaited_gone();
    }

    void list() {
        require_sent("get_children",
                     zoo_aget_children2(handle_, paths_.folder.c_str(), 0, listed, this));
    }
    static std::string_view sequence(std::string_view name) {
        return name.substr(name.rfind('-') + 1);
    }
    void look_ahead(const String_vector& names) {
        const auto own = sequence(name_);
        std::string_view best;
        ahead_ = 0;
        for (int i = 0; i < names.count; ++i) {
            const std::string_view child{names.data[i]};
            if (sequence(child) >= own) continue;
            ++ahead_;
            if (best.empty() || sequence(child) > sequence(best)) best = child;
        }
        if (ahead_ == 0) return finish();
        const auto nearest = paths_.folder + "/" + std::string{best};
        require_sent("get", zoo_awget(handle_, nearest.c_str(), gone, this, read, this));
    }
    // Called when the predecessor's znode has been deleted. If only that contender was ahead, this attempt now has the
    // lock. It also reads its own znode, without waiting for the answer.
    void on_awaited_gone() {
        if (ahead_ != 1) return list();
        const auto ignored = [](int, const char*, int, const Stat*, const void*) {};
        require_sent("get", zoo_aget(handle_, name_.c_str(), 0, ignored, nullptr));
        finish();
    }
    void finish() {
        waiter_.granted();
        const auto ignored = [](int, const void*) {};
        require_sent("delete", zoo_adelete(handle_, name_.c_str(), -1, ignored, nullptr));
        const std::unique_ptr<attempt, void (*)(attempt*)> over{this, end};
        waiter_.given_up();
    }
    void fail(const std::string& step, int code) {
        const std::unique_ptr<attempt, void (*)(attempt*)> over{this, end};
        waiter_.failed(text_of(step, code));
    }
    static void end(attempt* over) { delete over; }

    zhandle_t* const handle_;
    const lock_paths& paths_;
    bench::crowd_waiter& waiter_;
    int create_result_ = ZOK;
    int ahead_ = 0;
    std::string name_;
};

class session {
public:
    explicit session(const std::string& servers) {
        handle_ = zookeeper_init(servers.c_str(), on_event, 30'000, nullptr, this, 0);
        if (handle_ == nullptr) throw std::runtime_error{"zookeeper_init failed"};
        zoo_set_servers_resolution_delay(handle_, -1);
        std::unique_lock held{mutex_};
        changed_.wait(held, [this] { return connected_; });
    }
    ~session() { zookeeper_close(handle_); }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    [[nodiscard]] zhandle_t* handle() const { return handle_; }

private:
    static void on_event(zhandle_t*, int type, int state, const char*, void* context) {
        if (type != ZOO_SESSION_EVENT || state != ZOO_CONNECTED_STATE) return;
        auto& me = *static_cast<session*>(context);
        const std::lock_guard held{me.mutex_};
        me.connected_ = true;
        me.changed_.notify_all();
    }

    zhandle_t* handle_ = nullptr;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool connected_ = false;
};

class crowd {
public:
    explicit crowd(std::string servers) : servers_{std::move(servers)} {}

    void prepare(const bench::crowd_load& load) {
        while (sessions_.size() < load.sessions)
            sessions_.push_back(std::make_unique<session>(servers_));
        if (load.folder == folder_) return;
        folder_ = load.folder;
        paths_.clear();
        for (std::size_t i = 0; i != load.locks; ++i)
            paths_.push_back({load.path(i), load.path(i) + std::string{k_prefix}});
    }
    void take(std::size_t session, std::size_t lock, bench::crowd_waiter& waiter) {
        attempt::begin(sessions_[session]->handle(), paths_[lock], waiter);
    }
    void make(const std::string& folder, std::int64_t locks) {
        const session own{servers_};
        const auto create = [&own](const std::string& path) {
            const int result = zoo_create(own.handle(), path.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                                          ZOO_PERSISTENT, nullptr, 0);
            if (result != ZOK && result != ZNODEEXISTS)
                throw std::runtime_error{text_of("create " + path, result)};
        };
        create(folder);
        for (std::int64_t i = 0; i < locks; ++i) create(folder + "/" + std::to_string(i));
    }

private:
    const std::string servers_;
    std::vector<std::unique_ptr<session>> sessions_;
    std::string folder_;
    std::vector<lock_paths> paths_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: bare_async CONNECT\n";
        return 2;
    }
    zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
    crowd all{argv[1]};
    bench::serve(
        ZOO_VERSION,
        {{"saturate",
          [&](const arguments& given) { return bench::saturate(all, bench::crowd_load{given}); }},
         {"pace",
          [&](const arguments& given) { return bench::pace(all, bench::crowd_load{given}); }},
         {"make", [&](const arguments& given) {
              all.make(given.at(0), number(given.at(1)));
              return "made=" + given.at(1);
          }}});
}
