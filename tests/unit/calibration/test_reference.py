"""Every case of the reference file, within its own tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from geode_tui.calibration import (
    alpha,
    chance,
    correction,
    icc,
    labels,
    paired,
    pairs,
    ranks,
)
from geode_tui.calibration import alt_test as alt
from geode_tui.calibration.ratings import Ratings, group_codes
from geode_tui.calibration.resampling import Resampling, estimate
from geode_tui.calibration.statistic import Statistic, difference
from geode_tui.domain.estimate import Estimate

pytestmark = pytest.mark.shared

PERCENTILE = Resampling(method="percentile")
QUICK = Resampling(resamples=50)
PAIRS: dict[str, Callable[..., Statistic]] = {
    "percent_exact": pairs.percent_exact,
    "within_1": pairs.within,
    "mae": pairs.mae,
    "signed_bias": pairs.signed_bias,
    "lin_ccc": pairs.lin_ccc,
    "spearman": ranks.spearman,
    "kendall_tau_b": ranks.kendall_tau_b,
}


def plain(statistic: Statistic) -> Estimate:
    return estimate(statistic, np.arange(len(statistic.used)), QUICK)


def two(data: dict[str, Any], params: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Two raters' scores and the scale."""
    kind, raw = data["format"], data["data"]
    if kind in ("table", "table2x2"):
        rows = [
            (i + 1.0, j + 1.0)
            for i, row in enumerate(raw)
            for j, count in enumerate(row)
            for _ in range(round(count))
        ]
        size = max(len(raw), len(raw[0]))
        values = np.array(rows)
        return values[:, 0], values[:, 1], range(1, size + 1)
    if kind == "geode":
        person = int(params["b"][len("human[:,") : -1])
        human = np.array(raw["human"], dtype=float)[:, person]
        return np.array(raw[params["a"]], dtype=float), human, data["categories"]
    if isinstance(raw[0][0], str):
        names = sorted({name for row in raw for name in row})
        raw = [[names.index(name) for name in row] for row in raw]
    values = np.array(raw, dtype=float)
    scale = data.get("categories") or sorted(set(values[~np.isnan(values)]))
    return values[:, 0], values[:, 1], scale


def table(data: dict[str, Any], params: dict[str, Any]) -> Ratings:
    kind, raw = data["format"], data["data"]
    if kind == "counts":
        rows = [
            [j + 1 for j, count in enumerate(row) for _ in range(int(count))]
            for row in raw
        ]
        return Ratings.of(rows, scale=range(1, len(raw[0]) + 1))
    if kind == "geode":
        values = np.array(raw["human"], dtype=float)
        if params["raters"] == "humans_plus_judge":
            values = np.column_stack([values, raw["judge"]])
        return Ratings.of(values, scale=data["categories"])
    if kind in ("table", "table2x2"):
        a, b, scale = two(data, params)
        return Ratings.of(np.column_stack([a, b]), scale=scale)
    values = np.array(raw, dtype=float)
    scale = data.get("categories") or sorted(set(values[~np.isnan(values)]))
    return Ratings.of(values, scale=scale)


def kappa(data: dict[str, Any], params: dict[str, Any]) -> Statistic:
    a, b, scale = two(data, params)
    weights = params.get("weights", "quadratic")
    if weights == "custom":
        weights = np.array(params["disagreement_weights"])
    return pairs.cohen_kappa(a, b, weights=weights, scale=scale)


def alt_counts(case: dict[str, Any], data: dict[str, Any]) -> Any:
    epsilon = case["params"].get("epsilon", 0.2)
    if data["format"] == "alt_raw":
        names = list(data["data"]["llm"])
        people = {
            rater: {item: scores.get(item) for item in names}
            for rater, scores in data["data"]["humans"].items()
        }
        judge = np.array([data["data"]["llm"][n] for n in names], dtype=float)
        ratings = Ratings.from_table(people)
        return alt.alt_test(ratings, judge, epsilon=epsilon, resampling=QUICK)
    wins = [
        alt.Wins(str(i), c["llm_better"], c["human_better"], c["tie"])
        for i, c in enumerate(data["data"])
    ]
    return alt.alt_test_of_counts(wins, epsilon=epsilon)


