"""How an agent says that it is at work, and what it does next."""

import re
from typing import Final

from turnkeeper.machines.intent.phrases import lines

# What the agent does at this moment. It waits for nobody, whatever else the sentence says.
ACTS: Final = lines(
    r"""
    i'm (?:now |still |just |also |currently |already |first |next |only |then |
      going to be )?(?!missing|asking|happy|pending|going to need|leaving it|waiting for you|
      waiting on you|waiting for a decision|waiting to hear|awaiting|holding|pausing|stopping|
      wondering|willing|hoping)\w+ing\b
    i am (?:now |still |currently )?(?!missing|asking|waiting for you|willing|waiting to hear|
      holding|awaiting|hoping)\w+ing\b
    and am (?:now )?\w+ing\b
    """
)

# The agent's own next step. It outweighs whatever was asked before it.
STEPS: Final = lines(
    # English
    r"""
    let me (?!know|down\b|have\b|summari|recap|explain)
    let's (?:see|look|check|try|start|find|go|take|have|run|do)\b
    i'm (?:on (?:it|the)|at (?:the|it)|off to|about to|back (?:at|to|on))
    i'll (?!need (?:the|your|a|an|you|access|some)\b|leave|be (?:here|happy|glad)|stop|stand|
      let you|defer|not\b|only|never|wait for you|hold|pick it up|happily|gladly)
    i will (?!leave|be (?:here|happy|glad)|stop|stand|let you|not\b|only|never|wait for you|hold)
    i (?:still )?(?:have|need|want|must|should|ought) to (?!know|stop|ask|hear|check with you|
      confirm with)
    i'd like to (?:see|look|check|find|try)
    i'd better
    i should (?:check|look|also|probably|first)
    i plan to
    i intend to
    i wonder
    i've (?:just )?(?:started|begun|kicked off|queued)
    i (?:start|begin|continue) with
    i can then
    then i(?:'ll| can| will)?\b
    will (?:do|report|check|look|continue|update|try|post)\b[^.]{0,20}(?:back|next|now|again|once|
      when|$)
    ^will \w+
    ^now (?:the same|for|on|onto|to|let|i|comes|it's|that|running|\w+ing)\b
    ^and now\b
    ^let's (?!hope|say|be)
    i'd (?:start|begin) (?:with|by)
    after that i
    afterwards i
    ^next\b(?! (?:week|month|year|time|quarter|release|sprint|version|\w+day)|')
    ^then (?:the|on|to|comes)\b
    ^back to\b
    ^on to\b
    ^off to\b
    ^going to\b
    ^gonna\b
    ^time to\b
    ^need to\b
    ^have to\b
    ^first\b(?:,| up| the| i)
    ^on it[.!]?$
    i've .{0,80}to (?:see|find out|check|learn) (?:what|whether|if|where|why|how|which|who)
    i .{0,80}to (?:see|find out|learn) (?:what|whether|if|where|why|how|which|who)
    """,
    # German
    r"""
    ich (?:schaue|sehe|prüfe|suche|lese|starte|beginne|fange|mache|lasse|führe|teste|baue|gehe|
      kümmere|warte|arbeite|versuche|probiere|werde|untersuche|ergänze|passe|behebe|korrigiere|
      schreibe|öffne|analysiere|wechsle|setze|installiere|nehme|hole|muss|räume|stelle|füge|messe|
      vergleiche|rufe|bin (?:gerade|noch|dabei))\b
    mache ich (?:jetzt|weiter|als)
    schaue ich
    prüfe ich
    werde ich
    gehe ich
    fange ich
    ändere ich
    versuche ich
    jetzt (?:kommt|kommen|geht|folgt|folgen|noch|mache|prüfe|schaue|lasse|die|der|das|zum|zur)\b
    als nächstes
    als nächster
    danach (?:kommt|kommen|folgt|prüfe|mache|werde|die|der|das)
    sobald .{0,60}(?:fertig|durch|da ist)
    weiter mit
    weiter geht
    """,
    # Spanish, Portuguese, French, Italian
    r"""
    voy a
    estoy \w+ndo
    sigo (?:\w+ndo|con)
    ahora (?:voy|paso|reviso|mismo|toca|viene|estoy|sigo|compruebo|ejecuto|pruebo|miro|los|las|el|
      la)\b
    a continuación
    vamos a
    cuando termine
    empiezo
    empezaré
    continúo
    paso a
    primero (?:voy|reviso|miro|leo|compruebo)
    revisaré
    déjame
    vou (?!deixar)
    estou \w+ndo
    agora (?:vou|passo|falta)
    a seguir
    je (?:lance|regarde|vais|vérifie|commence|continue|cherche|lis|passe|relance|corrige|teste|
      suis en train|poursuis|reprends)
    je m'
    maintenant je
    sto \w+ndo
    ora (?:passo|controllo|eseguo|provo|vado)
    vado a
    comincio
    inizio (?:con|a|dal)
    procedo
    """,
    # Japanese, Chinese, Korean, Russian
    r"""
    完了したら
    完了次第
    終わったら
    続けて
    続きます
    続けます
    続いて
    引き続き
    これから
    次に
    次は
    まず
    お待ちください
    ているところ
    確認します
    調査します
    修正します
    実行します
    開始します
    対応します
    着手します
    作業します
    検証します
    分析します
    進めます
    調べます
    調べてみます
    始めます
    試します
    試してみます
    見てみます
    移ります
    正在
    接下来
    我(?:先|将|会|去|来|再|继续|马上|现在|准备|打算)
    现在(?:开始|去|来|处理|检查|运行)
    先(?:看|检查|读|确认|运行|试).{0,30}(?:再|然后)
    然后(?:再|运行|检查|修改|继续)
    完成后(?:再|我|会|将)
    继续
    稍等
    稍候
    下一步
    马上
    하겠습니다
    하고 있습니다
    먼저
    다음으로
    сейчас
    начинаю
    продолжаю
    запускаю
    проверяю
    смотрю
    посмотрю
    буду
    перехожу
    дальше
    """,
)

