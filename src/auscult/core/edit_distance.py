"""How many slips of the keyboard lie between two words."""

from __future__ import annotations


def edit_distance(left: str, right: str, bound: int) -> int:
    """Edits from one word to the other, a swap of neighbors being one; anything over the bound
    comes back as `bound + 1`.

    >>> edit_distance("pneumonai", "pneumonia", 2), edit_distance("cold", "old", 2)
    (1, 1)
    """
    if abs(len(left) - len(right)) > bound:
        return bound + 1
    # Slips are few and far between: most of both words is the same at either end.
    begin, shorter = 0, min(len(left), len(right))
    while begin < shorter and left[begin] == right[begin]:
        begin += 1
    end = 0
    while end < shorter - begin and left[-1 - end] == right[-1 - end]:
        end += 1
    left, right = left[begin : len(left) - end], right[begin : len(right) - end]
    earlier: list[int] = []
    previous = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        current = [i]
        for j, b in enumerate(right, 1):
            cost = min(previous[j] + 1, current[-1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            current.append(cost)
        if min(current) > bound:
            return bound + 1
        earlier, previous = previous, current
    return previous[-1]
