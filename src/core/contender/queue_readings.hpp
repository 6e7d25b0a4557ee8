// SPDX-License-Identifier: Apache-2.0
// queue_readings: what a waiter reads, besides the names of the folder's children, to learn whether it is first: the
// order of equal numbers (tie_order), a semaphore's limit (permit_reading), and in a long queue the low-water mark
// (low_water_reading).
//
// Thread safety: none, values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/contender/answers.hpp"
#include "core/contender/contender_session.hpp"
#include "core/queue/contender_name.hpp"
#include "core/queue/queue_rule.hpp"
#include "core/seam/seam.hpp"

namespace turnstile::core {

// tie_order: the order of contenders with equal numbers, by the creation of their znodes.
//
// If a folder's counter of creates stays at its maximum, many contenders get the same number (queue_rule.hpp). A
// tie_order keeps the czxids that it has read, so that the order in a later list of the children needs no further
// reads.
class tie_order {
public:
    [[nodiscard]] bool asks() const noexcept { return !asking_.empty(); }
    [[nodiscard]] bool expects(ticket id) const { return asking_.contains(id); }
    [[nodiscard]] const std::map<std::string, std::int64_t>& czxids() const noexcept {
        return czxids_;
    }

    void learn(const std::string& name, std::int64_t czxid) { czxids_[name] = czxid; }
    void ask(contender_session& c, const std::string& folder, const std::vector<std::string>& tied);
    consequence on_answer(const reply& answer);

    friend bool operator==(const tie_order&, const tie_order&) = default;

private:
    std::map<ticket, std::string> asking_;
    std::map<std::string, std::int64_t> czxids_;
};

// permit_reading: reads the number of a semaphore's permits, the limit, each time that the contender has listed the
// semaphore's contenders.
//
// The limit is in the data of the semaphore's folder. Each answer contains the latest change of these data (mzxid). If
// the answers to the list and to the later read of the limit contain the same change, the limit was already valid when
// the servers made the list. If there are very many holders, the first waiter watches the folder's children instead of
// each holder: one watch, which fires for each hold that ends and for each contender that comes.
class permit_reading {
public:
    [[nodiscard]] const std::optional<permit_limit>& limit() const noexcept { return limit_; }
    [[nodiscard]] bool reads() const noexcept { return static_cast<bool>(reading_); }
    [[nodiscard]] bool expects(ticket id) const noexcept {
        return reading_.is(id) || settling_.is(id);
    }
    // True if the number of permits that was read last was already valid when the servers made the latest list of
    // contenders, or if no number was read.
    [[nodiscard]] bool is_of_the_list() const noexcept {
        return !limit_ || limit_mzxid_ == list_mzxid_;
    }
    // True if this waiter must set a watch on the folder's children each time that it lists them, because it does not
    // watch each holder.
    [[nodiscard]] bool lists_with_watch() const noexcept { return by_children_; }
    [[nodiscard]] bool children_watched_on(std::uint64_t connection) const noexcept {
        return children_on_ == connection;
    }

    void read(contender_session& c, const std::string& folder);
    void apply_list(const reply& list);
    // `wanted` is the number of permits that the semaphore must have; nothing if any number is right.
    consequence on_answer(const std::string& folder, std::optional<std::int32_t> wanted,
                          const reply& answer);
    void watch_by_children(bool by_children) noexcept { by_children_ = by_children; }
    void children_watch_fired() noexcept { children_on_ = 0; }
    // After a client has lowered the limit (the number of permits), some contenders may still hold permits under the
    // earlier limit, and `children` shows the last of these contenders. Writes this last holder's sequence number into
    // the folder's data. Every reader of the limit watches the data, and so learns of that holder. If the client may
    // not write the data, each reader lists the contenders itself and finds the holder, which costs requests.
    void settle(contender_session& c, const std::string& folder,
                const std::vector<std::string>& children);

    friend bool operator==(const permit_reading&, const permit_reading&) = default;

private:
    pending_ticket reading_;
    pending_ticket settling_;
    std::optional<permit_limit> limit_;  // read after the contenders were listed
    // The folder's mzxid when the contenders were listed.
    std::int64_t list_mzxid_ = 0;
    std::int64_t limit_mzxid_ = 0;  // the folder's mzxid when the limit was read
    std::int32_t limit_version_ = 0;
    bool by_children_ = false;
    std::uint64_t children_on_ = 0;  // connection with the watch on the children, until it fires
    // Identifies the latest limit that settle() has processed: the mzxid of the write that set this limit. settle()
    // processes each limit only once.
    std::optional<std::int64_t> settled_mzxid_;
};

// low_water_reading: in a long queue, the next holder reads the folder's low-water mark instead of a list of children.
// This mark is a number in the folder's data: every contender with this number or a lower number has left. So the cost
// of a hand-over does not depend on the length of the queue.
//
// | contender                                        | request                           | result            |
// |--------------------------------------------------|-----------------------------------|-------------------|
// | a waiter that has lost its nearest predecessor,  | get the folder's data, and the    | granted, if the   |
// | and saw a long queue with more contenders ahead  | waiter's own znode                | mark reaches that |
// |                                                  |                                   | predecessor; else |
// |                                                  |                                   | it lists children |
// | a contender that is or was the first, saw a long | remove its znode and raise the    | later contenders  |
// | queue and knows the version of the folder's data | mark in one transaction           | can use the mark  |
//
// A waiter that gives up raises no mark, and other libraries raise none. Then the next contender behind lists the
// folder, and raises the mark again later. znode_texts.hpp has the mark itself.
class low_water_reading {
public:
    // Stores the number of children. Also stores the version of the folder's data, if the data are empty or have not
    // changed since they were read.
    void apply_list(const stat& folder, std::size_t children);
    // Called when another contender may have raised the low-water mark: the number in the folder's data up to which all
    // contenders have left.
    void forget_version() noexcept { folder_version_.reset(); }

    [[nodiscard]] bool is_long(std::uint32_t long_queue) const noexcept {
        return listed_ >= long_queue;
    }
    [[nodiscard]] bool reads() const noexcept { return static_cast<bool>(reading_); }
    [[nodiscard]] bool expects(ticket id) const noexcept { return reading_.is(id); }
    // True if the queue is long, the folder's data are empty or a low-water mark (znode_texts.hpp), and we know the
    // version of these data.
    [[nodiscard]] bool may_raise(std::uint32_t long_queue) const noexcept {
        return folder_version_ && is_long(long_queue);
    }
    // Returns the operation that writes our own number as the low-water mark into the folder's data: all contenders up
    // to this number have left. Allowed only while may_raise().
    [[nodiscard]] set_op raise(const std::string& folder, contender_family of,
                               std::int32_t own) const;

    // Reads the low-water mark, the number up to which all contenders have left. Called after the predecessor with the
    // number `nearest` has gone.
    void read(contender_session& c, const std::string& folder, std::int32_t nearest);
    // Returns `done` if no contender is ahead of our own number. Otherwise the contender must list the folder.
    consequence on_answer(const reply& answer, contender_family of,
                          std::optional<std::int32_t> own);

    friend bool operator==(const low_water_reading&, const low_water_reading&) = default;

private:
    pending_ticket reading_;
    std::uint32_t listed_ = 0;  // number of children in the latest list
    std::int32_t nearest_ = 0;  // number of the predecessor that is gone
    // The version of the folder's data if the data were empty or a low-water mark (znode_texts.hpp) when they were
    // read last. Otherwise there is no value.
    std::optional<std::int32_t> folder_version_;
};

}  // namespace turnstile::core
