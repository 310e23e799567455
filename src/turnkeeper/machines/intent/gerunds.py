"""Sentences without a subject, in which an agent says what it is doing."""

import re
from typing import Final

# "Running the tests." without a subject is the agent speaking of itself …
GERUND: Final = re.compile(
    r"having a (?:closer |quick )?look|(?:[a-z]{2,12}-)?"
    r"(?!nothing|everything|something|anything|during|according|including|regarding"
    r"|missing|existing|being|having|string|bring|thing|king|spring|following|concerning|pricing"
    r"|depending|warning|remaining|ongoing|interesting|meaning|assuming|pending|outstanding|using"
    r"|morning|evening)[a-z]{2,}ing\b"
    r"(?![,:]? (?:is|are|was|were|will|would|has|had|works|takes|took|needs|and)\b)(?!:|$)"
)
# … unless it turns out to be the subject: "Adding captions is easy".
VERB_OF_GERUND: Final = re.compile(
    r"[^,;:]{0,60}?\b"
    r"(?:(whether|if|how|what|why|which|where|who|that|when|to see|until|because|since|so)"
    r"|is|are|was|were|takes|took|needs|would|makes|costs|helps|works)\b"
)
# "Compilation done, flashing the board."
AFTER_DONE: Final = re.compile(
    r"\b(?:done|completed?|finished|passed|green|built|installed|downloaded|ready|through)[,;] "
    r"(?:now )?[a-z]{3,}ing\b"
)
# "37 hits so far, sorting them by module": after a comma only verbs of work, because a report
# may end in a participle too ("…, adding 14 tests").
TRAILING_GERUND: Final = re.compile(
    r"[;:–—…] (?:now |then |just )?"
    r"(?!missing|using|pending|including|nothing|everything|something|being)"
    r"[a-z]{3,}ing (?:the|a|an|it|up|through|with|on|at|that|my|all)\b"
    r"|[,;:–—] (?:now )?(?:on to|off to|back to)\b"
    r"|[,-] (?:now |then |and |just )?(?:re-?)?(?:continuing|moving|trying|sorting|checking|running"
    r"|looking|going|starting|working|waiting|digging|proceeding|fixing|searching|retrying|reading"
    r"|comparing|writing|testing|building|switching|investigating|converting|updating|carrying"
    r"|resuming)\b"
)
