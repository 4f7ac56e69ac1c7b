"""Words that speak against a move: patterns for `prose.py`, in five languages.

They are matched against text as `words.folded` returns it, in which "|" ends a sentence and "?|" a question. Patterns
stand two blanks apart; `{pawn}` is the name of a pawn in any of the languages, and `{instead}` says that a sentence
goes on with a word for doing something else.
"""

import re

from server.mail.language.words import PAWN_WORDS

_PAWN = "(?:" + "|".join(PAWN_WORDS) + ")"
_INSTEAD = r"[^|?]{0,60}\b(?:instead|rather|statt\w*|plutot|liever|back|change|undo|cancel|zuruck|andern|annul\w+)\b"


def patterns(text: str) -> tuple[str, ...]:
    """Return the patterns of `text`, without its comments."""
    lines = (line for line in text.strip().split("\n") if not line.strip().startswith("# "))
    found = (pattern for line in lines for pattern in re.split(r"\s{2,}", line.strip()))
    return tuple(pattern.replace("{pawn}", _PAWN).replace("{instead}", _INSTEAD) for pattern in found if pattern)


# What people say by the way, with words that look like those below. It is taken out first.
HARMLESS = patterns(
    r"""
    \bsorry(?: again)?,? (?:for|about) (?:the |my |being |replying |answering |taking )?(?:late|delay|slow)[^|]{0,60}
    \bsorry,? (?:for|about) (?:the |my |being |taking |so )*(?:wait|long|silence|short|brief\w*)\b[^|]{0,60}
    \bsorry(?: that)?,? (?:i am|i'm|i was|it took|this took) [^|0-9]{0,60}(?:late|busy|long|slow|away|ill|sick)\b
    \bsorry,? (?:to|for) (?:keep|keeping|be|being) [^|0-9]{0,60}(?:late|long|slow|wait\w*)\b[^|0-9]{0,60}
    \b(?:can ?no?t|can't|couldn't|won't|doesn't) wait\b
    \b(?:call|ring|text|phone|ping|e?-?mail|write|reach|contact)(?: to)? (?:me|us)\b[^|]{0,60}\bif\b[^|]{0,40}
    \bthanks? (?:you )?for (?:the wait|waiting|the reminder|the correction)\b[^|0-9]{0,60}
    \b(?:see|know|wonder|ask|as|even|(?:forgive|excuse|pardon) me) if\b
    \bsorry,? (?:\w+ ){0,4}(?:busy|crazy|hectic|long|rough|hard) (?:day|week|time|night|month)\b
    \bsorry if (?:i am|i'm|i was|this is|that was) [^|0-9]{0,40}(?:late|slow|short|brief|rude|quick)\b
    \bif (?:you|anybody|anyone|someone) (?:like|want|wish|need|have|has|wants|likes|needs|are|is)\b(?! to cancel)
    \blet me know if (?:that|this|it|anything|something|there) [^|0-9]{0,30}(?:wrong|works?|legal|ok|okay|missing)\b
    \b(?:do not|don'?t) (?:you )?worry(?: about (?:me|us))?\b(?! about)  \bno (?:hard feelings|offen[cs]e)\b
    \bno (?:need|reason) to (?:answer|reply|hurry|rush|worry|apologi[sz]e|thank|panic)\b
    \b(?:pas de (?:souci|panique|quoi)|ne (?:t'inquiete[sz]?|vous inquietez) pas)\b
    \bno (?:te preocupe[sn]?|se preocupe[sn]?|os preocupeis|esta (?:nada )?mal)\b
    \bwho knows\b  \bno (?:problem|worries|rush|hurry|doubt|idea(?! yet| what| which))\b
    \bwhat could (?:possibly )?go wrong\b
    \b(?:sent|typed|written|geschrieben|getippt) (?:from|on|via|in a hurry|unterwegs)\b[^|]{0,60}
    \b(?:excuse|forgive|pardon) (?:the |my |any )?(?:typos?|mistakes?|errors?|brevity)\b
    \b(?:lange?|gut|viel) (?:daruber )?(?:uberlegt|nachgedacht)\b  \b(?:bien|longtemps|longuement) reflechi\b
    \b(?:lo )?he pensado (?:mucho|bien)\b  \b(?:lang|goed) (?:over )?nagedacht\b
    \bentschuldigung(?:,? dass ich|,? fur die| wegen)[^|0-9]{0,60}(?:spat|verspatung|verzogerung|lange)\w*
    \bdesolee? (?:pour|du|de)[^|0-9]{0,60}retard\b  \bperdon por [^|0-9]{0,60}(?:retraso|tardanza)\b
    \bsorry voor [^|0-9]{0,60}(?:vertraging|late|wachten)\b[^|0-9]{0,60}
    \b(?:not|nicht|pas|niet) (?:bad|at all|far|easy|schlecht|weit|leicht|mal|loin|facile|slecht|ver|makkelijk)\b
    \b(?:no|kein\w*|geen|pas de|sin) (?:luck|sign|news|trace|stress|mercy|escape|chance|problem\w*|comment|time)\b
    \b(?:not|no) (?:long|much|many|there any more|es (?:facil|dificil)|esta lejos)\b
    \bdon'?t know (?:where|how) (?:he|mr_x|you) \w+  \b(?:says?|sends? his|sends? her) (?:hello|hi|regards)\b
    \bsorry,? i (?:nearly |almost |totally )?forgot\b  \bfailli oublier\b  \bcasi (?:se me )?olvid\w+\b  \bif only\b
    (?:^|\|)(?:is he|anybody|anyone|somebody|isn't it|fun, isn't it|are you|hast du|habt ihr|tout va)[^|?]{0,30}\?
    \b(?:kein\w*|pas de|sin|geen) (?:gluck|spur|eile|suerte|pista|prisa|spoor|haast|probleme?)\b
    \bmieux vaut tard\b  \bmas vale tarde\b
    \bno (?:pasa nada|hay (?:problema|prisa))\b  \b(?:why|warum|pourquoi|por que|waarom) (?:not|nicht|pas|no|niet)\b
    # Questions about the game, or about the others
    (?:^|\|)(?:and |und |et |y |en )?(?:who|where|when|why|how|wer|wo|wann|warum|wie|qui|quand) (?!{instead})[^|?]+\?
    (?:^|\|)(?:and |und |et |y |en )?(?:pourquoi|comment|quien|donde|cuando|como|waar|wanneer|hoe) [^|?]{1,60}\?
    (?:^|\|)(?:ou est|ou sont|por que|que tal)\b[^|?]{0,60}\?
    """
)

