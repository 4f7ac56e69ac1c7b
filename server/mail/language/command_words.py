"""The words that people write for a command, in the five languages that are read.

They are as `words.folded` returns them. Phrases of one command are divided by semicolons.
"""


def _by_phrase(rows: dict[str, str]) -> dict[str, str]:
    """Return the keyword of each phrase."""
    return {" ".join(phrase.split()): keyword for keyword, phrases in rows.items() for phrase in phrases.split(";")}


# Each stands alone on a line, with words of politeness around it. What ends lines of our own mails is none of them,
# such as "travel log": a mail program may wrap it off.
ALIASES = _by_phrase(
    {
        "help": """
            help me; i need help; how does this work; how does it work; what can i write; what do i write
            ; what do i have to do; what should i do; commands; instructions
            ; hilfe; hilf mir; wie geht das; wie funktioniert das; was muss ich tun; was soll ich tun; befehle
            ; was kann ich schreiben; anleitung
            ; aide; aidez-moi; aide-moi; a l'aide; comment ca marche; que dois-je faire; que faire; commandes
            ; ayuda; ayudame; como funciona; como funciona esto; que hago; que tengo que hacer; comandos
            ; hulp; help mij; hoe werkt dit; hoe werkt het; wat moet ik doen; wat nu; opdrachten
            """,
        "rules": """
            rule book; rulebook; rules of the game; game rules; what are the rules; how to play; how do i play
            ; how do you play; how is it played
            ; regeln; spielregeln; regelwerk; spielanleitung; wie sind die regeln; wie spielt man; wie spielt man das
            ; regles; les regles; regles du jeu; regle du jeu; comment jouer; comment on joue
            ; comment est-ce qu'on joue
            ; reglas; reglas del juego; como se juega; instrucciones
            ; regels; spelregels; hoe speel je; hoe speel je dit; hoe speel ik
            """,
        "map": """
            map of the board; map of london; board map; print map
            ; karte; landkarte; stadtplan; spielplan; plan; spielbrett zum ausdrucken
            ; carte; plan de londres; carte de londres
            ; mapa; plano; mapa de londres
            ; kaart; plattegrond; kaart van londen
            """,
        "play": """
            practice; practise; play against bots; play a game; play scotland yard; let's play; play now
            ; spielen; mitspielen; ubungsspiel; probespiel; spiel starten; spiel beginnen; ein spiel spielen; los geht's
            ; jouer; jouons; partie d'entrainement; commencer une partie
            ; jugar; juguemos; partida de practica; a jugar; empezar una partida
            ; spelen; meespelen; oefenspel; laten we spelen; een spel spelen; spel beginnen
            """,
        "stop": """
            stopp; unsubscribe; unsubscribe me; opt out; no more mail; no more mails; no more emails; no more e-mails
            ; stop mailing me; stop emailing me; stop writing to me; stop sending me mail; stop sending me mails
            ; stop sending me emails; stop the mails; stop the emails; stop all mail; remove me
            ; remove me from this list; remove me from your list; take me off this list; take me off your list
            ; abmelden; abbestellen; austragen; mich abmelden; melde mich ab; melden sie mich ab; keine mails mehr
            ; keine mail mehr; keine e-mails mehr; keine emails mehr; ich mochte keine mails mehr
            ; ich mochte mich abmelden; mails abbestellen; e-mails abbestellen
            ; desabonner; me desabonner; se desabonner; desabonnez-moi; desinscrire; me desinscrire; desinscription
            ; desabonnement; plus de mails; plus de mail; plus d'e-mails; plus d'emails
            ; arret; arretez; arretez les mails; arretez de m'ecrire; ne plus recevoir de mails
            ; baja; darme de baja; darse de baja; dame de baja; dadme de baja; deme de baja; cancelar suscripcion
            ; cancelar la suscripcion; no mas correos; no mas mails; no mas emails; no quiero mas correos
            ; afmelden; uitschrijven; mij afmelden; mij uitschrijven; me afmelden; me uitschrijven; geen mail meer
            ; geen mails meer; geen e-mails meer; stop met mailen
            """,
        "status": """
            who is it; whose turn is it; whose turn; who is next; who's next; whos turn is it; is it my turn; my turn
            ; state of the game; game status; how is the game; how does the game stand; when is my move due
            ; spielstand; wie steht es; wie steht's; wie ist der stand; wer ist dran; wer ist am zug
            ; bin ich dran; bin ich am zug; wer ist an der reihe; bin ich an der reihe
            ; etat; statut; etat de la partie; a qui le tour; a qui de jouer; c'est a qui; c'est mon tour
            ; est-ce mon tour; ou en est la partie; ou en est-on
            ; estado; situacion; estado de la partida; a quien le toca; me toca; es mi turno; de quien es el turno
            ; stand van zaken; wie is aan de beurt; ben ik aan de beurt; wie is er aan de beurt; hoe staat het ervoor
            """,
        "list": """
            join; join a game; join game; open games; list games; list of games; public games; which games are open
            ; games to join
            ; liste; spiele; offene spiele; spieleliste; liste der spiele; welche spiele gibt es; mitmachen; beitreten
            ; einem spiel beitreten
            ; liste des parties; parties; parties ouvertes; participer; rejoindre; rejoindre une partie
            ; lista; partidas; partidas abiertas; lista de partidas; participar; unirme; unirse; unirme a una partida
            ; lijst; spellen; open spellen; lijst van spellen; meedoen; deelnemen
            """,
        "new": """
            new game; open a game; open a new game; start a new game; create a game; create a new game; another game
            ; neu; neues spiel; ein neues spiel; neue partie; spiel eroffnen; neues spiel beginnen; neues spiel starten
            ; nouvelle partie; une nouvelle partie; nouveau jeu; creer une partie
            ; nueva partida; nuevo juego; una nueva partida; crear una partida
            ; nieuw spel; een nieuw spel; nieuw spel beginnen
            """,
        "resign": """
            surrender; i surrender; i resign; i give up; give up; i quit; quit the game; i want to resign
            ; i want to give up
            ; aufgeben; aufgabe; ich gebe auf; spiel aufgeben; ich mochte aufgeben; ich will aufgeben
            ; abandonner; abandon; j'abandonne; je me rends; je veux abandonner
            ; abandonar; abandono; me rindo; rendirse; rendirme; quiero abandonar
            ; opgeven; ik geef op; ik geef het op; ik wil opgeven
            """,
        "cancel": """
            undo; undo my move; undo move; undo that; undo it; take back; take it back; take that back
            ; take back my move; take my move back; cancel my move; cancel move; revoke; withdraw my move
            ; zurucknehmen; zug zurucknehmen; meinen zug zurucknehmen; ruckgangig; ruckgangig machen
            ; zug ruckgangig machen; abbrechen
            ; annuler; annule; annulez; annuler mon coup; annuler le coup; reprendre mon coup
            ; deshacer; anular; cancelar; anular mi jugada; deshacer mi jugada
            ; terugnemen; ongedaan maken; zet terugnemen; mijn zet terugnemen; intrekken; annuleren; annuleer
            """,
        "log": """
            log book; logbook; show log; mr. x's log; mr x's log
            ; fahrtenbuch; logbuch; fahrtentafel; protokoll; reiseprotokoll
            ; journal; journal de bord; carnet de voyage; releve
            ; diario; registro; diario de viaje; cuaderno de bitacora; bitacora
            ; logboek; reislogboek; reisverslag
            """,
        "replay": """
            what happened; what has happened; history; story so far; the story so far
            ; verlauf; spielverlauf; was ist passiert; was ist bisher passiert
            ; historique; que s'est-il passe; deroulement
            ; historial; que ha pasado; que paso
            ; verloop; spelverloop; wat is er gebeurd; geschiedenis
            """,
        "board": """
            where is everybody; where is everyone; where am i; where are we; where are the others; show board
            ; where is mr x; where's mr x; wheres mr x; where can mr x be; where could mr x be; where might mr x be
            ; where's everybody; where's everyone; dov'e mr x
            ; wo ist mr x; wo kann mr x sein; ou est mr x; ou peut etre mr x
            ; donde esta mr x; donde puede estar mr x; waar is mr x; waar kan mr x zijn
            ; brett; spielbrett; wo bin ich; wo sind alle; wo stehe ich; wo sind die anderen; wo stehen alle
            ; plateau; ou suis-je; ou je suis; ou sont les autres; ou est tout le monde
            ; tablero; donde estoy; donde estan todos; donde estan los demas
            ; bord; speelbord; waar ben ik; waar is iedereen; waar sta ik; waar zijn de anderen
            """,
        "legal": """
            what can i do; where can i go; my moves; legal moves; possible moves; which moves do i have; my choices
            ; which moves can i make; what are my moves; what moves do i have
            ; mogliche zuge; meine zuge; wohin kann ich; wohin kann ich ziehen; wohin kann ich fahren; was kann ich tun
            ; welche zuge habe ich
            ; coups possibles; mes coups; ou puis-je aller; que puis-je faire; ou je peux aller
            ; movimientos; jugadas posibles; mis movimientos; donde puedo ir; adonde puedo ir; a donde puedo ir
            ; que puedo hacer
            ; mogelijke zetten; mijn zetten; waar kan ik heen; waar kan ik naartoe; wat kan ik doen
            """,
        "signup": """
            sign up; sign me up; register; register me; create an account; open an account
            ; anmelden; registrieren; mich anmelden; konto anlegen; ich mochte mich anmelden
            ; inscription; s'inscrire; m'inscrire; inscrivez-moi; creer un compte
            ; registrarse; registrarme; crear una cuenta; inscribirme
            ; aanmelden; registreren; inschrijven; account maken
            """,
        "pause": "pausieren; spiel pausieren; pausa; pauze",
        "start": "begin; begin the game; starten; commencer; empezar; beginnen",
        "draw": "remis; unentschieden; partie nulle; tablas; remise",
        "rematch": "play again; revanche; revancha; nochmal spielen",
    }
)