# Something is under way, or not over yet, without a word about who acts next.
UNDER_WAY: Final = lines(
    # English
    r"""
    still (?!missing)(?:\w+ing\b|on\b|in the (?:middle|works)|to do|to go|not\b|fail|no\b)
    in progress
    under way
    underway
    so far
    halfway
    half way
    is next
    are next
    come next
    comes next
    up next
    next[.!]$
    happening now
    follows (?:now|next)
    follow (?:now|next)
    come after
    comes after
    done with the (?:\w+ )?(?:half|part|first)
    in the background
    triggered[.!]
    takes (?:a few|some|a couple of) (?:more )?(?:minutes|seconds|hours)
    to go[.!]?$
    remaining[.!)]
    only .{0,60} (?:is|are) (?:missing|left)
    nothing to report
    more (?:soon|as soon as|when|once|in a)
    trying again
    failed again
    fails again
    no luck
    same error
    that didn't (?:work|help)
    retrying
    retry (?:in|with|after|now)
    one (?:sec|second|moment|minute)\b
    hang on
    hold on
    stand by
    bear with me
    is (?:still |now |currently )?(?:running(?! (?:on|again|in|with|at|under))|compiling|building|
      uploading|downloading|syncing|training|executing|queued|starting|rebuilding|propagating|
      loading|rendering|converting|migrating|replicating|restoring|deploying|scanning|verifying|
      crawling|indexing|installing|processing|copying|being (?!used|served))
    are (?:still |now |currently )?(?:running(?! (?:on|again|in|with|at|under))|compiling|
      building|uploading|downloading|being (?!used|served)|queued|comparing|working through|
      going through)
    are still
    has just started
    have just started
    has started
    just kicked off
    hasn't (?:finished|started|completed|returned|come back)
    haven't (?:finished|started|completed|returned)
    minute (?:left|remaining|to go)
    minutes (?:left|remaining|to go)
    seconds (?:left|remaining|to go)
    hour (?:left|remaining|to go)
    hours (?:left|remaining|to go)
    more (?:minutes|hours|seconds)
    another (?:few )?(?:\w+ )?(?:minutes?|hours?|seconds?)
    waiting (?:for|on)
    wait for (?:it|ci)\b
    once (?:it|that|they|this|the|all|everything|ci)\b.{0,60}(?:i'll|i will|i can|i'm)
    when (?:it|that|they|this)(?:'s| is|'re| are| has| have)? (?:back|done|finished|through|
      complete|ready|ends|returns)
    step \d+ ?(?:of|/)
    attempt \d+
    plan:$
    ⏳
    🔄
    """,
    # English: finished words that mean the opposite
    r"""
    not (?:yet |quite )?(?:done|finished|complete|completed|ready|there|fixed|over)(?: yet)?\b
    isn't (?:yet |quite )?(?:done|finished|complete|ready|fixed|over)
    aren't (?:yet |quite )?(?:done|finished|complete|ready|fixed)
    almost (?:done|finished|complete|there|ready|through)
    nearly (?:done|finished|complete|there|ready|through)
    partially (?:done|finished|complete)
    half (?:done|finished|of the .{0,30} (?:is|are))
    that was wrong
    was premature
    spoke too soon
    too early
    """,
    # Other languages
    r"""
    noch nicht
    läuft noch
    gerade (?!mal|erst)
    laufen noch
    fast fertig
    einen moment
    bisher
    bislang
    die hälfte
    de momento
    por ahora
    hasta ahora
    todavía (?:no|falta|faltan|est)
    aún (?:no|falta|faltan|est)
    en curso
    en marcha
    falta\b
    faltan\b
    em andamento
    até agora
    ainda (?:não|falta|faltam|est)
    en cours
    ensuite
    pas encore
    pour l'instant
    in corso
    non ancora
    finora
    中です
    実行中
    処理中
    確認中
    作業中
    調査中
    をしています
    調べています
    確認しています
    調査しています
    実行しています
    作業しています
    修正しています
    処理しています
    進めています
    待っています
    まだ
    目前
    还(?:没|未|需要|剩|在|有 ?\d)
    尚未
    暂时
    중입니다
    아직
    пока
    ещё не
    """,
)