# Taking back what was written, or putting something else in its place.
TAKING_BACK = patterns(
    r"""
    # English
    \bmeant\b  \bi mean\b  \binstead\b  (?:^|\|)(?:edit|edited|update|correction|corrected|erratum|ps edit)\b
    \bcorrection\b  \bcancel\w*\b  \bignore\b  \bdisregard\b  \bundo\b  \bscrap\b  \bscratch that\b
    \bstrike (?:that|this|the)\b  \bforget (?:it|that|this|the|about|my|what)\b  \bnever ?mind\b
    \b(?:take|taking|took) (?:it|that|this|my move|the move)? ?back\b  \bwithdraw\w*\b  \bretract\w*\b  \brevoke\b
    \bvoid\b  \bdelete\b  \bwrong\b  \bmistake\w*\b  \btypo\b  \boops\b  \bwhoops\b
    \bchanged? (?:my|of) (?:mind|plan|plans|move)\b  \bchange (?:it|that|this) to\b  \bsecond thoughts?\b
    \bon reflection\b  \bactually\b  \bmake (?:it|that)\b  \b(?:would|'d|i|or|but|or do i) rather\b
    \brather (?:not|than|take|go|use|the|to|by|a)\b  \b(?:or|even|much) better\b
    \brather (?:{pawn}|bus|underground|metro|tube|black|boat|ferry|wait|stay|hold|keep|go|move|play|use|try)\b
    \bprefer\w*\b
    \b(?:would|might|may|could|'d) (?:\w+ )?be (?:\w+ )?(?:better|best|wiser|safer|smarter|preferable)\b
    \b(?!mr_x)(?:{pawn}|taxi|bus|underground|metro|tube|boat|ferry) (?:is|looks|seems) (?:\w+ )?(?:better|safer)\b
    (?:^|\|)better (?:take|go|not|still|yet|by|to|the|a)\b  \bbetter[:|]
    \bdo(?: not|n't) (?:play|move|do|count|use|make|send|take|go|process|execute|act)\b
    \bdont (?:play|move|do|count|use|make|send|take|go)\b  \bnot (?:yet|now|that|this|there|the|taxi|bus|by|my)\b
    \bno longer\b  \bhold (?:on|it|that|off|my)\b  \bhang on\b  \bwait\b  \bstop\b
    (?:^|\|)(?:no|nope|nein|non|nee|nooo*)(?:[,|!]|$)  (?:^|\|)(?:no|nein|non|nee) (?:wait|no|not|the|sorry)\b
    \bno way(?:\||$|,)  \bover my dead body\b  \b(?:would|'d) sooner\b  \bforbid\w*\b
    \b(?:in (?:my|your) dreams|as if)(?:\||$)
    \byeah,? right\b  \bdead wrong\b  \b(?:typed|wrote|sent|pressed|hit) (?:it|that|this|send)(?:\||$)  \bkeyboard\b
    \bmy (?:son|daughter|kids?|child|wife|husband|brother|sister|cat|dog) (?:want|type|wrote|sent|say|play)\w*
    \b(?:nie im leben|niemals im leben|im leben nicht|jamais de la vie|dans (?:tes|mes) reves|ni loc[oa]|ni en broma)\b
    \b(?:ni hablar|nooit van mijn leven|geen denken aan|kommt nicht in frage|hors de question)\b
    \b(?:war|ist) mein (?:sohn|kind|hund|mann)\b  \bmeine? (?:sohn|tochter|katze|frau|mann|kind) (?:hat|wollte|will)\b
    \brescind\w*\b  \breversed?\b  \bswitch to\b  \bfat fingers?\b  \bno circumstances\b
    \b(?:will|would|should|could|can) never(?:\||$)
    \breplace[sd]?\b  \bobsolete\b  \bold move\b  \bprevious (?:move|mail|message|line)\b
    \b(?:only|just) (?:a )?test\w*\b  \bfor example\b  \bfor instance\b  (?:^|\|)sorry(?:[,|!]|$)
    \b(?:other|wrong|opposite) way (?:a?round|about|of)\b  \bvice ?versa\b
    \b(?:swap\w*|switch\w*|mix\w*) [^|]{0,30}\b(?:up|both|two|them|over|colou?rs|pawns)\b
    \b(?:mixed|messed|screwed) up\b  \b(?:an)?other game\b
    \bthe other (?:one|pawn|piece|move|way|colou?r|detective)\b
    \b(?:play|move|do|send|make|count) (?:it|this|that|mine) (?:only )?(?:tomorrow|later|tonight|next)\b
    \bmis(?:read|saw|click|typ|taken)\w*\b
    \b(?:just|only|am|was|i'm) (?:kidding|joking)\b  (?:^|\|)(?:kidding|joking|jk|j/k|joke|april fool\w*)\b
    \b(?:a|my) joke\b  \b(?:let|give|hold|wait|one|just a|need a) (?:me |us )?(?:moment|minute|second|sec)\b
    \b(?:drop|skip|kill|remove|erase|revise|reverse) (?:it|that|this|my|the last)\b  \breconsider\w*\b
    \bre-?think\w*\b
    \bregret\b  \bincorrect\b  \binvalid\b  \bnonsense\b  \brubbish\b
    (?:^|\|)(?:oh |ah )?(?:nah|naah|nvm|nm|damn|argh+|ugh+|d'?oh)\b
    \bmy (?:bad|fault|error)\b  \bstupid me\b  \bnot so fast\b  \bplease hold\b  \btoo (?:quick|hasty|early|soon)\b
    \b(?:will|would|shall) (?:not|never)(?: ever)? (?:play|move|take|go|use|do|make)\b
    \b(?:won|wouldn)'?t (?:ever )?(?:play|move|take|go|use|do|make)\b  \b(?:any|every)thing but\b  \bavoid\b
    \brefuse\b
    \breject(?:ed)?\b
    (?:^|\|)(?:never|niemals|jamais|nunca|jamas|nooit)(?:[,:!|]|$| (?:the |mit |le |el |de )?{pawn})
    (?:^|\|)(?:never|niemals|jamais|nunca|jamas|nooit) (?:play|take|go|taxi|bus|underground|metro)\b
    \b(?:auf keinen fall|keinesfalls|bajo ningun concepto|en aucun cas|in geen geval)\b
    (?:^|\|)(?:halt|hold|abort|revert|recall|pass|later|test|spater|plus tard|mas tarde|plan)(?:[:|!]|$)
    \bbut later\b  (?:^|\|)(?:in the |in der |au |en el |in de )?next (?:turn|round)(?:\||$)
    (?:^|\|)(?:in der |au |en el |in de )?(?:nachste[nr]? runde|prochain tour|proximo turno|volgende beurt)(?:\||$)
    \bzuruckgezogen\b  \bziehe? [^|]{0,20}\bzuruck\b  \bborr[ae]\w*\b  \bstay put\b
    \b(?:bad|stupid) idea\b  \btoo risky\b
    \bwaiting for [^|]{1,40}\b(?:answer|reply|move|word)\b  \bask me again\b
    # A short sentence that denies something.
    (?:^|\|)(?:no|not|don't|dont|nope|nein|nicht|non|pas|nee|niet),?(?: [^ |?]{1,15}){0,3}(?:\||$)
    (?:^|\|)(?:[^ |?]{1,15} ){1,4}(?:no|not|don't|dont|nope|nein|nicht|non|pas|nee|niet)(?:\||$)
    \bnot (?:right|correct|good|ok|okay|valid|final|intended|mine|certain)\b
    # German
    \bmeinte\b  \bich meine\b  \bgemeint\b  \bstattdessen\b  \bstatt\b  \banstatt\b  \bdoch lieber\b
    \blieber\b(?= (?:nicht|doch|taxi|bus|nach|mit|den|die|das|auf|zu|u-bahn|ubahn|\d))
    \bdoch (?:nicht|besser|nach|mit|zu|taxi|bus)\b  \bkorrektur\b  \bkorrigiere\b  \bberichtigung\b  \bvergiss\w*\b
    \bvergesst\b  \bignorier\w*\b  \bstreich\w*\b  \bzuruckn\w+\b  \bzuruckzieh\w+\b  \bnehme? .{0,40}\bzuruck\b
    \bruckgangig\b  \bstornier\w*\b  \babbrechen\b  \bfalsch\w*\b  \bvertippt\b  \bverschrieben\b  \bversehen\w*\b
    \birrtum\w*\b  \buberlegt\b  \bbesser(?: doch|:| nicht| nach)\b  \bmoment mal\b  \bwarte(?:t)?\b(?! auf| noch auf)
    \bdoch nicht\b  \bnicht (?:taxi|bus|das|den|die|nach|ziehen|fahren|spielen|ausfuhren|mehr|werten)\b
    \bumgekehrt\b  \banders ?(?:he)?rum\b  \bvertauscht?\b  \bverwechselt?\b  \bdurcheinander\b  \bvertan\b
    \bverlesen\b
    \bverguckt\b  \bverklickt\b  \b(?:ein|kleiner|nur|war|der) (?:scherz|witz|spass)\b
    (?:^|\|)(?:scherz|spass)(?:[,|!]|$)
    (?:^|\|)(?:quatsch|unsinn|blodsinn|mist|moment|augenblick|momentchen|verdammt)\b
    \b(?:lass|lasst|mach|macht) (?:das|es|mal)\b
    \b(?:gilt|zahlt|stimmt|passt) (?:doch )?nicht\b  \b(?:andere[ns]?|falsche[ns]?) (?:spiel|partie)\b
    \bbitte (?:noch )?warten\b
    \b(?:einen|kleinen) (?:moment|augenblick)\b  \bach (?:nee|nein|quatsch|was)\b
    \b(?:der|die|das|den|dem) andere[nr]? (?:figur|farbe|zug|detektiv\w*|stein)\b
    (?:^|\|)(?:erst (?:morgen|spater|heute abend)|(?:morgen|spater) erst)(?:\||$)
    \b(?:zieh|spiel|fahr|mach|schick)\w* [^|]{0,30}\berst (?:morgen|spater)\b
    \bnoch nicht\b  \bhalt\b[,|!]  \bungultig\b  \beigentlich\b  \bsondern\b
    \blieber (?:erst|zuerst|noch|warten|abwarten|{pawn} (?:zuerst|erst|ziehen|fahren|nehmen|vor))\b
    \bbevorzug\w*\b  \bvorzieh\w*\b  \bvorzuziehen\b  \bz(?:ie|o)he [^|]{1,40}\bvor(?:$|[|,])
    \bware (?:\w+ )?(?:besser|kluger|sicherer|sinnvoller)\b  \b(?:besser|kluger|sicherer|sinnvoller) ware\b
    \b(?:{pawn}|taxi|bus|u-bahn|ubahn|schiff|boot) ist (?:\w+ )?(?:besser|kluger|sicherer)\b
    # French
    \b(?:serait|vaudrait|vaut|ferais|ferait|ferions) (?:\w+ )?mieux\b  \bmieux (?:vaut|vaudrait)\b
    \bserait (?:\w+ )?(?:meilleure?|plus (?:sage|sure?|malin))\b
    \b(?:{pawn}|taxi|bus|metro|bateau) est (?:mieux|meilleure?)\b
    \bje voulais dire\b  \bje veux dire\b  \bplutot\b  \bau lieu\b  \bannule[rsz]?\b  \bannulation\b  \bignore[rsz]\b
    \boublie[rsz]?\b  \berreur\b  \bfausse? manoeuvre\b  \brectificat\w+\b  \bcorrige\w*\b  \bchange d'avis\b
    \ben fait\b  \bfinalement\b  \battend[sez]+\b  \bpas (?:encore|le|la|ca|cela|taxi|bus|celui)\b
    \bne (?:joue|jouez|tenez|tiens|pas)\b  \btrompee?\b  \bretire\b  \bremplace[rz]?\b
    \bl'inverse\b  \ba l'envers\b  \binverse[rsz]?\b  \bconfondu\w*\b  \bmelange\w*\b  \bgouree?\b  \bplante[e]?\b
    \bje (?:plaisante|rigole|blague)\b  \bblague\b  \bl(?:aisse|aissez) (?:tomber|ca)\b  \bn'importe quoi\b
    (?:^|\|)(?:zut|mince|oups|flute|minute|un instant|une minute|un moment)\b  \b(?:ah|mais|oh|que) non\b
    \bnon(?:,)? non\b
    \bl'autre (?:pion|couleur|coup|detective)\b  \b(?:joue|jouez|faites) [^|]{0,20}\b(?:demain|plus tard)\b
    \bautre partie\b  \bc'est (?:faux|pas)\b  \bn[e'] ?(?:fais|faites|bouge\w*|jou\w*|envoie|est pas)\b
    # Spanish
    \bqueria decir\b  \bquise decir\b  \bquiero decir\b  \ben (?:vez|lugar)\b
    \bmejor(?: no| el| la| a|:|, taxi| taxi| bus| autobus| voy)\b  \bcancela\w*\b  \banula\w*\b  \bignora\w*\b
    \bolvida\w*\b  \bcorreccion\b  \bcorrijo\b  \bequivo[cq]\w+\b  \bme he equivocado\b  \bespera\b  \besperad\b
    \ben realidad\b  \bde hecho\b  \bcambi(?:o|e) de (?:idea|opinion|planes)\b  \bhe cambiado\b  \btodavia no\b
    \baun no\b  \bno (?:jugu\w+|muev\w+|hag\w+)\b  \bal final\b  \bperdon[,|]
    \bal (?:reves|contrario)\b  \bvice ?versa\b  \bbroma\b  \bbromeo\b  \bdej(?:alo|adlo|elo|emoslo)\b
    \b(?:me )?confund\w+\b
    \bme he liado\b  \bliado\b  \bcambiad[oa]s\b  \b(?:ay|que|eso|esto) no\b  \bno no\b  \botra partida\b
    \besta mal\b
    \b(?:el|la) otr[oa] (?:ficha|peon|color|jugada|detective)\b  \bjueg\w+ [^|]{0,20}\bmanana\b
    \bno l[oa] \w+\b  \bun momento\b  \bespera\w*\b
    \bprefier\w*\b  \b(?:seria|estaria|fuera) (?:\w+ )?mejor\b  \bmejor (?:seria|primero|esper\w+|{pawn})\b
    \bmas vale\b  \b(?:{pawn}|taxi|bus|autobus|metro|barco) (?:es|esta) mejor\b
    # Dutch
    \bverkies\b  \bverkiezen\b  \bvoorkeur\b  \bzou(?:den)? [^|]{0,40}\bbeter\b  \bbeter zou\b
    \b(?:{pawn}|taxi|bus|metro|boot) is beter\b
    \bbedoelde\b  \bik bedoel\b  \bin plaats\b  \btoch (?:maar|liever|niet|naar|met)\b  \bliever\b  \bannuleer\w*\b
    \bannuleren\b  \bnegeer\w*\b  \bnegeren\b  \bvergeet\b  \bcorrectie\b  \bvergissing\b  \bvergist\b  \bfout\b
    \bverkeerd\w*\b  \bbij nader inzien\b  \bwacht\b(?! op)  \beigenlijk\b  \bnog niet\b
    \bniet (?:taxi|bus|de|het|naar|doen|spelen|uitvoeren)\b  \bbeter (?:niet|naar|de|toch)\b  \btrek .{0,40}\bterug\b
    \bintrekken\b  \bvervang\w*\b  \bgewijzigd\b
    \bandersom\b  \bomgekeerd\b  \bverwissel\w*\b  \bdoor elkaar\b  \bgrapje\b  \bgeintje\b  \blaat (?:maar|dat)\b
    \bonzin\b
    \b(?:de|het) andere (?:pion|kleur|zet|speurder)\b  (?:^|\|)(?:pas morgen|morgen pas)(?:\||$)
    \bvergis\b  \b(?:ach|oh) nee\b  \bnee joh\b  \bander spel\b  \bklopt niet\b  \b(?:niet|maar niet) doen\b
    \bdoe maar\b
    \b(?:even|effe|nog) wachten\b  (?:^|\|)(?:momentje|moment|wacht)\b
    """
)

