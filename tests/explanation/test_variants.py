"""Variants of B³ and CEAF that manipulate mentions: Pradhan et al. (2014), section 2."""

import pandas as pd
import pytest

from cdec.explanation.variants import VARIANTS, variants
from cdec.metadocument import MetaDocuments
from cdec.metrics import METRICS
from cdec.metrics.contingency import Contingency
from tests.strategies import meta_documents_of


def documents(key: str, *response: str) -> MetaDocuments:
    """Key {key} and response chains, each given by the letters of its mentions."""
    names = sorted({*key, *"".join(response)})
    chain = {mention: number for number, letters in enumerate(response) for mention in letters}
    return MetaDocuments(
        pd.DataFrame(
            {
                "meta": "m",
                "key": [1 if name in key else None for name in names],
                "response": [chain.get(name) for name in names],
            },
            index=pd.Index(names, dtype=object),
        )
    )


def test_the_values_of_the_paper() -> None:
    one, two = documents("abc", "abd"), documents("abc", "abd", "c")
    found = {name: counts.precision for name, counts in variants(METRICS["b3"], one).items()}
    assert found["0"] == 1
    assert found["all"] == pytest.approx(5 / 9)
    assert variants(METRICS["b3"], two)["all"].precision == pytest.approx(2 / 3)
    plain = [METRICS["b3"].counts(Contingency.from_meta_documents(m)).precision for m in (one, two)]
    # The paper prints .333 for the second: a misprint.
    assert plain == pytest.approx([4 / 9, 7 / 12])


def test_a_spurious_singleton_leaves_with_rahman_and_ng() -> None:
    found = variants(METRICS["b3"], documents("abc", "ab", "d"))["r&n"]
    assert (found.p_den, found.precision) == (2, 1)


@pytest.mark.parametrize("name", VARIANTS)
def test_without_twinless_mentions_every_variant_is_the_metric(name: str) -> None:
    metas = meta_documents_of([0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 0])
    plain = METRICS[name].counts(Contingency.from_meta_documents(metas))
    found = variants(METRICS[name], metas)
    assert list(found) == list(VARIANTS[name])
    assert all(counts == plain for counts in found.values())
