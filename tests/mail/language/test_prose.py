"""Lines beside a move: which take it back, doubt or state a condition, and which are talk; in five languages."""

from server.mail.language.prose import free_lines, objection

AGAINST = """
Is that a stupid move?
War das eine gute Idee?
Est-ce que c'est un bon coup ?
¿Es buena jugada?
Is dat wel een slimme zet?
the other pawn
die andere Figur
l'autre pion
la otra ficha
de andere pion
play it tomorrow
erst morgen
jouez ça demain
would that be ok
let me know first
tell Ben first
once everyone has moved
sobald alle gezogen haben
quand tout le monde a joué
cuando todos hayan jugado
zodra iedereen gezet heeft
not good for me
I will not play
I won't play
I would not take
I will never take
Never
Anything but
Everything but
Avoid
I refuse
rejected:
Auf keinen Fall
Niemals
Nunca
jamais
Nooit
test
Later
next turn
Plan:
What about
How about
HALT
hold
abort
revert
recall
zurückgezogen
ich ziehe zurück
bórralo
pass
stay put
bad idea
too risky
but later
in the next round
nächste Runde
plus tard
waiting for Ben's answer
ask me again
ten zij blauw gaat
Oh, other way round of course.
the other way around
vice versa
swap them please
switch the two
I take that back.
Not so fast.
Please don't do it yet.
Don't!
Let me sleep on it.
I'll confirm tomorrow.
To be confirmed.
TBC
Will confirm later
Subject to Ben's approval
Pending Ben's answer
Unconfirmed
Just kidding
kidding!
j/k
just joking
haha no
lol no
Not!
nah
naah, forget it
Nvm
nm
My bad.
Argh, I misread the board.
I misclicked
I got the colours mixed up
mixed up the pawns
that was for the other game
this is for another game
Please hold.
Don't send this off yet
Were Blue to leave, fine.
Whenever Blue has left
Supposing Blue leaves
Given that Blue leaves
In the event that Blue leaves
except if
Any better idea?
Is there anything better?
Ben, your opinion?
Opinions?
Thoughts?
Good or bad?
Agreed?
Alright with everyone?
Or is that stupid?
Would that be smart?
Does that make sense?
I could do this
I may do this
I would do this
I'm tempted
I am leaning towards this
My plan is this:
My idea:
Idea:
Option 1:
Option A
Plan:
If in doubt this
Let's discuss first
Let's talk about it first
Let us wait for Ben
ask Ben first
Ben decides
Ben shall decide
Only joking
oh no
damn
nonsense
rubbish
that's rubbish
Stupid me
too late?
Please remove my move
Drop that
skip that
kill that
Not correct
That's not right
incorrect
invalid
I regret that
I reconsidered
having reconsidered
after reconsidering
rethink
Let me rethink
Andersrum natürlich
umgekehrt
genau umgekehrt
vertauscht
verwechselt
habe die Farben verwechselt
war nur Spaß
nur ein Scherz
Scherz
kleiner Scherz
Nein doch nicht
ach nee
nee, lass mal
lass das
lieber nicht
besser nicht
Quatsch
Unsinn
Blödsinn
Mist, vertan
habe mich vertan
sorry, verguckt
verlesen
Moment
Moment noch
Augenblick
noch offen
noch unklar
unter Vorbehalt
vorausgesetzt Ben ist einverstanden
angenommen Blau geht weg
im Fall dass Blau geht
für den Fall
es könnte sein
ich würde das machen
ich würde sagen
könnte man machen
Was sagt ihr?
Was denkt ihr?
Meinungen?
Einwände?
Ist das gut?
Passt das?
Oder?
Einverstanden?
Geht das?
Ben soll entscheiden
Ben entscheidet
ich frage erst Ben
erst mit Ben reden
bitte noch warten
das gilt nicht
zählt nicht
nicht gültig
macht das nicht
bitte nicht
mach das bitte nicht
das war für das andere Spiel
Idee:
Überleg's mir noch
ich schlafe drüber
hätte hätte
Gegenvorschlag
à l'envers
l'inverse
c'est l'inverse
je plaisante
je rigole
blague
Non !
ah non
mais non
non non
laisse tomber
laissez tomber
n'importe quoi
zut
mince
je me suis trompé
je me suis gourée
j'ai confondu
sous réserve
à confirmer
selon Ben
en cas de
dans le cas où
tant que bleu
Vous en dites quoi ?
D'accord ?
Ça va ?
Une meilleure idée ?
mon idée :
je ferais ça
je pourrais
on en parle d'abord
attends
attendez un peu
un instant
pas tout de suite
ne fais rien
ne bougez pas
ce n'est pas ça
c'est faux
al revés
viceversa
es broma
bromeo
era broma
no no
que no
ay no
déjalo
dejadlo
nada, olvídalo
me equivoqué
me he liado
me confundí
lo he confundido
por confirmar
pendiente de Ben
salvo que
excepto si
suponiendo que
en el caso de que
mientras azul no se mueva
¿Qué decís?
¿Os parece bien?
¿De acuerdo?
¿Vale?
¿Alguna idea mejor?
mi idea:
yo haría esto
podría
hablémoslo antes
espérate
un momento
no lo hagas
no hagáis nada
está mal
eso no
andersom
omgekeerd
net andersom
grapje
geintje
was een grapje
nee joh
laat maar
laat maar zitten
onzin
ik vergis me
heb me vergist
verwisseld
door elkaar gehaald
onder voorbehoud
nog bevestigen
mocht blauw weggaan
in het geval dat
stel dat blauw weggaat
zolang blauw blijft
Wat zeggen jullie?
Goed idee?
Akkoord?
Mee eens?
Een beter idee?
mijn idee:
ik zou dit doen
ik kan ook
eerst overleggen
even wachten
momentje
niet doen
doe maar niet
klopt niet
dat is fout
je préfère attendre
bus would be better
that might be even better
rather yellow first
I prefer the bus
I'd prefer waiting
the bus is better
lieber gelb zuerst
ich möchte lieber abwarten
ich ziehe den Bus vor
ich bevorzuge den Bus
Bus wäre besser
der Bus ist besser
le bus serait mieux
mieux vaut attendre
je préférerais le bus
prefiero esperar
sería mejor el bus
mejor amarillo
ik geef de voorkeur aan de bus
de bus zou beter zijn
ik verkies de bus
No idea yet, tomorrow perhaps
I have not decided anything yet
Keine Ahnung, was besser ist
I presume that is what Ben wants
Who goes there instead of me?
This is what I played last round
¿Y si va al norte?
placeholder
tbd
50/50
more or less
can be changed
Can I still change it?
How do I take it back?
Happy to switch to the bus
Ideas welcome
thoughts please
Blue first
Ben has the last word
to be discussed
wird noch besprochen
à discuter
te bespreken
kann ich das noch ändern
Feel free to overrule me
Stop me if that is stupid
I will write again
this is a test
what she did
under no circumstances
I would never
""".strip().splitlines()
TALK = """
Is it raining in Berlin?
Good for you!
gut für dich
tant mieux pour toi
bien por ti
goed voor jou
Don't worry about me.
No need to answer.
no need to hurry
No hard feelings!
I like it, and fingers crossed
keine Sorge, wir kriegen ihn
Ich drücke die Daumen!
Pas de souci, on va l'avoir !
Ne t'inquiète pas
No te preocupes, ¡lo tenemos!
No está mal.
Maak je geen zorgen
geen stress, we pakken hem
bin erst morgen wieder da
Better late than never.
You will never catch me!
I never saw such a game.
You will not find him there.
I will not be here tomorrow.
See you later!
Next round is mine.
Nice plan, Ben.
Waiting for spring
Sorry for the late reply!
Got you now, Mr. X!
We are closing in on him.
He is somewhere in the south, I am sure.
Nice one, Ben!
What a beautiful board.
I was at my mother's all weekend.
Back home on Sunday.
See you all next turn.
Let's catch him this time.
Let's go!
Here we go.
This is getting exciting.
He cannot escape now.
Mr. X can't hide for ever.
I don't know where he is, but we'll find him.
No idea where he could be.
Where on earth is he?
Who has underground tickets left?
How are you all?
How's the weather in Rome?
Hope you are well.
Happy birthday, Ben!
It is raining cats and dogs here.
I have a cold, so I am slow.
My internet was down yesterday.
Greetings from the beach.
On holiday until the 5th.
That was hard.
Tough choice.
I will be travelling next week.
Good luck everyone.
Thanks for the reminder.
We have him surrounded.
I love this game.
My daughter helped me.
First game for me, be kind.
Not bad, Mr. X.
Nice try.
Well done, all.
Sent in haste.
Not much time today.
No time to write more.
I am going north.
I go there to block the river.
Purple should cover the west.
Blue is in a good place.
Keep the underground for later.
I keep my bus tickets.
Only three taxis left.
Running out of tickets!
Merry Christmas
Haha, that was close.
hehe
:-)
Cheers from Dublin
Viel Spaß euch
Viel Glück allen!
Jetzt haben wir ihn!
Er ist bestimmt im Süden.
Bin gespannt, wo er auftaucht.
Schönen Feierabend
Ich bin ab morgen im Urlaub.
War gestern leider krank.
Das war knapp.
Schwierige Entscheidung!
Gleich haben wir ihn.
Wo steckt er nur?
Wie geht es euch?
Schöne Grüße aus Wien
Ich habe kaum noch Taxikarten.
Er kann nicht weit sein.
Keine Ahnung, wo er ist.
Macht Spaß!
Tolles Spiel, danke!
Entschuldigt die späte Antwort
Bonne chance à tous
On le tient !
Il ne peut pas être loin.
Où est-il passé ?
Je pars en vacances demain.
Bon week-end
Super partie !
Désolé pour le retard
Il pleut à Paris.
C'était juste.
Je n'ai plus beaucoup de tickets.
Mucha suerte a todos
¡Ya lo tenemos!
¿Dónde estará?
Estoy de viaje esta semana.
Qué partida más bonita
Perdón por el retraso
Feliz Navidad
Un abrazo a todos
Veel succes allemaal
We hebben hem bijna!
Waar zou hij zijn?
Hij kan niet ver weg zijn.
Ik ben volgende week op vakantie.
Mooi spel
Sorry voor de late reactie
Fijne avond
Tot de volgende beurt
Ready for the next round?
Is he asleep?
Anybody there?
Fun, isn't it?
All good here.
My son says hello.
Sorry, I forgot.
I nearly forgot my move!
Fast vergessen!
J'ai failli oublier !
Casi se me olvida
Bijna vergeten!
Better late than never
Mieux vaut tard que jamais
Más vale tarde que nunca
Lieber Ben
Liebe Gelb, lieber Rot
Mein lieber Ben
Rather late, sorry for that!
Rather exciting!
That was rather close
The weather is better now
I hope you feel better
Mr. X is better than us
Gute Besserung, bald wird alles besser
Ça va mieux, merci
Que te mejores
Estoy mejor, gracias
Ik ben weer beter
Het gaat beter
If only we knew!
What an idea!
That is my move.
Final answer.
Definitely.
No doubt about it.
No comment.
Not long now.
Nothing else to say.
Never give up!
I am not at home this week.
I do not have much time.
He is not there any more.
I have not been well.
Ich habe leider nicht viel Zeit.
Das ist nicht leicht.
Geht nicht anders.
Ce n'est pas facile.
Het is niet anders.
No es fácil.
The train won't wait for me.
Ring me any time if it is urgent.
Ich habe lange überlegt.
J'ai bien réfléchi.
Sorry if I'm late
Forgive me if this was obvious
""".strip().splitlines()