# Not being sure, asking, or speaking of what somebody else would do.
DOUBT = patterns(
    r"""
    # English
    \bmaybe\b  \bperhaps\b  \bprobably\b  \bpossibly\b
    \bnot (?:quite |so |really |completely )?(?:sure|certain|decided)\b  \bunsure\b  \buncertain\b  \bundecided\b
    \bhave(?: not|n't) decided\b  \bcan(?: not|not|'t) decide\b  \bdon'?t know (?:yet|what|which|where|if|whether)\b
    \bi think(?: so)?[|?]?$  \bi think(?: so)?\|  \bi guess\b  \bi suppose\b
    \bi (?:presume|assume|reckon|imagine|believe)\b(?! in)
    \bthink (?:about|it over|more|again|first)\b  \bthinking (?:about|of|it)\b  \blet me think\b  \bmight\b  \bdraft\b
    \bno idea (?:yet|what|which)\b  \b(?:nothing|no move|no decision|not)\b[^|]{0,30}\byet\b
    \bkeine ahnung,? (?:was|welche\w*|ob|noch)\b  \b(?:aucune|pas d')idee (?:encore|pour)\b
    \bh+m+\b  \bconsider\w*\b  \bwhat do you (?:all |guys )?think\b  \bwhat would you\b  \bobjections?\b
    (?:^|\|)(?:what|how) about\b
    \b(?:is|was|isn't) (?:that|this|it) [^|?]{0,30}\b(?:move|idea|choice|plan|mistake|blunder|wise)\b[^|?]{0,20}\?
    \b(?:is|was|isn't) (?:that|this|it) [^|?]{0,30}\b(?:smart|clever|stupid|silly|safe|risky|best)\b[^|?]{0,20}\?
    \b(?:ist|war) (?:das|es) [^|?]{0,30}\b(?:zug|idee|wahl|klug|schlau|dumm|sinnvoll|riskant)\b[^|?]{0,20}\?
    \b(?:c'est|est-ce) [^|?]{0,30}\b(?:coup|idee|choix|malin|bete|prudent|risque)\b[^|?]{0,20}\?
    \bes [^|?]{0,30}\b(?:jugada|idea|tonto|listo|seguro|prudente)\b[^|?]{0,20}\?
    \bis (?:dat|het|dit) [^|?]{0,30}\b(?:zet|idee|keuze|slim|dom|verstandig|veilig)\b[^|?]{0,20}\?
    \bok(?:ay)? with (?:that|this|it|you|everybody|everyone)\b
    \b(?:shall|should) (?:i|we)\b  \bis (?:that|this|it) (?:ok|okay|good|right|fine|legal|possible|allowed)\b
    (?:^|\|)(?:ok|okay|right|agreed|good idea|yes|or not)\?  (?:^|\|)\?+(?:\||$)  \bsuggest\w*\b  \bpropos\w*\b
    \brecommend\w*\b  \badvis\w*\b  \b(?:wrote|says|said|told me|thinks)\b  \bundecided\b  \beither\b
    (?:^|\|)(?:and/)?or(?: |\||$|,)  (?:^|\|)alternativ\w*\b  \bone of (?:them|these|those)\b  \bwhichever\b
    \bcould also\b  \bdepend\w*\b  \btentative\w*\b  \bprovisional\w*\b  \bfor now\b  \bwould like to ask\b
    \bkind of\b  \btempted\b  \bleaning towards?\b  \bsleep (?:on|over) (?:it|that|this)\b
    \b(?:discuss|talk|decide|agree|ask|check|tell|let me know)\b[^|]{0,40}\bfirst\b  \bwould (?:that|this|it) be\b
    \b(?:to be|will|i'll|must|let me|please|i can) (?:\w+ )?confirm\w*\b  \btbc\b  \bunconfirmed\b  \bpending\b
    \bsubject to\b
    \bi (?:could|would|may|can|'d) (?:also )?(?:do|go|take|play|try|move|use|say)\b
    \bi'd (?:also )?(?:do|go|take|play|try|move|use|say)\b
    (?:^|\|)(?:my |the )?(?:idea|plan|option|variant|possibility|alternative)(?: \w)?(?: is(?: this)?)?:
    \boption (?:\d|a|b|one)\b
    \b(?:any|a|good|better|other|your) (?:idea|suggestion|view|opinion|objection|comment|thought)s?\b
    \bmakes? sense\b
    \b(?:what|which) i (?:played|sent|did|wrote|had)\b
    \b(?:anyone|anybody|somebody|someone|everybody|everyone|you|all) (?:against|ok|okay|agree\w*|happy|fine)\b
    \bdecides?\b(?! to)
    \btempts\b  \bfeel free to\b  \boverrul\w+\b  \bveto\w*\b  \bplace ?holder\b  \b(?:wip|tbd|tba)\b
    \bmore or less\b
    \blikely\b  \b50[/:-]50\b  \bfifty[- ]fifty\b  \bto be (?:discussed|decided|agreed|changed|checked|continued)\b
    (?:^|\|)(?:your |any |all )?(?:thoughts|ideas|opinions|comments|suggestions|advice|feedback)(?: \w+)?(?:\||$)
    \bsleeping (?:on|over) (?:it|this|that)\b  \b(?:i will|i'll) (?:write|mail|answer|reply) again\b  \breal one\b
    \b(?:is|was) (?:only |just )?a test\b  \blast word\b
    (?:^|\|){pawn} (?:first|zuerst|d'abord|primero|eerst)(?:\||$)
    \b(?:can|could|may) (?:\w+ ){0,2}(?:still )?(?:change|be changed|undo|take (?:it|this|that) back)\b
    \bcopied from\b  \bwhat (?:he|she|they|{pawn}) (?:did|does|played|plays|took|takes)\b  \basked me to\b
    \b(?:andern|abandern|changer|modifier|cambiarl\w+|wijzigen|veranderen)\b  \bplatzhalter\b
    \b(?:zu|wird noch) (?:be|ge)spr\w+\b  \ba discuter\b  \bpor (?:discutir|hablar)\b  \bte bespreken\b
    # A short question, but for those after the others' health and the like.
    (?:^|\|)(?:[a-z'-]{1,15},? ){0,3}[a-z'-]{1,15}\?
    # German
    \bvielleicht\b  \bwahrscheinlich\b  \bvermutlich\b  \beventuell\b  \bevtl\b  \bnicht (?:ganz |so )?sicher\b
    \bunsicher\b  \bunschlussig\b  \bweiss (?:noch )?nicht\b  \bglaube ich\b  \bdenke ich\b  \bich uberlege\b
    \buberlege noch\b  \bdarub?er nachdenken\b  \bnachdenken\b  \bsoll(?:te|ten|en)? (?:ich|wir)\b
    \bwas mein(?:st|t)\b  \bschlagt? .{0,40}\bvor\b  \bvorschlag\w*\b  \bvorgeschlagen\b  \bkonnte auch\b
    \bentweder\b  (?:^|\|)oder(?: |\||$|,)  \bje nachdem\b  \bvorerst\b  \bvorlaufig\b
    \b(?:ich|man) (?:wurde|konnte|ware)\b  \b(?:wurde|konnte|hatte) (?:ich|man|sein|hatte)\b
    \bnoch (?:offen|unklar|nicht klar)\b
    \bunter vorbehalt\b  \bschlafe? (?:noch )?(?:eine nacht )?d(?:a)?ruber\b
    \b(?:frag\w*|red\w*|sprech\w*|klar\w*|abwart\w*) [^|]{0,30}\berst\b
    \berst (?:mal )?(?:mit|noch|fragen|reden|abwarten|besprechen|klaren)\b  \bentscheide[nt]?\b  (?:^|\|)oder\?
    (?:^|\|)(?:meine |mein |die |der )?(?:idee|plan|variante|option)(?: \w)?(?: ist)?:  \beinwande\b
    \b(?:was|wie) (?:sagt|denkt|findet|haltet) ihr\b
    \buberleg\w*\b  \bgegenvorschlag\b
    # French
    \bpeut[- ]etre\b  \bprobablement\b  \bpas (?:sur|sure|certain|certaine)\b  \bje ne sais pas\b  \bsais pas\b
    \bj'hesite\b  \bhesit\w+\b  \bje pense[|]?$  \breflechi\w*\b  \bqu'en pens\w+\b  \bdois-je\b  \bfaut-il\b
    \bsoit\b  (?:^|\|)ou(?: bien)?(?:\||$|,)  (?:^|\|)ou (?:le|la|bien|taxi|bus|metro)\b  \bpropos\w+\b
    \bsuggere\w*\b  \bca depend\b
    \bje (?:pourrais|ferais|prendrais|jouerais|dirais|pense faire)\b  \bconfirm\w+\b  \bsous reserve\b  \bselon\b
    \b(?:parl\w+|discut\w+|demand\w+) [^|]{0,30}\bd'abord\b  \bd'abord (?:parler|discuter|demander)\b  \bdecide\w*\b
    (?:^|\|)(?:mon |ma |l')?(?:idee|plan|option|variante)(?: \w)?(?: est)? ?:  \bvous en (?:dites|pensez)\b
    # Spanish
    \bquizas?\b  \btal vez\b  \ba lo mejor\b  \bprobablemente\b  \bno (?:estoy )?segur[oa]\b
    \bno se (?:si|que|cual)\b  \bcreo[|]?$  \bdudo\b  \bpensar(?:lo|me)\b
    \bque (?:opina\w*|os parece|te parece|pensa\w*)\b  \bdebo\b  \bdeberia\b  (?:^|\|)o(?:\||$|,)
    (?:^|\|)o (?:el|la|bien|taxi|bus|metro|autobus)\b  \bsugier\w+\b  \bpropon\w+\b  \bdepende\b
    \b(?:podria|haria|iria|tomaria|cogeria|jugaria|diria)\b  \bconfirmar\w*\b  \bpendiente\b
    \bhabl\w+ [^|]{0,30}\bantes\b
    \b(?:antes|primero) (?:hablar|preguntar|consultar)\b  \bpregunt\w+ [^|]{0,30}\b(?:antes|primero)\b  \bdecid\w*\b
    (?:^|\|)(?:mi |el |la )?(?:idea|plan|opcion|variante)(?: \w)?(?: es)?:  \bque (?:decis|decimos|dicen)\b
    # Dutch
    \bmisschien\b  \bwaarschijnlijk\b  \bniet (?:helemaal |zo )?zeker\b  \bweet (?:het )?(?:nog )?niet\b
    \btwijfel\w*\b  \bdenk ik\b  \bnadenken\b  \bzal ik\b  \bmoet ik\b  \bwat (?:vind|vinden|denk|denken)\b
    \bvoorstel\w*\b  \bstelt? .{0,40}\bvoor\b  (?:^|\|)of(?:\||$|,)  (?:^|\|)of (?:de|het|naar|taxi|bus|metro|toch)\b
    \bhangt er\w* af\b  \bvoorlopig\b
    \bik (?:zou|kan ook)\b  \bzou (?:ik|kunnen)\b  \bonder voorbehoud\b  \bbevestig\w*\b
    \b(?:eerst|nog) (?:even )?(?:overleg\w*|vragen|praten)\b
    \bovereenkom\w*\b  \bbeslis\w*\b  (?:^|\|)(?:mijn |het |de )?(?:idee|plan|optie|variant)(?: \w)?(?: is)?:
    \bslaap er\b
    """
)

