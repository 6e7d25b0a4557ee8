#include "simulation/gate_work.hpp"

#include <utility>

#include "recipe/job_rule.hpp"
#include "recipe/rate_rule.hpp"
#include "simulation/recipe_work.hpp"

namespace turnstile::simulation {

namespace {

// Reads the record, learns the leader's time, starts if it is due, works, and writes the end down.
class job_work final : public recipe_work {
public:
    using recipe_work::recipe_work;

private:
    void write(worker& one, const std::string& text) {
        const auto marked = unique_text(one, text);
        commit(one, core::set_op{k_job_znode, marked, one.seen.version}, marked);
    }
    void go_on(worker& one) override {
        const bool read_it = one.reply && one.reply->error == core::server_error::ok;
        switch (one.step++) {
            case 0: return read(one, k_job_znode);
            case 1: {
                if (!read_it) return release(one);
                one.seen = one.reply->stat;
                one.text = one.reply->data;
                auto text = unique_text(one, "now");
                return commit(one, core::set_op{k_state_znode, text}, text);
            }
            case 2: return committed(one) ? read(one, one.znode) : release(one);
            case 3: return read_it ? begin(one, one.reply->stat.mtime) : release(one);
            case 4:
                if (!committed(one)) return release(one);
                return pause(one, some_time());  // the job
            case 5: return read(one, k_job_znode);
            case 6:
                if (!read_it || dice_.chance(0.2)) return release(one);  // it dies, as it were
                return finish(one);
            default: return release(one);
        }
    }
    void begin(worker& one, std::int64_t now) {
        const auto last = detail::parse_job(one.text, one.seen.mtime).value_or(job_record{});
        const auto decided = detail::decide_job(last, now, scenario_.job);
        if (decided.what != job_verdict::ran) return release(one);
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

// Reads the record, learns the leader's time, and enters if there is room; else it waits for that while it
// holds the lock, and looks again.
class rate_work final : public recipe_work {
public:
    using recipe_work::recipe_work;

private:
    void go_on(worker& one) override {
        const bool read_it = one.reply && one.reply->error == core::server_error::ok;
        switch (one.step++) {
            case 0: return read(one, k_rate_znode);
            case 1: {
                if (!read_it) return release(one);
                one.seen = one.reply->stat;
                one.text = one.reply->data;
                auto text = unique_text(one, "now");
                return commit(one, core::set_op{k_state_znode, text}, text);
            }
            case 2: return committed(one) ? read(one, one.znode) : release(one);
            case 3: return read_it ? enter(one, one.reply->stat.mtime) : release(one);
            default: return release(one);
        }
    }
    void enter(worker& one, std::int64_t now) {
        auto record = detail::rate_record::parse(one.text, one.seen.mtime).value_or(scenario_.rate);
        detail::forget_old(record, now);
        const auto wait = detail::wait_for_room(record, now);
        if (wait > 0 && dice_.chance(0.5)) return release(one);  // it only tried
        if (wait > 0) {
            one.step = 0;
            return pause(one, std::chrono::milliseconds{wait});
        }
        const auto marked = unique_text(one, record.to_string());
        commit(one, core::set_op{k_rate_znode, marked, one.seen.version}, marked);
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
