"""How a message closes: with courtesy, or by saying that the work is over."""

from typing import Final

from turnkeeper.machines.intent.phrases import lines

# Courtesy after the work: nothing waits for an answer.
OFFERS: Final = lines(
    # English
    r"""
    anything else(?: i can| you| that| to| on|\?|.{0,30}\?)
    anything more(?: i can| you|\?)
    something else (?:you|i can)
    what else (?:can|could|should|would)
    what's next\?
    what next\?
    do next\?
    work on next\?
    tackle next\?
    is that (?:all|everything|it)\?
    was that (?:all|everything|it)\?
    does that cover
    any (?:other |further )?(?:questions|thoughts|feedback|comments)
    can i help
    how else can i
    need anything
    let me know if (?:you|there|anything|something|any|it|that|this|the|one|some|more|things|
      further|we)
    let me know (?:what you think|how (?:it goes|you like|that works|it works)|in case|should you|
      your thoughts)
    tell me if (?:you|anything|something|there|it|that|any)
    say the word if
    say so if
    shout if
    ping me
    reach out
    just ask
    just say
    just tell me
    just shout
    give me a shout
    feel free
    don't hesitate
    do not hesitate
    happy to\b
    glad to\b
    if you(?:'d)? (?:want|like|need|prefer|wish|rather|ever|run into|have|spot|notice|find|see|
      hit|disagree|change your|encounter|decide)
    if you would (?:like|prefer|rather)
    if anything
    if something
    if any\b
    if (?:it|that|this)(?:'s| is)? (?:not|too|isn't|doesn't|ever|turns out|bothers|causes)
    should you (?:need|want|wish|prefer|have|run|ever)
    should anything
    does (?:that|this) (?:help|answer)
    hope (?:this|that|it) helps
    in case you (?:want|need|wonder|'d)
    you're welcome
    enjoy
    at your convenience
    whenever you (?:have|like|want|'re|are|get|feel)
    when you (?:get|have|find) (?:a|the|some) (?:chance|time|moment|minute)
    some other time
    """,
    # German, Spanish, French, Portuguese, Italian
    r"""
    sag (?:einfach |mir |mir einfach )?(?:gern |gerne )?bescheid
    sag es
    melde dich (?:gern|einfach|wenn|falls|bei)
    melden sie sich
    bei fragen
    falls (?:du|sie|etwas|noch|gewünscht|nötig)
    wenn du (?:willst|magst|möchtest|noch|etwas|lieber|fragen)
    wenn sie (?:möchten|wollen|noch|etwas|fragen)
    noch etwas
    sonst noch
    gern (?:kann|auch|passe|mache)
    gerne (?:kann|auch|passe|mache)
    auf wunsch
    si quieres
    si lo (?:prefieres|deseas|necesitas)
    si prefieres
    si necesitas
    si deseas
    si tienes
    si desea
    si hace falta
    algo más
    alguna (?:pregunta|duda)
    cualquier (?:duda|cosa)
    no dudes
    no dude
    n'hésite
    n'hésitez
    si vous (?:avez|voulez|souhaitez|préférez)
    si tu (?:veux|as|préfères|souhaites)
    si besoin
    autre chose
    se quiser
    se precisar
    se preferir
    mais alguma coisa
    qualquer dúvida
    fique à vontade
    se vuoi
    se hai
    se serve
    se preferisci
    qualcos'altro
    """,
    # Japanese, Chinese, Korean, Russian
    r"""
    何かあれば
    何かありましたら
    他に(?:何か|ご|も)
    ほかに
    があれば
    ご不明な点
    ご質問
    ご要望
    必要であれば
    必要でしたら
    必要なら
    ご希望
    お気軽に
    もし
    如有
    如需
    如果(?:您|你)?(?:需要|想|有|还|希望|愿意|觉得)
    若有
    若需
    有(?:任何)?问题
    随时
    还有(?:什么|其他|别的)
    필요하시면
    필요하면
    원하시면
    궁금한
    언제든
    если (?:нужно|хотите|хочешь|что|понадобится|захот|есть|будут)
    что-нибудь ещё
    """,
)

# The work is over. These make a verdict certain; a plain report needs none of them.
DONE: Final = lines(
    r"""
    done\b
    complete\b
    completed\b
    finished\b
    fixed\b
    resolved\b
    all set
    all green
    shipped
    deployed
    merged
    committed
    pushed
    implemented
    successfully
    in place
    ready (?:for|to)
    is ready
    test pass
    tests (?:all )?pass
    all .{0,30}pass
    is live
    went through
    that's (?:it|all|everything)
    nothing left
    nothing to (?:change|do|fix)
    as requested
    as you asked
    you asked for
    works (?:now|again|as)
    """,
    r"""
    fertig
    erledigt
    abgeschlossen
    behoben
    umgesetzt
    läuft durch
    laufen durch
    sind grün
    listo
    lista\b
    terminado
    completado
    hecho\b
    corregido
    pasan\b
    c'est fait
    terminé
    pronto
    concluído
    feito
    fatto
    completato
    完了
    しました
    済み
    合格
    已
    完成
    通过
    完毕
    완료
    했습니다
    готово
    исправлен
    исправлена
    исправлено
    исправлены
    завершен
    завершена
    завершено
    """,
)
