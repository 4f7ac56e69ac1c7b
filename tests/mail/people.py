"""Mails as people write them, in five languages, and what must become of each.

The writer plays Red, who stands on 47 and can send a taxi to 34, 46 or 62 ahead. `PLAYED` are mails of a plain move,
`ASKED` are those that have a second reading, and `REFUSED` name no move at all. None may be left without an answer, and
none of those that are meant plainly should be asked back.
"""

OUTLOOK = """

________________________________
From: Black Ticket <turn@play.example.org>
Sent: Sunday, November 22, 2026 6:00 PM
To: Vera Lind <vera@example.net>
Subject: [Foggy Thames] Turn 20: Red, send your move ahead

You can go by taxi to 34, 46 or 62.
"""
GMAIL = """

On Sun, 22 Nov 2026 at 18:00, Black Ticket <turn@play.example.org> wrote:
> You can go by taxi to 34, 46 or 62.
"""
IPHONE = """

Sent from my iPhone 12

> On 22 Nov 2026, at 18:00, Black Ticket <turn@play.example.org> wrote:
>
> You can go by taxi to 34, 46 or 62.
"""
ANDROID = """

Von meinem Samsung Galaxy Smartphone gesendet.

-------- Ursprüngliche Nachricht --------
Von: Black Ticket <turn@play.example.org>
You can go by taxi to 34, 46 or 62.
"""

PLAYED = {  # all of them: red taxi 46
    "a line and no more": "taxi 46",
    "thanks first": "Thanks! What a great game.\n\ntaxi 46\n\nSee you,\nBob" + GMAIL,
    "the number alone": "46\nVera" + IPHONE,
    "the ticket behind": "46 taxi",
    "with an article": "Take the taxi to 46, please.",
    "in the first person": "I take the taxi to 46",
    "as a colon": "Red: taxi to 46" + OUTLOOK,
    "as a letter": "R: taxi 46",
    "ok": "Ok, taxi 46!\nBest,\nVera",
    "yes, though nothing was asked": "Yes\ntaxi 46",
    "yes on the same line": "Yes, taxi 46",
    "my move": "My move: taxi 46",
    "thanks behind": "taxi 46 thanks!",
    "the same twice": "taxi 46\n\nRed taxi to 46.",
    "an apology in two words": "taxi 46\nSorry it took so long",
    "a telephone": "taxi 46\n\nVera Lind\nPhone: +44 20 7946 0934\nMobile 07700 900 462",
    "an address": "taxi 46\n\nKind regards\nVera Lind\n34 Baker Street\nLondon NW1 6XE",
    "an address in Berlin": "taxi 46\n\nViele Grüße\nVera\nLindenstraße 34\n10969 Berlin",
    "an address in Paris": "taxi 46\n\nCordialement\nVera\n62 rue de Rivoli\n75001 Paris",
    "another telephone": "taxi 46" + IPHONE,
    "a signature": "taxi 46\n-- \nVera, 34 years old, maybe wise",
    "for the team": "taxi 46\nSAY sorry, maybe I should take taxi 62 instead",
    "a station to look at": "taxi 46\nBOARD 62",
    "how are you": "taxi 46\n\nHow are you all? Greetings from Rome",
    "no problem": "No problem, here it is:\ntaxi 46",
    "bold": "*taxi 46*",
    "a list": "- taxi 46",
    "an emoji": "🚕 taxi 46 👍",
    "a tick": "✅ taxi 46",
    "a ticked box": "(x) taxi 46",
    "a second choice": "taxi 46 or else taxi 62",
    "an apology for the delay": "Sorry for the late reply!\n\ntaxi 46\n\nSorry again for the delay, I was ill",
    "German": "Hallo zusammen,\n\nTaxi nach 46\n\nViel Glück euch allen!\nLG Anna",
    "German, in a sentence": "Ich fahre mit dem Taxi nach 46.\n\nMfG\nAnna" + ANDROID,
    "German, the colour": "Rot: Taxi 46\nDanke und schönen Abend",
    "German, late": "Entschuldigung, dass ich so spät bin\n\nrot taxi 46",
    "French": "Bonjour à tous,\n\nrouge: taxi vers 46\n\nBonne soirée,\nAnne",
    "French, in a sentence": "Je prends le taxi pour 46, merci\nÀ bientôt",
    "French, late": "Désolée pour le retard !\n\ntaxi 46",
    "Spanish": "Hola:\n\nrojo taxi a 46, por favor\n\nUn saludo,\nAna",
    "Spanish, in a sentence": "Voy en taxi a la 46\n\nGracias",
    "Dutch": "Hoi allemaal,\n\nrood: taxi naar 46\n\nGroetjes,\nAnnemiek",
    "Dutch, in a sentence": "Ik neem de taxi naar 46.\n\nMet vriendelijke groet,\nAnnemiek",
    "Dutch, another verb": "Ik pak de taxi naar 46\n\ngroet, Cleo",
    "Spanish, another verb": "¡Hola a todos!\n\nCojo un taxi hasta la 46.\n\n¡Suerte!\nCleo",
    "French, there": "Salut l'équipe,\n\nJ'y vais en taxi, au 46.\n\nBises,\nCléo",
    "a table": "Red | taxi | 46",
    "the ticket, and on": "I take a taxi and go to 46",
    "a wish behind it": "I'll take the taxi to 46. Good hunting!",
    "a question about him": "taxi 46\n\nWhere could he be?",
    "spelled out": "taxi forty-six",
    "spelled out in one": "I'd like the taxi to forty six please",
}

