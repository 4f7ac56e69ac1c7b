"""The words of moves and of talk around them, in the languages that are read: English, German, French, Spanish, Dutch.

Words are as `folded` returns them, in lower case and without accents. Patterns are matched against such text as well.
"""

import unicodedata

_FOLDED = str.maketrans("äöüáéíóúàèìòùâêîôûñçëïåãõ", "aouaeiouaeiouaeiounceiaao") | {ord("ß"): "ss", ord("’"): "'"}


def folded(text: str) -> str:
    """Return `text` in lower case and without the accents of the languages that are read."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text.lower()).translate(_FOLDED)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _table(rows: dict[str, str]) -> dict[str, str]:
    return {word: name for name, words in rows.items() for word in words.split()}


# Moves ----------------------------------------------------------------------------------------

PAWN_WORDS = _table(
    {
        "mr_x": "mr_x",
        "purple": "purple violet lila violett purpur pourpre mauve violette morado morada purpura violeta paars paarse",
        "red": "red rot rote roter rouge rojo roja rood rode",
        "green": "green grun grune gruner gruen vert verte verde groen groene",
        "yellow": "yellow gelb gelbe gelber jaune amarillo amarilla geel gele",
        "blue": "blue blau blaue blauer bleu bleue azul blauw blauwe",
    }
)
PAWN_LETTERS = {"p": "purple", "r": "red", "g": "green", "y": "yellow", "b": "blue"}  # before a ticket only
TICKET_WORDS = _table(
    {
        "taxi": "taxi t cab taxis",
        "bus": "bus b autobus buses",
        "underground": "underground u tube metro subway ubahn ondergrondse subte",
        "black": "black x boat ferry schwarz schwarzes boot schiff faehre noir bateau negro barco zwart zwarte"
        " veerboot",
    }
)
TO = _words("to nach zu zum zur auf uf bis a au vers pour al hasta hacia naar tot")
BY = _words("by mit per en par con via met in using")
FOR = _words("for fur pour para voor")  # before a pawn, as in "for red: taxi 46"
# These count as "to" only right behind a ticket: "red at 46" says where it is.
LOOSE_TO = _words("for in at on until till onto into dans sur para pour fur op voor")
ARTICLES = _words("the my das den dem der die le la l el un una une de een einem ein einen")
TICKET_NOUNS = _words("ticket tickets card fahrkarte billet billete kaartje")
STATION_NOUNS = _words("station destination nummer number no nr estacion numero halte feld case casilla veld")
PAWN_NOUNS = _words("detective pawn piece player detektiv figur spieler pion detectif joueur ficha peon speurder")
SUBJECTS = _words("i ich je j yo me ik we wir on")
VERBS = _words(
    "move take go use moves takes goes moving taking going choose chose pick send do answer choice fahre nehme gehe"
    " ziehe zieht fahrt nimmt wahle schicke antwort prends vais prend va choisis joue reponse tomo voy toma muevo mueve"
    " elijo juego respuesta neem ga neemt gaat kies speel antwoord zug zet coup jugada"
    " ride catch hop head using benutze nutze steige pars utilise saute cojo coge uso utilizo"
    " pak pakt stap rijd gebruik make makes making catching travel hopping heading jump riding decision entscheidung"
    " eleccion keuze nehm fahr geh zieh prendre aller tomar coger"
)
DOUBLE = _words("double doppelzug doppelt doble dubbel dubbele dubbelzet")
THEN = _words("then dann danach und anschliessend puis ensuite luego despues dan daarna vervolgens")
VERBS_AT_THE_END = _words("fahren gehen ziehen nehmen gaan nemen rijden")
POSSESSIVES = _words("my mein meine mon ma mi mijn our unser notre nuestro ons onze")
WILL = _words("will ll wish is be am m est ist es want mochte voudrais veux quiero quisiera wil")
PLEASE = _words(
    "please kindly pls plz bitte svp stp alsjeblieft alstublieft aub graag gerne merci gracias danke dank bedankt"
    " thanks thx thankyou cheers now"
)
LEAD_INS = _words(
    "ok okay okey alright so well sure gut bon bueno vale goed oke hi hello hey hallo bonjour hola yo aight right"
    " allez vamos anyway definitely certainly absolutely anbei also donc alors dus final"
)
ENDINGS = _words(
    "then xx xxx go dann alors entonces dan lol lmao haha hehe ez quickly schnell vite rapido snel bro mate dude"
    " guys folks team"
)
# Between a verb and the move: "I'll just take the taxi to 46", "ich nehme dann mal das Taxi".
ADVERBS = _words("now then just today dann mal jetzt nun also einfach heute maintenant donc ahora pues nu dan")
# Of a second choice: "taxi 46 or else taxi 58".
OTHERWISE = (
    "or else", "or otherwise", "otherwise", "else", "if not possible", "if not free", "if not", "if taken",
    "if that is taken", "if that s taken", "if it s taken", "if occupied", "oder sonst", "ansonsten", "sonst",
    "ou sinon", "sinon", "o si no", "si no", "of anders", "anders",
)  # fmt: skip

# Words that can stand before a colon that introduces a move of the writer's: "Here is my final answer: taxi 46".
INTRODUCTIONS = _words(
    "here is are go it it's here's that's this goes my mine our i me we final answer decision choice move turn agreed"
    " decided done for the as of round today now so then and well anyway right ok okay discussed promised ready"
    " after much thought los geht's"
    " hier ist das mein meine unser zug also nun jetzt dann anbei einverstanden abgemacht fur diese runde heute ich"
    " nehme wie besprochen entscheidung antwort"
    " on y va allez"
    " voici voila mon ma notre coup donc alors pour ce tour moi c'est decide d'accord choix reponse comme convenu"
    " aqui va esta mi nuestra jugada movimiento este turno yo ahora entonces decidido de acuerdo respuesta"
    " vamos daar gaan we mijn onze zet dus nu dan voor deze beurt ronde ik akkoord keuze antwoord zoals afgesproken"
)
# The full stop behind one of these ends no sentence.
ABBREVIATIONS = _words(
    "mr mrs ms dr st no nr num vs ca approx bzw resp bijv evtl etc usw max min tel ext incl inkl ggf zb"
)

# Answers --------------------------------------------------------------------------------------

YES = _words("yes yep yeah yup ja jawohl oui si")
NO = _words("no nope nein non nee")
# Of several things at once, behind a yes: "Yes, both of them please".
BOTH = frozenset(
    {
        "both", "both of them", "both moves", "to both", "play both", "do both", "beide", "alle beide", "les deux",
        "tous les deux", "los dos", "las dos", "ambos", "allebei", "alle twee",
    }
)  # fmt: skip
ALL = frozenset(
    {"all", "all of them", "all moves", "to all", "play all", "do all", "alle", "tous", "toutes", "todos", "allemaal"}
)
# A whole line may be a yes or a no with these behind or before it, or one of these alone where it says so itself.
YES_ALONE = frozenset(
    {
        "sure", "of course", "gladly", "with pleasure", "sounds good", "sounds fun", "sounds great", "why not",
        "count me in", "i am in", "i'm in",
        "accept", "i accept", "i'd love to", "i would love to",
        "gerne", "sehr gerne", "klar", "naturlich", "mit vergnugen", "volontiers", "avec plaisir", "bien sur",
        "d'accord", "claro", "por supuesto", "con mucho gusto", "con gusto", "graag", "natuurlijk", "met plezier",
    }
)  # fmt: skip
NO_ALONE = frozenset(
    {
        "decline", "i decline",
        "not this time", "no thanks", "no thank you", "nein danke", "diesmal nicht", "leider nicht", "non merci",
        "pas cette fois", "no gracias", "esta vez no", "nee bedankt", "nee dank je", "deze keer niet",
    }
)  # fmt: skip
# These say no behind a no alone: "NO, rather not".
NO_BEHIND = frozenset(
    {
        "rather not", "i'd rather not", "i would rather not", "better not", "not now", "not today", "not yet",
        "not really", "not me", "i don't want to", "i do not want to", "i won't", "never", "not at all", "maybe later",
        "maybe next time", "maybe another time", "next time perhaps", "lieber nicht", "besser nicht", "eher nicht",
        "jetzt nicht", "heute nicht", "noch nicht", "vielleicht spater", "vielleicht nachstes mal",
        "vielleicht ein andermal", "ich mochte nicht", "plutot pas", "pas maintenant", "pas encore",
        "pas aujourd'hui", "mieux vaut pas", "peut-etre plus tard", "peut-etre la prochaine fois", "mejor no",
        "ahora no", "hoy no", "todavia no", "prefiero no", "quizas mas tarde", "tal vez la proxima vez",
        "quizas la proxima vez", "liever niet", "beter niet", "nu niet", "vandaag niet", "nog niet",
        "misschien later", "misschien de volgende keer",
    }
)  # fmt: skip
# Words behind a yes that take something from it: one of the first, and behind that one of the others.
BUT = _words("but aber jedoch mais pero maar")
LESS = _words("not only unless except nicht nur ausser pas seulement sauf no solo salvo niet alleen behalve")
COURTESIES = frozenset(
    {
        "please", "pls", "thanks", "thank you", "thank you very much", "many thanks", "i do", "i did", "it was me",
        "that was me", "i am sure", "i'm sure", "i'd love to", "i would love to", "i will", "go ahead", "correct",
        "exactly", "right", "that's right", "that is right", "that's it", "that one", "do it", "play it", "it is",
        "that's me", "bitte", "danke", "vielen dank", "genau", "richtig", "das war ich", "s'il vous plait",
        "s'il te plait", "merci", "c'est moi", "c'est ca", "exactement", "por favor", "gracias", "exacto", "correcto",
        "alsjeblieft", "bedankt", "dank je", "klopt", "precies", "dat was ik", "sorry", "leider", "desole", "lo siento",
        "helaas", "ok", "okay", "now", "then", "hi", "hello", "hallo", "i agree", "agreed", "fine by me",
        "fine with me",
        "ok by me", "ok for me", "okay for me", "good idea", "works for me", "that works", "that works for me",
        "einverstanden", "von mir aus", "passt", "passt mir", "gute idee", "d'accord", "je suis d'accord", "bonne idee",
        "ca marche", "de acuerdo", "estoy de acuerdo", "buena idea", "vale", "akkoord", "mee eens", "goed idee",
    }
)  # fmt: skip