# Words of a sentence that stands on the line of a move, with which the line may tell of something else than a move now.
BESIDE = patterns(
    r"""
    \bwould\b(?! (?:like|love) to| be for)  \bwanted\b  \basked\b  \btold\b  \btalked\b  \btalking\b  \bideas?\b
    \bplan(?:s|ned)?\b
    \blost\b  \bdumb\w*\b  \bstupid\w*\b  \bsilly\b  \bobvious\w*\b  \bsuicid\w+\b  \bfools?\b  \bremind\w*\b
    \bremember\b
    \bguess\b  \byesterday\b  \b(?:in|at) (?:our|your|his|her|their) place\b  \bdisagree\w*\b
    \b(?:is|was|so|too|very) bad\b
    \bclue\b  \bwhat (?:i|he|she|they|you|we|mr_x|{pawn}) (?:will|would|do|does|did|thinks?)\b
    \bno[a-z]* (?:good|chance)\b
    \bnever\b  \bneither\b  \bnor\b
    # Words of our mails behind a move in a list of moves, and in the travel log
    \bno limit\b  \bnone left\b  (?:^|\|)\W*seen\b
    \bwurde\b  \bwollte\w*\b  \bsagte\w*\b  \bgesagt\b  \bgefragt\b  \bidee\b  \bdumm\w*\b  \bblod\w*\b  \bgestern\b
    \bverloren\b  \berinner\w*\b  \b(?:nie|niemals|keiner)\b
    \bvoulais?\b  \bvoulait\b  \bdemand\w+\b  \bdit\b  \bhier\b  \bperdu\b  \bbetes?\b  \bstupide\w*\b  \bjamais\b
    \bqueria\b  \bdijo\b  \bdicho\b  \bpreguntado\b  \bayer\b  \bperdid\w+\b  \btont[oa]\w*\b  \bnunca\b  \bjamas\b
    \bwilde\b  \bzei\b  \bgezegd\b  \bgevraagd\b  \bgisteren\b  \bverloren\b  \bdom\b  \bstom\b  \bnooit\b
    """
)