HELD = {  # the same move, beside words of which nobody can tell what they say of it
    "luck around it": "Good luck all\nred taxi 46\nThat was hard",
    "repeated in words": "taxi 46\n\nSo I go to 46 now, as we agreed on Monday 23.",
    "a weekday": "taxi 46\nI am away from Monday 23 November, back on the 34th",
    "a count": "taxi 46\nOnly 34 days to Christmas!",
    "the round": "taxi 46\nTurn 34 already, how time flies",
    "something about the others": "taxi 46\nPurple is doing well. Well played, Blue!",
    "cannot wait": "taxi 46\nCan't wait to see where he surfaces",
    "if you like": "taxi 46\nCall me if you like.",
    "Swiss German": "Sali zäme\n\nTaxi uf 46 bitte\n\nLiebi Grüess\nCleo",
    "a day of the month": "Taxi 46\n\nBin bis 23.11. unterwegs, melde mich am 13. wieder.",
}

ASKED = {
    "sorry, I meant": "taxi 46\nsorry, I meant taxi 62",
    "an edit": "taxi 46\n\nEDIT: taxi 62 instead",
    "ignored": "taxi 46\n\nIgnore that. Make it taxi 62.",
    "ignored without another": "taxi 46\n\nIgnore that, please.",
    "or": "taxi 46\nor\ntaxi 62",
    "a condition before it": "If Blue goes to 34\ntaxi 46\notherwise taxi 62",
    "a condition behind it": "taxi 46\nbut only if Blue stays where she is",
    "unless": "taxi 46\nunless somebody has a better idea",
    "taken back": "taxi 46\nCANCEL",
    "taken back further down": "taxi 46\n\nSee you\n\nCANCEL",
    "a second thought": "taxi 46\n\nOn second thought, 62 is closer to the river.",
    "a number": "taxi 46\n62 would be closer, come to think of it",
    "a number alone": "taxi 46\n\nThanks\n62",
    "another ticket": "taxi 46\nI could also take bus 105",
    "the other ticket there": "taxi 46\nthe bus to 46 would be free, too",
    "not sure": "I am not sure about this one\n\ntaxi 46",
    "hmm": "taxi 46\nhmm",
    "wait": "taxi 46\nno wait",
    "oops": "taxi 46\noops, wrong game",
    "what do you think": "taxi 46\nWhat do you think?",
    "shall I": "Shall I do this?\ntaxi 46",
    "somebody else's idea": "Ben suggests this:\ntaxi 46",
    "a postscript": "taxi 46\n\nBest\nVera\n\nPS: rather take 62",
    "a postscript below a closing": "taxi 46\n\nBest\nVera\n34 Baker Street\n\nPS taxi 62!",
    "no": "No\ntaxi 46",
    "the old line first": "taxi 34\ntaxi 46",
    "a cross": "❌ taxi 62\ntaxi 46",
    "an empty box": "( ) taxi 62\ntaxi 46",
    "struck out": "~~taxi 62~~\ntaxi 46",
    "quoted for somebody": 'I read "taxi 62" in the last mail\ntaxi 46',
    "a draft": "This is only a draft\ntaxi 46",
    "for example": "For example:\ntaxi 46",
    "in quotation marks": '"taxi 46"',
    "a question mark": "taxi 46?",
    "misspelt": "taxii 46",
    "a number behind a greeting": "Hello,\n\n46",
    "an unsure sentence": "I think I take the taxi to 46, I guess",
    "German: doch lieber": "Taxi 46\n\nDoch lieber nach 62",
    "German: gemeint": "Taxi 46\nEntschuldigung, gemeint war Taxi 62",
    "German: vielleicht": "Vielleicht ist das gut:\nTaxi 46",
    "German: falls": "Taxi 46\nfalls Blau nicht dorthin zieht",
    "German: quatsch": "Taxi 46\nStopp, das war falsch",
    "French: je voulais dire": "taxi 46\npardon, je voulais dire taxi 62",
    "French: plutôt": "taxi 46\nou plutôt 62",
    "French: si": "taxi 46\nsi bleu ne bouge pas",
    "French: peut-être": "taxi 46\npeut-être",
    "Spanish: quería decir": "taxi 46\nperdón, quería decir taxi 62",
    "Spanish: mejor": "taxi 46\nMejor no, espera",
    "Spanish: si": "taxi 46\nsi azul no va allí",
    "Spanish: quizás": "taxi 46\nquizás",
    "Dutch: bedoelde": "taxi 46\nsorry, ik bedoelde taxi 62",
    "Dutch: toch maar": "taxi 46\ntoch maar niet",
    "Dutch: als": "taxi 46\nals blauw blijft staan",
    "Dutch: misschien": "taxi 46\nmisschien",
    "the pawns in another order": "taxi 46\n\nOh, other way round of course.",
    "a joke": "taxi 46\n\nJust kidding!",
    "talk before it": "taxi 46\n\nLet's discuss first.",
    "a short question": "taxi 46\n\nAny better idea?",
    "denied in a word": "taxi 46\n\nHaha no.",
    "something else to come": "taxi 46\n\nI could do this, and I'll confirm tomorrow.",
    "German: umgekehrt": "Taxi 46\n\nUmgekehrt natürlich!",
    "German: Moment": "Taxi 46\n\nMoment noch bitte",
    "French: laisse tomber": "taxi 46\n\nLaisse tomber.",
    "Spanish: déjalo": "taxi 46\n\nNada, déjalo.",
    "Dutch: laat maar": "taxi 46\n\nlaat maar",
    "an hour": "taxi 46\nBack at 6 pm, or 18:34",
    "a number that nobody can go to": "taxi 46\nMr. X was on 111 when I last looked",
    "a score": "taxi 46\n\nWhat a match yesterday, 2:1 in the 62nd minute!",
}

REFUSED = {
    "a number below a name": "I will think about it tonight.\nBob\n99",
    "not that": "not taxi 46",
    "a cross alone": "❌ taxi 46",
    "two at once": "taxi 46 or taxi 62",
    "a condition on one line": "If Blue stays taxi 46, otherwise taxi 62",
    "nowhere": "taxi 105",
    "nothing": "I am still thinking about it, sorry!",
    "a greeting": "Hello everybody!",
    "another's pawn": "purple taxi 46",
    "German": "Ich weiß noch nicht.",
    "empty": "",
}