def answer(case: dict[str, Any], data: dict[str, Any] | None) -> Any:
    """Our value for a case: an estimate, a number, or a list of numbers."""
    metric, params = case["metric"], case["params"]
    if metric == "mcnemar_exact_p":
        if data is None:
            return paired.mcnemar(0, 0, items=10)
        if data["format"] == "table2x2":
            return paired.mcnemar(data["data"][0][1], data["data"][1][0])
        flags = [data["data"][params[k]] for k in ("truth", "a", "b")]
        out = paired.mcnemar_of_flags(*flags)
        assert list(out.details.values()) == case["discordant"]
        return out
    if metric == "label_precision_recall_f1_mcc_kappa":
        if data is None:
            truth, given = case["inline"]["human"], case["inline"]["judge"]
        else:
            sets = (data["data"][params[k]] for k in ("truth", "pred"))
            truth, given = ([params["label"] in s for s in of] for of in sets)
        return [plain(s) for s in labels.label_figures(truth, given).values()]
    if metric == "rogan_gladen" and data is None:
        inline = case["inline"]
        return correction.rogan_gladen(inline["ap"], inline["se"], inline["sp"])
    if metric == "alt_test_winning_rate" and data is None:
        wins = [alt.Wins(str(i), 10, 9, 10) for i in range(3)]
        return alt.alt_test_of_counts(wins).winning_rate
    assert data is not None
    if metric in PAIRS:
        a, b, _ = two(data, params)
        return plain(PAIRS[metric](a, b))
    if metric == "cohen_kappa":
        return plain(kappa(data, params))
    if metric == "scott_pi":
        a, b, scale = two(data, params)
        return plain(chance.scott_pi(a, b, scale=scale))
    if metric == "krippendorff_alpha":
        level = params.get("level", "ordinal")
        return plain(alpha.krippendorff_alpha(table(data, params), level=level))
    if metric in ("gwet_ac1", "gwet_ac2"):
        weights = params.get("weights", "identity")
        return plain(chance.gwet_ac(table(data, params), weights=weights))
    if metric == "fleiss_kappa":
        return plain(chance.fleiss_kappa(table(data, params)))
    if metric.startswith("icc"):
        form = f"{metric[3]},{metric[4]}"
        out = plain(icc.icc(table(data, params), form=form))  # type: ignore[arg-type]
        assert out.n_items == params.get("listwise_items", out.n_items)
        return out
    if metric in ("masi_alpha", "jaccard_alpha"):
        sets = [data["data"][k] for k in ("human_labels", "judge_labels")]
        kind: Any = metric.split("_")[0]
        return plain(labels.set_alpha(sets, distance=kind))
    if metric == "masi_distance":
        return labels.masi_distance(*data["data"])
    if metric == "mcc":
        truth, given = np.array(data["data"]).T > 0
        figures = labels.label_figures(truth.tolist(), given.tolist())
        return plain(figures["mcc"])
    if metric.startswith("bland_altman"):
        a, b, _ = two(data, params)
        z = params.get("z", paired.Z_95)
        limits = {k: plain(s) for k, s in paired.bland_altman(a, b, z=z).items()}
        if metric == "bland_altman_limits":
            return [limits["lower"], limits["upper"]]
        return limits[metric.removeprefix("bland_altman_")]
    if metric == "mcnemar_chi2":
        counts = data["data"][0][1], data["data"][1][0]
        return paired.mcnemar_chi2(*counts, correction=params["correction"])
    if metric == "sign_test_p":
        raw = data["data"]
        human = np.array(raw["human"], dtype=float)[:, 0]
        losses = [
            np.abs(np.array(raw[k], float) - human) for k in ("judge", "judge_v2")
        ]
        out = paired.sign_test(*losses)
        assert list(out.details.values()) == case["wins_ties_losses"]
        return out
    if metric.startswith("rogan_gladen"):
        raw = data["data"]
        share = raw["pos"] / raw["tested"]
        out = correction.rogan_gladen(share, raw["se"], raw["sp"])
        return out.details["raw"] if metric.endswith("raw") else out
    if metric.startswith("ppi_mean"):
        raw = data["data"]
        out = correction.ppi_mean(raw["Y"], raw["F"], raw["U"])
        return [out.low, out.high] if metric.endswith("ci95") else out
    if metric == "benjamini_yekutieli":
        return float(alt.benjamini_yekutieli(data["data"]).sum())
    if metric == "alt_test_winning_rate":
        out = alt_counts(case, data)
        if "p_values" in case:
            assert [a.p for a in out.annotators] == pytest.approx(case["p_values"])
        if "rejected" in case:
            assert [a.judge_wins for a in out.annotators] == case["rejected"]
        return out.winning_rate
    if metric == "alt_test_advantage_probability":
        return alt_counts(case, data).advantage
    assert metric in ("qwk_ci95_percentile", "delta_qwk_ci95_percentile")
    raw = data["data"]
    human = np.array(raw["human"], dtype=float)[:, 0]
    groups = group_codes(raw["seed_group"])
    if params["unit"] == "item":
        groups = np.arange(len(human))
    statistic = pairs.cohen_kappa(np.array(raw["judge"], float), human)
    if metric.startswith("delta"):
        other = pairs.cohen_kappa(np.array(raw["judge_v2"], float), human)
        statistic = difference(other, statistic, "gain")
    out = estimate(statistic, groups, PERCENTILE)
    assert out.n_groups == params.get("n_groups", out.n_groups)
    if "point" in case:
        assert out.value == pytest.approx(case["point"], abs=1e-9)
    return [out.low, out.high]


def fault(case: dict[str, Any], got: Any) -> str | None:
    """What is wrong with an answer, or None."""
    want, tolerance = case["value"], case["tolerance"]
    parts = got if isinstance(got, list) else [got]
    if want is None:
        for part in parts:
            if part.value is not None or part.reason != case["reason"]:
                return f"{part.value} for {part.reason}, not {case['reason']}"
        return None
    numbers = [p.value if isinstance(p, Estimate) else p for p in parts]
    wanted = want if isinstance(want, list) else [want]
    for number, target in zip(numbers, wanted, strict=True):
        if number is None or abs(number - target) > tolerance + 1e-12:
            return f"{numbers}, not {want}"
    if "ci" in case and case["ci"] is None and parts[0].interval is not None:
        return "an interval where there must be none"
    if "warning" in case and case["warning"] not in parts[0].warnings:
        return f"no warning {case['warning']}"
    return None


def test_every_reference_case_is_met(reference: dict[str, Any]) -> None:
    faults = {}
    for case in reference["cases"]:
        data = reference["datasets"].get(case["data"])
        found = fault(case, answer(case, data))
        if found:
            faults[case["id"]] = found
    assert not faults
    assert len(reference["cases"]) >= 236


def test_the_policy_of_reasons_and_minimums_is_ours(reference: dict[str, Any]) -> None:
    from geode_tui.domain import estimate as ours

    policy = reference["policy"]
    assert set(policy["reasons"]) <= {r.value for r in ours.Reason}
    assert policy["min_items_point"] == ours.MIN_ITEMS
    assert policy["min_items_ci"] == ours.MIN_ITEMS_INTERVAL
    assert policy["min_groups_ci"] == ours.MIN_GROUPS_INTERVAL