CONDITION = patterns(
    r"""
    \bif\b  \bunless\b  \bin case\b  \bprovided\b  \bassuming\b  \bas long as\b  \botherwise\b
    \bonly (?:when|after|once|if)\b
    \b(?:when|once|after|until|till|before|as soon as) (?:[a-z]+ )?(?:{pawn}|everybody|everyone|the others)\b
    \bor else\b  (?:^|\|)else\b  \bwenn\b  \bfalls\b  \bsofern\b  \bsolange\b  \bsonst\b  \bansonsten\b
    \bes sei denn\b  \b(?:sobald|nachdem|bevor|bis) (?:[a-z]+ )?(?:{pawn}|alle|anderen)\b  \bnur (?:wenn|falls)\b
    (?:^|[|,] ?|\bet |\bmais |\bseulement )si (?!(?:senor|vous voulez|tu veux)\b)(?=[a-z])  \bsinon\b  \ba moins que\b
    \ba condition\b  (?:^|\|)(?:y|et) si\b  \bau cas ou\b  \bpourvu que\b
    \b(?:quand|des que|apres que) (?:[a-z]+ )?(?:{pawn}|tous|autres|tout le monde)\b
    (?:^|[|,] ?)s'il (?!(?:te|vous) plait)  (?:^|[|,] ?|\by |\bpero |\bsolo )si (?=[a-z]+ [a-z]+)  \bsi no\b
    \ba menos que\b  \bsiempre que\b  \ben caso\b  \b(?:cuando|en cuanto) (?:[a-z]+ )?(?:{pawn}|todos|demas|otros)\b
    (?:^|[|,] ?|\ben |\bmaar |\balleen )als (?=[a-z])  \bten ?zij\b  \bindien\b  \bmits\b
    \b(?:wanneer|zodra|nadat) (?:[a-z]+ )?(?:{pawn}|iedereen|alle|anderen)\b
    # The same in other words
    \bsupposing\b  \bsuppose (?:that )?{pawn}\b  \bgiven that\b  \bin the event\b  \bexcept\b  \bwhenever\b
    \b(?:were|had) {pawn}\b  \bshould {pawn} [^|?]{1,60}(?:[|,]|$)
    \bvorausgesetzt\b  \bangenommen\b  \b(?:im|fur den|in dem) fall\b  \bausser\b  \bsollte {pawn}\b
    \ben cas (?:de|d')  \bdans le cas\b  \btant que\b  \bsauf\b  \ben supposant\b  \bsalvo\b  \bexcepto\b
    \bsuponiendo\b
    \b(?:en|para) (?:el|ese) caso\b  \bmientras\b  \bcon tal (?:de )?que\b  \bmocht (?:[a-z]+ )?{pawn}\b
    \bstel (?:dat|je)\b
    \bzolang\b  \bin (?:het|dat) geval\b  \bbehalve\b
    """
)