# What follows one of these is read as behind the command: "neues Spiel 3", "rejoindre k7m2".
KEYWORDS = _by_phrase(
    {
        "help": "hilfe; aide; ayuda; hulp",
        "rules": "regeln; spielregeln; regles; reglas; regels; spelregels",
        "map": "karte; carte; mapa; kaart",
        "board": "brett; spielbrett; plateau; tablero; bord",
        "play": "spielen; jouer; jugar; spelen; practice",
        "new": "new game; neu; neues spiel; nouvelle partie; nueva partida; nieuw spel",
        "join": "join game; beitreten; mitmachen; rejoindre; participer; unirme; unirse; meedoen; deelnemen",
        "invite": "einladen; inviter; invitar; uitnodigen",
        "try": "probiere; versuche; essaye; essayer; prueba; probar; probeer",
        "cancel": "undo; take back",
        "pause": "pausieren; pausa; pauze; pause the game; pause game; pause the clock",
        "extend": """
            verlangern; prolonger; prolongar; verlengen; extend the deadline; extend the time; frist verlangern
            ; prolonger le delai; prolongar el plazo; termijn verlengen
            """,
    }
)

# How people write "Mr." before an X, and the articles before that.
MR = ("mister", "mr", "herrn?", "monsieur", "mons", "senor", "sr", "meneer", "mijnheer", "heer", "signore?", "sig")
MR_ARTICLES = ("el", "il", "le", "der", "den", "de", "the")

