// SPDX-License-Identifier: Apache-2.0
#include "zookeeper/operations.hpp"

#include <cstdint>
#include <limits>

#include "base/out_of_memory.hpp"
#include "base/path.hpp"
#include "zookeeper/answers.hpp"

namespace turnstile::zookeeper {
namespace {

// The length that a sequence number adds to a path: "-2147483648" and the zero byte at the end.
constexpr std::size_t k_sequence_room = 12;

outstanding_request& of(const void* data) {
    // The C client returns this library's pointer with an added const.
    return *static_cast<outstanding_request*>(const_cast<void*>(data));
}

// `fill` copies the answer into the request. An exception must not leave a callback of the C client.
template <class Fill>
void finish(const void* data, int rc, Fill&& fill) {
    base::finish_or_end("an answer of the ZooKeeper client", [&] {
        outstanding_request& p = of(data);
        fill(p);
        p.owner->completed(p, rc);
    });
}

// Ends the process if the C client had no memory for a copy of the answer. In this case the C client still reports ZOK,
// and the rest of the answer is random data from its stack.
void demand_copy(int rc, const void* copy) {
    if (rc == ZOK && copy == nullptr) base::end_out_of_memory("the ZooKeeper client");
}

void fill_stat(outstanding_request& p, int rc, const Stat* stat) {
    if (rc == ZOK && stat != nullptr) p.answer.stat = to_stat(*stat);
}

void fill_path(outstanding_request& p, int rc, const char* path) {
    demand_copy(rc, path);
    if (rc == ZOK) p.answer.path = path;
}

void on_void(int rc, const void* data) {
    finish(data, rc, [](outstanding_request&) {});
}

void on_stat(int rc, const Stat* stat, const void* data) {
    finish(data, rc, [=](outstanding_request& p) { fill_stat(p, rc, stat); });
}

void on_path_and_stat(int rc, const char* path, const Stat* stat, const void* data) {
    finish(data, rc, [=](outstanding_request& p) {
        fill_stat(p, rc, stat);
        fill_path(p, rc, path);
    });
}

void on_path(int rc, const char* path, const void* data) {
    finish(data, rc, [=](outstanding_request& p) { fill_path(p, rc, path); });
}

void on_data(int rc, const char* value, int length, const Stat* stat, const void* data) {
    finish(data, rc, [=](outstanding_request& p) {
        fill_stat(p, rc, stat);
        if (length > 0) demand_copy(rc, value);
        if (rc == ZOK && length > 0) p.answer.data.assign(value, static_cast<std::size_t>(length));
    });
}

void on_children(int rc, const String_vector* names, const Stat* stat, const void* data) {
    finish(data, rc, [=](outstanding_request& p) {
        fill_stat(p, rc, stat);
        if (rc != ZOK || names == nullptr) return;
        for (std::int32_t i = 0; i != names->count; ++i) {
            demand_copy(rc, names->data[i]);
            p.answer.children.emplace_back(names->data[i]);
        }
    });
}

// Returns the znode's version after one operation of a multi request: 0 after `create`, the version in the Stat after
// `set`, and no version after other operations.
std::int32_t version_left_by(const zoo_op_result_t& result) noexcept {
    if (result.value != nullptr) return 0;
    return result.stat != nullptr ? result.stat->version : core::k_any_version;
}

// Copies the results of a multi request's operations, if the servers have answered.
void fill_parts(outstanding_request& p, int rc) {
    if (judge_completion(rc).outcome != core::outcome::answered) return;
    for (const auto& result : p.results) {
        p.answer.parts.push_back(judge_part(result.err));
        const bool created = rc == ZOK && result.value != nullptr;
        p.answer.paths.emplace_back(created ? result.value : "");
        if (rc == ZOK) p.answer.versions.push_back(version_left_by(result));
        fill_stat(p, rc, result.stat);
    }
}

void on_multi(int rc, const void* data) {
    finish(data, rc, [=](outstanding_request& p) { fill_parts(p, rc); });
}

int size_of(const std::string& data) noexcept {
    return static_cast<int>(data.size());
}

bool fits(const std::string& data) noexcept {
    return data.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

const ACL_vector* acl_of(core::acl_policy policy) noexcept {
    return policy == core::acl_policy::open ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL;
}

int mode_of(core::create_mode mode) noexcept {
    switch (mode) {
        case core::create_mode::persistent: return ZOO_PERSISTENT;
        case core::create_mode::ephemeral: return ZOO_EPHEMERAL;
        case core::create_mode::persistent_sequential: return ZOO_PERSISTENT_SEQUENTIAL;
        case core::create_mode::ephemeral_sequential: return ZOO_EPHEMERAL_SEQUENTIAL;
        case core::create_mode::container: return ZOO_CONTAINER;
    }
    return ZOO_PERSISTENT;
}

// Adds one operation to a multi request, with space for the operation's result in `pending`.
class part_writer {
public:
    part_writer(zoo_op_t& op, std::size_t at, outstanding_request& pending)
        : op_{op}, at_{at}, pending_{pending} {}

    void operator()(const core::check_op& part) const {
        zoo_check_op_init(&op_, part.path.c_str(), part.version);
    }
    void operator()(const core::remove_op& part) const {
        zoo_delete_op_init(&op_, part.path.c_str(), part.version);
    }
    void operator()(const core::set_op& part) const {
        zoo_set_op_init(&op_, part.path.c_str(), part.data.data(), size_of(part.data), part.version,
                        &pending_.result_stats[at_]);
    }
    void operator()(const core::create_op& part) const {
        std::string& room = pending_.result_paths[at_];
        room.resize(part.path.size() + k_sequence_room);
        zoo_create_op_init(&op_, part.path.c_str(), part.data.data(), size_of(part.data),
                           acl_of(part.acl), mode_of(part.mode), room.data(), size_of(room));
    }

private:
    zoo_op_t& op_;
    std::size_t at_;
    outstanding_request& pending_;
};

// Returns false for a part at which the C client would abort, or send wrong bytes.
bool allowed(const core::multi_part& part) {
    if (const auto* create = std::get_if<core::create_op>(&part)) {
        return create->mode != core::create_mode::container && fits(create->data);
    }
    const auto* set = std::get_if<core::set_op>(&part);
    return set == nullptr || fits(set->data);
}

class operation_submitter {
public:
    operation_submitter(zhandle_t* handle, const watcher& tell, outstanding_request& pending)
        : handle_{handle}, tell_{tell}, pending_{pending} {}

    int operator()(const core::create_op& op) const {
        if (!fits(op.data)) return ZBADARGUMENTS;
        if (pending_.step == create_step::create) {
            return zoo_acreate(handle_, op.path.c_str(), op.data.data(), size_of(op.data),
                               acl_of(op.acl), mode_of(op.mode), on_path, &pending_);
        }
        return zoo_acreate2(handle_, op.path.c_str(), op.data.data(), size_of(op.data),
                            acl_of(op.acl), mode_of(op.mode), on_path_and_stat, &pending_);
    }
    int operator()(const core::remove_op& op) const {
        return zoo_adelete(handle_, op.path.c_str(), op.version, on_void, &pending_);
    }
    int operator()(const core::set_op& op) const {
        if (!fits(op.data)) return ZBADARGUMENTS;
        return zoo_aset(handle_, op.path.c_str(), op.data.data(), size_of(op.data), op.version,
                        on_stat, &pending_);
    }
    int operator()(const core::get_op& op) const {
        const watcher w = wanted(op.watch);
        return zoo_awget(handle_, op.path.c_str(), w.function, w.context, on_data, &pending_);
    }
    int operator()(const core::exists_op& op) const {
        const watcher w = wanted(op.watch);
        return zoo_awexists(handle_, op.path.c_str(), w.function, w.context, on_stat, &pending_);
    }
    int operator()(const core::children_op& op) const {
        const watcher w = wanted(op.watch);
        return zoo_awget_children2(handle_, op.path.c_str(), w.function, w.context, on_children,
                                   &pending_);
    }
    int operator()(const core::multi_op& op) const {
        const std::size_t count = op.parts.size();
        std::vector<zoo_op_t> ops(count);
        pending_.results.assign(count, zoo_op_result_t{ZRUNTIMEINCONSISTENCY, nullptr, 0, nullptr});
        pending_.result_paths.resize(count);
        pending_.result_stats.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            if (!allowed(op.parts[i])) return ZBADARGUMENTS;
            std::visit(part_writer{ops[i], i, pending_}, op.parts[i]);
        }
        return zoo_amulti(handle_, static_cast<int>(count), ops.data(), pending_.results.data(),
                          on_multi, &pending_);
    }

private:
    [[nodiscard]] watcher wanted(core::watch_mode mode) const noexcept {
        return mode == core::watch_mode::watch ? tell_ : watcher{};
    }

    zhandle_t* handle_;
    const watcher& tell_;
    outstanding_request& pending_;
};

}  // namespace

int hand_over(zhandle_t* handle, const core::operation& op, const watcher& tell,
              outstanding_request& pending) {
    return std::visit(operation_submitter{handle, tell, pending}, op);
}

int hand_over_removal(zhandle_t* handle, const std::string& path, outstanding_request& pending) {
    // The C client declares the parameter as a pointer to a function pointer, but calls it as a function pointer.
    auto* const completion = reinterpret_cast<void_completion_t*>(on_void);
    return zoo_aremove_all_watches(handle, path.c_str(), ZWATCHTYPE_ANY, 0, completion, &pending);
}

int hand_over_witness(zhandle_t* handle, outstanding_request& pending) {
    return zoo_awexists(handle, "/", nullptr, nullptr, on_stat, &pending);
}

int hand_over_stat(zhandle_t* handle, outstanding_request& pending) {
    return zoo_awexists(handle, pending.answer.path.c_str(), nullptr, nullptr, on_stat, &pending);
}

const std::string* watch_of(const core::operation& op) noexcept {
    if (const auto* list = std::get_if<core::children_op>(&op)) {
        return list->watch == core::watch_mode::watch ? &list->path : nullptr;
    }
    if (const auto* get = std::get_if<core::get_op>(&op)) {
        return get->watch == core::watch_mode::watch ? &get->path : nullptr;
    }
    const auto* exists = std::get_if<core::exists_op>(&op);
    return exists != nullptr && exists->watch == core::watch_mode::watch ? &exists->path : nullptr;
}

}  // namespace turnstile::zookeeper
