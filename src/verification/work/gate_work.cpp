// SPDX-License-Identifier: Apache-2.0
#include "verification/work/gate_work.hpp"

#include <utility>

#include "recipe/gate/job_rule.hpp"
#include "recipe/gate/rate_rule.hpp"
#include "verification/work/recipe_work.hpp"

namespace turnstile::simulation {

namespace {

// Reads the record, learns the leader's time, and decides; what comes after that is the gate's.
class gate_work : public recipe_work {
public:
    gate_work(sim_client& client, const scenario& what, dice& chance, const char* record)
        : recipe_work{client, what, chance}, record_{record} {}

protected:
    virtual void decide(worker& one, std::int64_t now) = 0;
    virtual void go_on_after(worker& one, int step) = 0;

    [[nodiscard]] static bool read_it(const worker& one) {
        return one.reply && one.reply->error == core::server_error::ok;
    }
    void look(worker& one) { read(one, record_); }
    void write(worker& one, const std::string& text) {
        const auto marked = unique_text(one, text);
        commit(one, core::set_op{record_, marked, one.seen.version}, marked);
    }

private:
    void go_on(worker& one) final {
        const auto step = one.step++;
        switch (step) {
            case 0: return look(one);
            case 1: {
                if (!read_it(one)) return release(one);
                one.seen = one.reply->stat;
                one.text = one.reply->data;
                auto text = unique_text(one, "now");
                return commit(one, core::set_op{k_state_znode, text}, text);
            }
            case 2: return committed(one) ? read(one, one.znode) : release(one);
            case 3: return read_it(one) ? decide(one, one.reply->stat.mtime) : release(one);
            default: return go_on_after(one, step);
        }
    }

    const std::string record_;
};

// Starts if it is due, works, and writes the end down.
class job_work final : public gate_work {
public:
    job_work(sim_client& client, const scenario& what, dice& chance)
        : gate_work{client, what, chance, k_job_znode} {}

private:
    void go_on_after(worker& one, int step) override {
        switch (step) {
            case 4:
                if (!committed(one)) return release(one);
                return pause(one, some_time());  // the job
            case 5: return look(one);
            case 6:
                if (!read_it(one) || dice_.chance(0.2)) return release(one);  // it dies, as it were
                return finish(one);
            default: return release(one);
        }
    }
    void decide(worker& one, std::int64_t now) override {
        const auto last = detail::parse_job(one.text, one.seen.mtime).value_or(job_record{});
        const auto decided = detail::decide_job(last, now, scenario_.job);
        if (decided.verdict != job_verdict::ran) return release(one);
        job_record next;
        next.state = job_state::running;
        next.number = last.number + 1;
        next.by = std::to_string(client_.id());
        write(one, detail::to_text(next));
    }
    void finish(worker& one) {
        auto record = detail::parse_job(one.reply->data, one.reply->stat.mtime);
        if (!record || record->state != job_state::running) return release(one);
        one.seen = one.reply->stat;
        record->state = job_state::succeeded;
        write(one, detail::to_text(*record));
    }
};

// Enters if there is room; else it waits for that while it holds the lock, and looks again.
class rate_work final : public gate_work {
public:
    rate_work(sim_client& client, const scenario& what, dice& chance)
        : gate_work{client, what, chance, k_rate_znode} {}

private:
    void go_on_after(worker& one, int) override { release(one); }
    void decide(worker& one, std::int64_t now) override {
        auto record = detail::rate_record::parse(one.text, one.seen.mtime).value_or(scenario_.rate);
        detail::forget_old(record, now);
        const auto wait = detail::wait_for_room(record, now);
        if (wait > 0 && dice_.chance(0.5)) return release(one);  // it only tried
        if (wait > 0) {
            one.step = 0;
            return pause(one, std::chrono::milliseconds{wait});
        }
        write(one, record.to_string());
    }
};

}  // namespace

std::unique_ptr<application> make_job_work(sim_client& client, const scenario& what, dice& chance) {
    return std::make_unique<job_work>(client, what, chance);
}

std::unique_ptr<application> make_rate_work(sim_client& client, const scenario& what,
                                            dice& chance) {
    return std::make_unique<rate_work>(client, what, chance);
}

}  // namespace turnstile::simulation