# Words that acknowledge and carry no news.
MURMURS: Final = frozenset(
    word
    for line in lines(
        """
        ok okay k kk sure right alright hm hmm hmmm mm mhm ah aha oh hi hello hey yes yep yeah
        no noted understood roger acknowledged interesting curious strange odd weird great good
        nice perfect thanks thank thx you got it will do on so well now then wait sorry oops huh
        very one sec moment i see the a fine cool wow sounds makes sense of course absolutely
        certainly that's that is verstanden klar gut alles gerne natürlich mal sehen vale
        entendido claro bien perfecto bueno d'accord compris entendu perfeito certo capito va
        bene понял хорошо ок
        はい 了解 了解です 了解しました 承知しました わかりました なるほど
        好的 好 明白 明白了 收到 嗯 네 알겠습니다
        """
    )
    for word in line.split()
)

# Words at the start of a sentence that come before what it says.
INTERJECTION: Final = re.compile(
    r"^(?:[^\w\s\[…⏳🔄]+\s+|(?:ok|okay|k|right|alright|great|good|perfect|nice|hm+|oops|sorry|sure"
    r"|got it|yes|yep|no|so|well|interesting|fine|cool|thanks|understood|ah|oh|ugh|lol|argh"
    r"|damn|yikes|whoa|good catch|good point|you're right)\b[\s,.!:–—-]+){1,3}"
)
MUSING: Final = re.compile(r"(?:hm+|huh|wait|oops|strange|weird|odd|curious|interesting)\b")
# "Three of the seven translations are finished" leaves four.
PART_IN_WORDS: Final = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|half|most) of (?:the |our |these )?\w+\b"
    r".{0,40}\b(?:done|finished|fixed|through|complete|converted|migrated|ready|ported)\b"
)
# "3 of 8 pods ready"
PART_OF_ALL: Final = re.compile(
    r"([0-9]{1,9}) ?(?:of|/|out of) ?([0-9]{1,9})\b[\w ]{0,20}\b(?:ready|done|checked|converted"
    r"|migrated|processed|complete|completed|finished|uploaded|downloaded|copied|tested)\b"
)
