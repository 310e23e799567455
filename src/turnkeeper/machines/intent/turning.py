"""How a person turns away from a pending question to something new."""

from typing import Final

from turnkeeper.machines.intent.phrases import lines

TURNS_AWAY: Final = lines(
    r"""
    never ?mind
    nevermind
    forget (?:it|that|this|about|the|what|everything)
    cancel (?:that|this|it|the|everything|your)
    scrap (?:it|that|this|the)
    drop (?:it\b|that|this|the whole|everything|the question|the topic)
    ignore (?:that|this|the question|your question|my)
    skip (?:that|this|the question) (?:for|question)
    stop (?:that|this|what you|everything|working|here)
    abort\b
    new (?:task|topic|plan|job|request|priority|order)\b
    different (?:task|topic|thing|question|subject|plan)
    another (?:task|topic)\b
    change of plan
    change (?:my|our) minds?\b
    changed (?:my|our) minds?\b
    something (?:more urgent|else|more important|different) (?:came|first|now|has|is|just)
    more (?:urgent|important)(?: thing| matter| problem| issue)?(?::| came| now| first|,)
    on hold
    on ice
    park (?:that|this|it)\b
    put (?:that|this|it) (?:aside|off|away)
    leave (?:that|this|it) (?:for (?:now|later|the moment|another)|aside|open)
    set (?:that|this|it) aside
    get back to (?:you|that|this|it)
    come back to (?:that|this|it|you)
    think about (?:that|this|it) (?:later|tomorrow|over|some)
    decide (?:that |this |it |on that |about that )?(?:later|next|tomorrow|another|some other|
      on monday|when)
    answer (?:that|this|it|you) (?:later|tomorrow|another)
    not (?:important|relevant|a priority) (?:right )?now
    in the meantime
    meanwhile
    but first
    not now\b
    please first
    first please
    next task\b
    for today
    can wait
    has to wait
    will have to wait
    wait with (?:that|it|this)
    hold (?:off|that)
    don't care about (?:that|this|it)
    skip (?:it|that|this)[.,;]
    isn't (?:important|relevant)
    doesn't matter (?:now|any)
    no longer (?:important|relevant|needed)
    before (?:you do|anything|doing)
    that first\b
    this first\b
    let's .{0,80} instead
    work on .{0,80} instead
    write .{0,80} instead
    look (?:at|into) .{0,80} instead
    let's (?:not do|talk about|do something|switch|leave|instead|move on)
    """,
    r"""
    vergiss
    vergessen sie
    lass das
    nicht (?:so )?wichtig
    kann warten
    machen wir später
    klären wir später
    egal[,.:]
    kümmere dich stattdessen
    neue aufgabe
    anderes thema
    erst mal was anderes
    olvida
    olvídalo
    olvídate
    déjalo
    deja eso
    puede esperar
    eso no importa
    nueva tarea
    otra cosa
    oublie
    peut attendre
    laisse tomber
    laissez tomber
    autre chose
    nouvelle tâche
    esquece
    deixa (?:isso|pra lá)
    nova tarefa
    lascia (?:stare|perdere)
    dimentica
    忘れて
    それはいい
    やっぱり
    その前に
    後で
    后面再
    以后再
    先不
    先别
    算了
    不用管
    别管
    换个
    新任务
    잊어
    됐고
    забудь
    не важно
    неважно
    """,
)
