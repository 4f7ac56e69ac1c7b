"""The friendly words of mails that ask for nothing, in the five languages that are read.

They are as `words.folded` returns them.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GREETINGS = _words(
    "hi hello hey hallo hoi dag servus moin grussgott bonjour bonsoir salut coucou hola buenas goedemorgen goedenavond"
    " goedemiddag morning evening afternoon greetings guten tag morgen abend buenos dias tardes noches"
)
THANKS = _words(
    "thanks thank thankyou thx ty cheers tnx ta fun great nice lovely brilliant awesome cool wonderful excellent superb"
    " fantastic perfect enjoyed enjoy enjoying love loved luck congratulations congrats gg wp haha hahaha hehe lol wow"
    " beautiful exciting thrilling well glad happy good"
    " danke dankeschon vielen spass toll schon schone schoner schones gute guter"
    " super klasse prima gluck viel herzlichen gratuliere spannend freut"
    " merci genial bravo chouette felicitations chance formidable parfait cool top"
    " gracias genial divertido suerte enhorabuena felicidades estupendo perfecto fantastico"
    " bedankt dank leuk geweldig succes gefeliciteerd prachtig mooi fijn fijne"
)
# These say nothing by themselves.
OTHERS = _words(
    "you all ever so very much a an the for that this that's it's was is it were game games move moves one too again"
    " and to everybody everyone folks team guys ben lot many i we really such played day evening night weekend week"
    " your my hunting hunt catch chase"
    " help reminder reply answer mail quick info information explanation mr mrs x until next time see soon bye of"
    " sorry oops apologies entschuldigung verzeihung pardon desole desolee perdon excuses"
    " sounds klingt klinkt suena gut goed"
    " ok okey okay already done job work what how in me with from have had there here now always what's far"
    " euch dir ihnen dank das war ein eine spiel zug fur die den schnelle antwort hilfe sehr so und alle allen schones"
    " wochenende abend tag noch mir macht hat gemacht es schonen bis bald tschuss auch"
    " a vous toi tous beaucoup bien pour le la les c'est c'etait un une partie coup aide bonne bon journee soiree jeu"
    " mille bientot et votre ton reponse"
    " a todos muchas mucha muy por la el los fue ha sido un una partida jugada ayuda buena buen juego y mil hasta"
    " pronto respuesta tu su"
    " je jullie u wel voor de het dat was een spel zet hulp heel erg veel allemaal en avond dag weekend tot ziens"
    " antwoord hartelijk"
)
