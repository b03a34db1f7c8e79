"""What the tasks of this folder are judged by. `state` is what the page is like when the agent has ended."""

import json
from decimal import Decimal
from typing import Literal

from rates import with_tax


def _claims(state) -> list[dict]:
    return json.loads(state.storage["local"].get("claims", "[]"))


def claimed(state, person: str, net: float, country: Literal["FR", "DE"] = "FR") -> dict:
    """1 where the person has claimed the net sum with the tax of the country, half where the sum is another."""
    wanted = with_tax(Decimal(str(net)), country)
    sums = [claim["sum"] for claim in _claims(state) if claim["person"] == person]
    if not sums:
        return {"value": 0, "reason": f"{person} has claimed nothing"}
    print(f"{person} claimed {sums}")
    right = any(Decimal(one) == wanted for one in sums)
    return {"value": 1 if right else 0.5, "reason": f"{person} claimed {', '.join(sums)}, {wanted} was expected"}


async def nothing_else(state, most: int = 1) -> bool:
    """Whether no more claims were made."""
    return len(_claims(state)) <= most


def fresh(state) -> None:
    """Opens the list of receipts."""
    state.open("receipts.html")
