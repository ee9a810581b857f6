#include "report/percentile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace rdmabench::report {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kSteps = 1'000'000'000;  // of kFinestPercent in a whole

std::uint64_t StepsOf(double percent) {
  return static_cast<std::uint64_t>(std::llround(percent / kFinestPercent));
}

// samples * steps / kSteps, rounded down or up.
std::uint64_t Share(std::uint64_t samples, std::uint64_t steps, bool up) {
  const Wide product = Wide{samples} * steps + (up ? kSteps - 1 : 0);
  return static_cast<std::uint64_t>(product / kSteps);
}

// How many of `samples` fall below what each falls below with `probability`: the binomial
// distribution, as weights by their ratio to that of the mode, which needs no factorials. They are
// added up from either end, where the rest is too small to be seen in a double.
class Binomial {
 public:
  Binomial(std::uint64_t samples, double probability)
      : samples_(static_cast<double>(samples)),
        odds_(probability / (1.0 - probability)),
        mode_(std::min(samples_, std::floor((samples_ + 1.0) * probability))) {
    first_ = last_ = mode_;
    for (first_weight_ = 1.0; first_ > 0.0 && first_weight_ > kNothing; --first_) {
      first_weight_ /= Ratio(first_ - 1.0);
      all_ += first_weight_;
    }
    for (last_weight_ = 1.0; last_ < samples_ && last_weight_ > kNothing; ++last_) {
      last_weight_ *= Ratio(last_);
      all_ += last_weight_;
    }
  }

  // The largest k with P(fewer than k) <= share.
  double Low(double share) const {
    double k = first_;
    double weight = first_weight_;
    for (double below = weight; below <= share * all_; below += weight) {
      weight *= Ratio(k);
      ++k;
    }
    return k;
  }
  // The smallest k with P(k or more) <= share.
  double High(double share) const {
    double k = last_;
    double weight = last_weight_;
    for (double above = weight; above <= share * all_; above += weight) {
      weight /= Ratio(k - 1.0);
      --k;
    }
    return k + 1.0;
  }

 private:
  static constexpr double kNothing = 1e-18;

  // P(k + 1) / P(k)
  double Ratio(double k) const { return (samples_ - k) / (k + 1.0) * odds_; }

  double samples_;
  double odds_;
  double mode_;
  double all_ = 1.0;
  double first_ = 0.0;
  double first_weight_ = 1.0;
  double last_ = 0.0;
  double last_weight_ = 1.0;
};

}  // namespace

bool IsPercentile(double percent) {
  if (!(percent >= kFinestPercent && percent <= 100.0 - kFinestPercent)) return false;
  // To what the decimal text of a number loses as a double.
  const double steps = percent / kFinestPercent;
  return std::abs(steps - std::round(steps)) < 1e-3;
}

std::string PercentileName(double percent) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "p%.10g", percent);
  return text.data();
}

const Percentile* FindPercentile(const Latency& latency, double percent) {
  const auto found = std::find_if(
      latency.percentiles.begin(), latency.percentiles.end(),
      [percent](const Percentile& percentile) { return percentile.percent == percent; });
  return found == latency.percentiles.end() ? nullptr : &*found;
}

std::uint64_t NearestRank(double percent, std::uint64_t samples) {
  return Share(samples, StepsOf(percent), true);
}

bool IsBacked(double percent, std::uint64_t samples) {
  const std::uint64_t steps = StepsOf(percent);
  return Share(samples, std::min(steps, kSteps - steps), false) >= kFewestBeyond;
}

std::optional<RankInterval> Interval95(double percent, std::uint64_t samples) {
  constexpr double kOneEnd = 0.025;
  if (samples == 0) return std::nullopt;
  const Binomial below(samples, percent / 100.0);
  const double low = below.Low(kOneEnd);
  const double high = below.High(kOneEnd);
  if (low < 1.0 || high > static_cast<double>(samples)) return std::nullopt;
  return RankInterval{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(high)};
}

}  // namespace rdmabench::report