def speaks_against(line: str) -> bool:
    (free,) = free_lines((), [line])
    return free.speaks_against


def test_a_line_that_takes_back_doubts_or_states_a_condition_speaks_against_a_move():
    assert [line for line in AGAINST if not speaks_against(line)] == []


def test_talk_does_not_speak_against_a_move():
    assert [line for line in TALK if speaks_against(line)] == []


def legs(*lines: str) -> list[tuple[str | None, int]]:
    return [leg for free in free_lines((), lines) for leg in free.legs]


def test_a_number_in_words_is_a_station():
    for line in ("I want sixty-two", "rather sixty two", "soixante-deux", "to62", "-> 62", "=> 62"):
        assert legs(line) == [(None, 62)], line
    assert legs("Taxi zweiundsechzig") == [("taxi", 62)]
    assert legs("taxi one hundred ten") == [("taxi", 110)]
    assert legs("taxi one") == [("taxi", 1)]


def test_words_that_count_are_no_stations():
    for line in ("see you in six hours", "one and all", "the two of you", "Twenty-two rounds", "in three weeks"):
        assert legs(line) == [], line


def test_below_a_closing_a_postscript_and_where_to_go_name_stations():
    for line in ("PS: go to 62", "PS 62!", "P.S. nach 62", "go to 62", "-> 62"):
        assert legs("Best,", "Bob", line) == [(None, 62)], line
    assert legs("Best,", "Bob", "12 Baker Street", "+44 20 7946 0958", "Unit 62") == []


