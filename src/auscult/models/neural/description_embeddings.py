"""Initialize the queries of codes from their descriptions, encoded by the encoder itself.

A description's embedding is the mean of the encoder's vectors of its tokens. A code's query starts
as the key that this embedding would have among the tokens of a chart: what reads like the
description then gets attention before anything is learned, and codes with similar descriptions
start alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from auscult.codes.tables import describe
from auscult.core.progress import track
from auscult.learning.padded_rows import padded
from auscult.models.label_space import LabelSpace
from auscult.models.neural.heads.label_attention_head import LabelAttentionHead
from auscult.models.neural.subwords import Subwords
from auscult.models.neural.transformer_network import TransformerNetwork

_AT_ONCE = 256
"""Number of descriptions per batch, so that memory does not grow with the number of codes."""


@torch.no_grad()
def start_from_descriptions(
    network: TransformerNetwork, head: LabelAttentionHead, subwords: Subwords, labels: LabelSpace
) -> None:
    """Set the queries of the codes that have a description; the others stay as they are.

    The mean over all codes is taken off, since it tells none from another, and each query gets the
    length that queries have at random.
    """
    described = [(at, text) for at, code in enumerate(labels) if (text := describe(code))]
    if not described:
        return
    known = list(dict.fromkeys(text for _, text in described))
    keys = head.keys(embedded(network, subwords, known))  # (K, D)
    queries = nn.functional.normalize(keys - keys.mean(0) if len(known) > 1 else keys)
    queries *= head.queries.norm(dim=1).mean()
    places = {text: place for place, text in enumerate(known)}
    rows = torch.tensor([at for at, _ in described], device=queries.device)
    of = torch.tensor([places[text] for _, text in described], device=queries.device)
    head.queries[rows] = queries[of]


@torch.no_grad()
def embedded(network: TransformerNetwork, subwords: Subwords, texts: Sequence[str]) -> Tensor:
    """The mean of the encoder's token vectors of each text, (K, H)."""
    was_training = network.training
    network.eval()
    tokenizer, device = subwords.tokenizer, network.specials.device
    before, after = list(subwords.before), list(subwords.after)
    ids = [one.ids[: subwords.room] for one in tokenizer.encode_batch(texts, False)]
    order = np.argsort([len(one) for one in ids], kind="stable").tolist()
    found = torch.zeros(len(texts), int(network.encoder.config.hidden_size), device=device)
    batches = range(0, len(order), _AT_ONCE)
    for begin in track(batches, "encoding code descriptions", len(batches)):
        places = order[begin : begin + _AT_ONCE]
        given, mask = (
            one.to(device) for one in padded([before + ids[at] + after for at in places])
        )
        hidden = network.encode_chunks(given, mask)  # (B, C, H)
        lengths = mask.sum(1, keepdim=True)
        position = torch.arange(given.shape[1], device=device)
        is_own = (position >= len(before)) & (position < lengths - len(after))
        summed = (hidden * is_own[..., None]).sum(1)
        found[places] = summed / is_own.sum(1, keepdim=True).clamp_min(1)
    network.train(was_training)
    return found