# Of a line that names a move which is not wanted: it gets no "did you mean".
NEGATION = patterns(
    r"""
    \bnot\b  \bnever\b  n't\b  \bdont\b  \bcancel\w*\b  \bignore\b  \bnicht\b  \bkein\w*\b  \bpas\b  \bjamais\b
    \bnunca\b  (?:^|\|)no (?=(?:el |la )?(?:taxi|bus|autobus|metro))  \bniet\b  \bgeen\b  \bstatt\b  \binstead of\b
    \banstatt\b
    """
)

# A pawn that is said not to move, or "I" for all of them: the whole of a line.
STAYING = patterns(
    r"""
    (?:stays?|remains?|waits?|holds|passes|skips)(?: put| here| there| still| in place| at home| this (?:turn|round))?
    (?:: ?|- ?)?(?:pass|nothing|none|no move|skip|nichts|kein zug|passen|rien|nada|niets)
    (?:stays?|remains?|is staying|does(?: not|n't) move|keeps still|sits still)(?: where (?:i am|it is|he is|she is))?
    (?:bleibt?|bleibe|wartet?|setzt aus|zieht nicht)(?: (?:da|hier|stehen|dort|wo (?:er|sie|es|ich) (?:ist|bin)))?
    (?:reste|attend|ne bouge pas|passe)(?: (?:la|ici|sur place|ou (?:il|elle) est))?
    (?:se queda|me quedo|espera|no se mueve|pasa)(?: (?:ahi|aqui|donde esta))?
    (?:blijft?|wacht|past|beweegt niet)(?: (?:staan|daar|hier|zitten|waar (?:hij|ze|ik) (?:is|ben)))?
    """
)