COUNTED = """
only 4 taxis and 9 buses left
3 taxi tickets, 5 bus tickets
sent from gate 13
my daughter is 13
my grandson, who is 13, helps me
13 degrees and sunny
he was last seen on 13
Mr. X left 13 by bus
13 mails to answer
""".strip().splitlines()


def test_what_is_counted_and_where_mr_x_was_are_no_stations():
    assert [line for line in COUNTED if legs(line)] == []
    assert legs("He was on 13, so I go there") == [(None, 13)]
    assert legs("13 by taxi") == [("taxi", 13)]


DISCLAIMERS = """
This message and any attachments are confidential.
If you are not the intended recipient, please delete it.
If you received this e-mail in error, ignore it.
Diese E-Mail enthält vertrauliche Informationen.
Ce message est confidentiel.
Este correo es confidencial.
Dit bericht is vertrouwelijk.
""".strip().splitlines()


def test_a_disclaimer_says_nothing_up_to_the_end_of_its_paragraph():
    for line in DISCLAIMERS:
        assert free_lines((), [line, "please ignore and delete it"]) == (), line
        assert len(free_lines((), [line, "", "ignore my move"])) == 1


def test_another_ticket_alone_speaks_against_a_move():
    for line in ("by bus", "with the bus please", "mit dem Bus", "en bus", "bus!"):
        (free,) = free_lines((), [line])
        assert objection([free], ["red taxi 46"], ()) is not None, line
        assert objection([free], ["red bus 46"], ()) is None, line
    assert [free.ticket for free in free_lines((), ["Black Ticket", "Who has a bus left", "taxi"])] == [
        None,
        None,
        "taxi",
    ]
