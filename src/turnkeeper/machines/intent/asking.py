"""How a request to the person is worded, with and without a question mark."""

import re
from typing import Final

from turnkeeper.machines.intent.phrases import lines

# The agent will not go on, or not rightly, without an answer.
ASKS: Final = lines(
    # English: tell me, choose, confirm
    r"""
    let me know (?:which|whether|how (?:you|to|i)|when|once|who|where|the \w+|your (?!thoughts)|
      what(?! you think)|as soon)
    let me know if (?:i should|i may|i can|that's (?:ok|fine|right)|this is (?:ok|fine|right)|
      you (?:agree|want me to (?:go|proceed|continue|start)))
    let me know (?:so|and) (?:that )?i
    tell me (?:which|what|when|whether|how|if i|if you agree|who|where|the|to|your|two|once|about|
      yes|a )
    please (?!note|review|test|try|check|verify|restart|make sure|take a|have a|read|mind|contact|
      look|give it|remember|see\b|be |keep|reload|re-?run|find|bear|feel|don't|do not|use|run|
      update|double|consider|excuse|wait|hold|stand|ignore|refresh|re-)\w+
    kindly \w+
    ^reply\b
    ^respond\b
    ^answer (?:with|these|the|me|yes)
    ^choose\b
    ^pick\b
    ^confirm\b
    ^approve\b
    ^decide\b
    ^paste\b
    ^specify\b
    ^say (?:yes|ok|go\b|no\b|which|so\b|the word(?! if))
    reply with
    respond with
    answer with\b
    type (?:the word|yes|y\b|delete|confirm|go\b)
    pick (?:one|whichever)\b
    choose (?:one|between|whichever)\b
    say the word(?:,| and) (?:and )?(?:i|it|we)
    give me (?:the|a|an|your|access|one)\b
    send (?:me|it to|them to|over)\b
    whichever you
    whatever you (?:prefer|like|choose|decide)
    ok\?$
    okay\?$
    alright\?$
    fine\?$
    objections\b
    thoughts\?$
    my (?:\w+ )?question\b
    decision needed
    come back to me
    could you (?!see)
    would you (?:mind|please)
    thumbs up
    green light
    go-ahead
    get back to me
    point me (?:to|at|in)
    """,
    # English: need, wait, blocked
    r"""
    i need (?:your|you to|a decision|a yes|an answer|input|access|confirmation|approval|
      permission|to know|to hear|someone)
    i need .{0,80} from you
    i need .{0,120} (?:to (?:go on|continue|proceed|carry on|finish|go ahead)|before i )
    i'd (?:need|like|love|appreciate) (?:to know|to hear|your|you to|a decision|an? (?:quick |
      clear )?(?:yes|word|answer|ok|okay|opinion|decision))
    i (?:still|only|just) need (?:to know|to hear|your|you to|a decision|one)
    i would (?:need|like) (?:to know|to hear|your|you to)
    i'm (?:still )?missing (?:the|a|an|your|one|two|some)
    i (?:wanted|want) to (?:ask|check with you|confirm with you|hear)
    i (?:want|need|prefer|require|expect) (?:your|an? (?:ok|okay|yes|go|decision|answer|reply|
      word))\b
    i have (?:a|one|two|three|some|a few|several) (?:\w+ )?questions?
    need from you
    i'll need (?:the|your|a|an|you|access|some)\b
    i'm going to need
    you'd (?:have|need) to
    you would (?:have|need) to
    guidance\b
    need (?:a|your) (?:decision|approval|confirmation|input|answer|sign-off|go-ahead)
    needs (?:a|your) (?:decision|approval|confirmation|input|answer|call|sign-off|go-ahead)
    has to come from you
    needs to come from you
    only you (?:can|know|have)
    you (?:will )?(?:have|need) to (?:decide|choose|tell|confirm|approve|grant|say|pick)
    you'll (?:have|need) to (?:decide|choose|tell|confirm|approve|grant|say|pick)
    from your side
    wait (?:for|on) (?:you|a decision|an answer|approval)
    waiting (?:for|on) (?:you|a decision|an answer|approval|confirmation|instructions)
    waiting to hear
    awaiting (?:your|a decision|an answer|approval|confirmation|instructions)
    until (?:i hear|i have your|i get your|you (?:say|tell|confirm|decide|answer|reply|approve|
      give|let me))
    hear (?:back )?from you
    without (?:your|a|an) (?:ok|okay|approval|consent|confirmation|go-ahead|decision|answer|input|
      say-so|sign-off|word|yes)
    without (?:that|it|them|this|your|the|those|an?)\b.{0,80}i (?:can't|cannot|can not|won't|
      am stuck)
    i can't \w+.{0,60} (?:without (?:it|that|them|this|you|your)\b|on my own|by myself|alone|
      for you)
    i (?:won't|will not) .{0,60}(?:unasked|without asking|without being)
    i've (?:paused|stopped) (?:here|at|before|because|until|and|for)
    i (?:paused|stopped) (?:here|before|at this)
    stopping here
    pausing here
    i'm (?:stuck|blocked|out of (?:options|ideas))
    i've run out of
    i am (?:stuck|blocked)
    blocked (?:until|on|by|here|without)
    i can't (?:continue|proceed|go on|start|begin|go further|get (?:any )?further|move on|
      do anything|go any)
    i cannot (?:continue|proceed|go on|start|begin|go further|get)
    i'd rather (?:not (?:choose|guess|decide|pick|do|touch|delete|change)|ask|hear|have you|
      let you|you )
    i would rather (?:not (?:choose|guess|decide|pick)|ask)
    i (?:don't|do not) want to (?:guess|decide|choose|assume|pick)
    i (?:won't|will not) .{0,80}(?:until|unless|before|without) (?:you|i hear)
    as soon as i (?:have|get|hear|know) (?:them|it|that|both|your|an answer|the answer|those|
      these|from|back|which|what you)
    as soon as you
    once i (?:have|get|know) (?:your|the answer|that|both|an answer|them|those|which)
    once you (?:confirm|decide|tell|answer|have|reply|approve|give|pick|choose|grant|let|send|are)
    once you've
    """,
    # English: yours to decide
    r"""
    your (?:call|choice|decision|turn|move|preference|pick|answer|answers|go-ahead|approval|
      opinion|ok|okay|yes|verdict|blessing)\b
    up to you
    you decide
    you choose
    over to you
    for you to (?!test|review|try|use|merge|look|read|see|run|play|check|download|inspect|copy|
      open)\w+
    you (?:must|should) (?:decide|choose|say|tell)
    a (?:simple |short |single )?(?:number|letter|word|yes|line|answer|sentence|
      reply)\b.{0,20}(?:enough|will do|suffices|would do|sufficient|is all)
    decision is yours
    choice is yours
    thing (?:i need|to clear up|to clarify|i have to know|to decide)
    things (?:i need|to clear up|to clarify|i have to know|to decide)
    question (?:before|for you|first\b)
    questions (?:before|for you|first\b)
    open questions? (?:for|before|that)
    not sure (?:what|which|whether|if|how) (?:you|i should|i may|to|of)
    want to make sure (?:i|we|you|that i|before)
    before i .{0,80}(?:i(?:'d| would)? (?:like|need|want)|could you|can you|please|tell me|
      let me know|one (?:question|thing))
    if you (?:can|could) (?:tell|give|send|share|grant|provide|confirm|let)
    if you(?:'re| are) (?:happy|ok|okay|fine|good) with .{0,60}(?:i'll|i will|i can|i'd)
    if (?:that's|this is|that is|it's) (?:ok|okay|fine|good|right|acceptable|
      what you).{0,40}(?:i'll|i will|i can|i'd)
    if (?:that|this) (?:works|sounds|looks) .{0,40}(?:i'll|i will|i can|i'd)
    if you (?:agree|approve|confirm|say)\b
    """,
    # Prompts of a tool
    r"""
    permission required
    permission needed
    approval required
    approval needed
    allow once
    allow this
    y/n
    yes/no
    press (?:enter|y\b|return)
    """,
    # German
    r"""
    bitte (?!beachte|prüfe|teste|schau|sieh|denk|starte|lade|führe|warte)\w+
    sag mir
    sagen sie mir
    gib mir
    geben sie mir
    schick mir
    teil mir
    teile mir
    teilen sie mir
    lass mich wissen, (?:ob ich|welche|was|wann|wie|wo|wer)
    lassen sie mich wissen, (?:ob ich|welche|was|wann|wie|wo|wer)
    brauche ich .{0,80}(?:von dir|von ihnen|deine?|ihre?)\b
    ich brauche .{0,60}(?:von dir|von ihnen|deine?n?\b|ihre?n?\b|entscheidung|freigabe|zugang|
      zugriff|passwort|kennwort|bestätigung)
    ich benötige
    benötige ich
    warte (?:ich )?auf (?:deine|ihre|eine entscheidung|antwort|rückmeldung|freigabe)
    du entscheidest
    musst du (?:entscheiden|sagen|wählen)
    müssen sie (?:entscheiden|sagen|wählen)
    kannst du mir
    können sie mir
    entscheide du
    entscheidung liegt bei
    deine entscheidung
    ihre entscheidung
    ohne (?:deine?|ihre?)\b
    komme ich nicht weiter
    mir fehlt
    mir fehlen
    fehlt mir
    fehlen mir
    ich komme nicht weiter
    sobald (?:du|sie)\b
    sobald ich (?:deine|ihre|die antwort|bescheid)
    """,
    # Spanish, Portuguese, Italian, French
    r"""
    por favor,? (?!espera|revisa|prueba|comprueba|ten en)\w+
    necesito (?:que|tu|su|saber|la |el |una|acceso|permiso)
    dime (?:qué|que|cuá|cual|si debo|si quieres que|cómo|dónde|el |la |y )
    indica
    indícame
    confírmame
    confirma (?:que|si|antes|y)
    dígame
    elige
    avísame (?:cuando|qué|cuá)
    espero (?:tu|su)\b
    a la espera de (?:tu|su)
    quedo a la espera
    tú decides
    me falta
    usted decide
    preciso (?:que|de|da sua|do seu|saber|do|da)\b
    me diga
    diga-me
    me avise (?:qual|quando|se devo)
    confirme
    aguardo
    você decide
    dimmi
    fammi sapere (?:quale|se devo|cosa|quando|come)
    ho bisogno (?:di|che|del|della)
    a te la scelta
    aspetto (?:la tua|il tuo|una tua)
    dites-moi
    dis-moi
    j'ai besoin (?:de|d'|que)
    merci de (?:me|confirmer|choisir|préciser|fournir|répondre)
    veuillez
    j'attends (?:votre|ta|ton|vos)
    à vous de
    à toi de
    """,
    # Japanese
    r"""
    教えて
    お知らせください
    ご指示
    ご確認ください
    ご確認をお願い
    ご確認いただけ
    ご判断
    ご回答
    選んでください
    選択してください
    指定してください
    決めてください
    入力してください
    送ってください
    共有してください
    提供してください
    許可してください
    返信してください
    返事をください
    お待ちしています
    お待ちしております
    でしょうか
    ましょうか
    ますか
    ですか
    いただけ
    いいですか
    が必要です
    """,
    # Chinese, Korean, Russian
    r"""
    请(?:您|你)?(?:先)?(?:告诉|告知|确认|提供|选择|决定|指定|回复|说明|给我|给出|发|批准|授权|指示|选|把|帮)
    請(?:您|你)?(?:告訴|告知|確認|提供|選擇|決定|回覆)
    需要(?:您|你)
    等待(?:您|你)
    等(?:您|你)
    由(?:您|你)决定
    您(?:决定|选|来定|看)
    你(?:决定|选|来定)
    是否需要
    是否要
    要不要
    吗[?？。]
    주세요
    알려
    까요
    습니까
    필요합니다
    скажите
    скажи
    подтвердите
    подтверди
    выберите
    укажите
    пришлите
    мне нуж
    жду (?:ваш|тво|от)
    сообщите
    """,
)

