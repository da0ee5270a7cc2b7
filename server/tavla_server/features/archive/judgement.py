"""The judgement of a match, as the archive keeps it."""

from tavla_protocol.messages import Analysis, Finding


class Judgement(Analysis, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A judgement: an analysis with the decisions that have cost something, in order; of very many, the costliest."""

    findings: tuple[Finding, ...] = ()