# These may stand before a command that changes nothing, and before PLAY and NEW: "I would like to play".
ASKING = _by_phrase(
    {
        "": """
        i want to; i want; i would like to; i would like; i'd like to; i'd like; can i have; can i see; can i get
        ; can i; could i; may i; can you send me; could you send me; send me; send; show me; show; give me; i need
        ; where is; where are; what about; let me see; let me
        ; ich mochte gerne; ich mochte gern; ich mochte; ich will; ich wurde gerne; ich wurde gern; zeig mir; zeige mir
        ; zeigen; schick mir; schicke mir; schicken sie mir; zeigen sie mir; ich brauche; wo ist; wo sind; kann ich
        ; gib mir
        ; je veux; je voudrais; j'aimerais; montre-moi; montrez-moi; envoie-moi; envoyez-moi; donne-moi; ou est
        ; ou sont; puis-je voir; je peux voir
        ; quiero; quisiera; me gustaria; muestrame; enviame; envieme; mandame; dame; ensename; donde esta; donde estan
        ; puedo ver
        ; ik wil graag; ik wil; ik zou graag; ik zou willen; laat me; laat; toon me; toon; stuur mij; stuur me; stuur
        ; geef me; waar is; waar zijn; mag ik
        """,
    }
).keys()

# By these somebody without an account says that they want to play; to a player in a game they may be talk.
WILLING = _by_phrase(
    {
        "play": """
            count me in; i'm in; im in; i am in; i want in; i'm game; i'd love to; i would love to; i'd love to play
            ; i would love to play; i'd like to try; i would like to try; i'd like to try it; i want to try
            ; i'd like to join; i want to join; i would like to join; i'd like to give it a try; let me try; let's go
            ; i'd be happy to play; i'm happy to play; i am happy to play; please let me play; i'd like to play a game
            ; i'd like a game; sign me up; i'll play; i will play; i'll try it; i'll give it a try
            ; ich bin dabei; bin dabei; ich mache mit; ich spiele mit; ich mochte mitspielen; ich wurde gerne mitspielen
            ; ich wurde gern mitspielen; ich will mitspielen; ich mochte mitmachen; ich wurde gerne spielen
            ; ich probiere es; lass uns spielen; ich mochte es probieren; ich spiele gerne mit; ich hatte lust
            ; je suis partant; je suis partante; je participe; j'en suis; je veux bien; je veux bien jouer
            ; j'aimerais participer; je voudrais participer; j'aimerais bien jouer; je voudrais essayer; c'est parti
            ; me apunto; apuntame; cuenta conmigo; cuenten conmigo; quiero participar; me gustaria participar
            ; quiero probar; me encantaria; me encantaria jugar; vamos a jugar
            ; ik doe mee; ik speel mee; ik wil meedoen; ik wil graag meedoen; ik wil meespelen; ik wil graag meespelen
            ; ik zou graag meedoen; ik zou graag meespelen; ik ben erbij; ik wil het proberen
            """,
    }
).keys()
HOW_TO_START = _by_phrase(
    {
        "play": """
            how do i start; how do i begin; how can i start; how can i begin; how do we start; how to start
            ; where do i start; how do i join; how can i join; how can i play; what do i do now; what's next
            ; what now; what next
            ; wie fange ich an; wie fang ich an; wie geht es los; wie geht's los; wie beginne ich; wie starte ich
            ; was nun; und jetzt; wie kann ich mitspielen; wie kann ich mitmachen
            ; comment commencer; comment je commence; par ou commencer; comment participer; et maintenant
            ; como empiezo; como comienzo; como empezamos; como se empieza; como participo; y ahora; ahora que
            ; hoe begin ik; hoe start ik; hoe beginnen we; hoe kan ik meedoen; hoe doe ik mee; en nu
            """,
    }
).keys()