# "Name one and I'll assign them": an order to the person, and what it would set going.
PROMISES: Final = ("'ll ", " will ", " can ")
DEAL: Final = re.compile(
    r"(?:^|[,;:] )(?:just |simply |please |then )?(?:name|describe|say|open|run|try|sign|log|add"
    r"|put|grant|give|send|pick|choose|tell|reply|drop|point|upload|share|paste|type|press|plug|approve"
    r"|look|have a look|set|create|enable|accept|check|start|restart|answer|write|fill|copy|export"
    r"|install|unlock|call|ask|confirm|mark|list|state|show|decide|move|connect)\b"
    r"[^.]{0,160}(?:,| and|;) (?:and )?(?:i'll|i will|i can|we'll|we can)\b"
)

# Softly worded requests: with an "if you like" beside them they are only an offer.
SOFT: Final = (
    "let me know",
    "tell me",
    "say",
    "just",
    "give me a",
    "send me",
    "i'd",
    "sag",
    "teil",
    "lass",
    "gib mir",
    "dime",
    "avísame",
    "indíca",
    "dimmi",
    "fammi",
    "dites",
    "dis-",
    "me diga",
    "教えて",
    "お知らせ",
    "请",
    "알려",
    "주세요",
    "сообщите",
    "скажи",
)
