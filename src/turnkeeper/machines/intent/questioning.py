"""Whom a sentence with a question mark asks: the person, nobody in particular, or itself."""

from typing import Final

from turnkeeper.machines.intent.phrases import lines

# A "?" with one of these is meant for the person.
DIRECTED: Final = lines(
    r"""
    you\b
    your\b
    yours\b
    should i\b
    shall i\b
    shall we\b
    should we\b
    may i\b
    can i\b
    do i\b
    am i\b
    must i\b
    could i\b
    want me to
    ok to\b
    okay to\b
    okay with
    ok with
    fine to\b
    safe to (?:assume|go)
    good to go
    go ahead
    all right if
    is it (?:ok|okay|fine|acceptable|alright|all right)
    is that (?:ok|okay|fine|acceptable|alright|all right|right|correct)
    i should\b
    i may\b
    ^proceed\b
    ^continue\b
    ^overwrite\b
    ^apply\b
    ^deploy\b
    ^delete\b
    ^push\b
    ^merge\b
    ^keep\b
    ^run\b
    ^remove\b
    ^use\b
    ^install\b
    ^restart\b
    ^create\b
    ^send\b
    ^publish\b
    ^drop\b
    ^revert\b
    ^commit\b
    ^tag\b
    ^ship\b
    ^start\b
    ^stop\b
    ^add\b
    ^update\b
    ^rename\b
    ^include\b
    ^import\b
    ^allow\b
    ^approve\b
    """,
    r"""
    soll ich
    sollen wir
    darf ich
    kann ich
    du\b
    dir\b
    sie\b
    ihnen\b
    möchtest
    willst
    einverstanden
    quieres
    quiere que
    prefieres
    prefiere
    puedes
    puede usted
    debo\b
    debería
    deseas
    te parece
    le parece
    tienes
    devo\b
    posso\b
    você
    quer que
    prefere
    pode me
    vuoi
    vuole
    preferisci
    preferisce
    dovrei
    dois-je
    puis-je
    vous\b
    tu\b
    мне\b
    вы\b
    вам\b
    ты\b
    你
    您
    我
    """,
)

# A "?" with one of these leaves something open, though it names nobody.
OPEN: Final = lines(
    r"""
    should\b
    shall\b
    which\b
    who\b
    whose\b
    where (?:is|are|do|does|can|should)
    how (?:many|much|long|should|old)
    or\b
    ^is\b
    ^are\b
    ^does\b
    ^do\b
    ^can\b
    ^may\b
    ^will\b
    ^has\b
    ^have\b
    welche
    welcher
    welches
    welchen
    welchem
    soll\b
    sollen\b
    oder\b
    cuál
    qué\b
    debe\b
    quel\b
    quelle
    quels
    quelles
    ou\b
    qual\b
    quale
    quali
    или\b
    какой
    какая
    какую
    какие
    какое
    どちら
    どの
    哪
    还是
    """
)

# A "?" with one of these is asked for the sake of its answer.
RHETORICAL: Final = lines(
    r"""
    why\b
    how come
    what happen
    what if\b
    what was\b
    what changed
    what did i\b
    did i\b
    warum
    wieso
    weshalb
    por qué
    pourquoi
    perché
    почему
    なぜ
    为什么
    """
)