# What mail programs write where a mail has no subject.
NO_SUBJECTS = patterns(
    r"""
    [(<\[]?(?:no|none|without) subject[)>\]]?  [(<\[]?(?:kein|ohne) betreff[)>\]]?
    [(<\[]?(?:sans|pas de|aucun) (?:objet|sujet)[)>\]]?  [(<\[]?(?:sin|no hay) asunto[)>\]]?
    [(<\[]?geen onderwerp[)>\]]?
    """
)

# Lines that end a letter: below them a number is part of an address, a telephone, or an age.
CLOSINGS = patterns(
    r"""
    (?:with )?(?:kind|kindest|best|warm|warmest|many|my)? ?regards(?: (?:to|from) [^|0-9]{1,60})?
    (?:all the )?best(?: wishes)?
    (?:with )?(?:much|lots of|all our|all my|with) love(?: (?:to|from) [^|0-9]{1,60})?
    cheers  see you(?: \w+)?  bye
    thanks(?: again)?  thank you  yours(?: \w+)?  sincerely  take care  love  greetings  br  xx?x?
    (?:viele|liebe|schone|beste|freundliche|herzliche|mit freundlichen|mit besten)? ?grusse?n?  gruss  lg  vg  mfg  bg
    danke  tschuss  ciao  bis (?:bald|dann|spater|morgen)  (?:bien )?cordialement  amicalement
    bonne (?:journee|soiree|chance)  a (?:bientot|plus|demain)  bises?  bisous  salutations  merci  (?:un )?saludos?
    un abrazo  abrazos?  hasta (?:luego|pronto|manana)  gracias  atentamente
    (?:met )?(?:vriendelijke|hartelijke|beste)? ?groet(?:en|jes)?  mvg  gr  tot (?:ziens|later|morgen)  dank  bedankt
    """
)
# What companies put below every mail. The rest of such a paragraph says nothing either.
DISCLAIMERS = patterns(
    r"""
    \bconfidentiality (?:notice|note)\b  \blegal (?:disclaimer|notice)\b  \bintended recipient\b
    \breceived this (?:e-?mail|mail|message|communication)\b[^|]{0,40}\b(?:in error|by mistake)\b
    \b(?:e-?mail|message|communication|attachments?)\b[^|]{0,60}\b(?:confidential|privileged)\b
    \bconsider(?:ing)? the environment\b  \bthink before (?:you print|printing)\b
    \b(?:e-?mail|nachricht)\b[^|]{0,60}\bvertraulich\w*\b  \birrtumlich erhalten\b
    \b(?:e-?mail|message|courriel)\b[^|]{0,60}\bconfidentiel\w*\b  \bn'etes pas le destinataire\b
    \b(?:e-?mail|correo|mensaje)\b[^|]{0,60}\bconfidencial\w*\b  \b(?:e-?mail|bericht)\b[^|]{0,60}\bvertrouwelijk\w*\b
    """
)
NO_PICTURES = frozenset("🙅❌✖✗✘⛔🚫❎🛑👎❓❔⁉🤔🤷🗑⊘🚷☐☒□⬜◻▢🔲🔳")
