"""Numbers of something else than a station, such as dates, times of day, telephone numbers, addresses and ages.

As in "on Monday 23", "at 8 pm", "turn 20", "+44 20 7946 0958" and "12 Baker Street": patterns for `prose.py`.
"""

from server.mail.language.prose_words import patterns

_NAMES = {
    "month": "january february march april may june july august september october november december jan feb mar apr jun"
    " jul aug sept? oct nov dec januar februar marz mai juni juli oktober dezember okt dez janvier fevrier mars avril"
    " juin juillet aout septembre octobre novembre decembre enero febrero marzo abril mayo junio julio agosto"
    " septiembre octubre noviembre diciembre januari februari maart mei augustus",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday mon tues? wed thur?s? fri sat sun montag"
    " dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes"
    " martes miercoles jueves viernes sabado domingo maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "hour": r"a\.?m p\.?m uhr h uur o'?clock heures?",
    "unit": "km cm kg minutes? mins? hours? hrs? days? weeks? months? years? yrs? times points? tickets?"
    " minuten? stunden? tagen? wochen? jahren?"
    " monaten? mal jours? semaines? mois ans annees? fois dias? semanas? meses anos veces horas?"
    " minutos? dagen weken uren jaar keer turns? rounds? moves? people players? stations degrees? celsius grad"
    " grados? degres? graden percent prozent pounds euros? kids children grandchildren kinder enkel enfants hijos"
    " kinderen pages e?-?mails messages letters nachrichten briefe",
    "vehicles": "taxis cabs buses busses undergrounds tubes metros busse autobuses bussen",
    "ticket": "taxi bus underground tube metro black autobus schwarze noirs? negros? zwarte",
    "tickets": "tickets cards karten fahrkarten billets billetes kaartjes",
    "relative": "who son daughter grandson granddaughter wife husband she kid child sohn tochter enkel enkelin"
    " fils fille hijo hija nieto nieta zoon dochter",
    "was": "was been surfaced appeared left war etait estaba estuvo",
    "counted": "turn round game level page version runde spiel tour manche partie ronda turno partida ronde beurt spel",
    "telephone": "tel telefon phone mobile mobil handy fax cell movil gsm telefoon",
    "street": "street road avenue lane boulevard terrace gardens crescent",
    "rue": "rue chemin impasse calle plaza avenida paseo quai",
    "strasse": "[a-z-]{3,20}(?:strasse|straat|weg|platz|gasse|laan|gracht)",
    "thing": "iphone ipad galaxy pixel android ios windows outlook office nokia xperia huawei samsung apt apartment"
    " flat room suite floor postfach zimmer aged? gate platform track seat row terminal chapter lane gleis sitz kamer"
    " chambre habitacion turned turning",
}


def _numbers(text: str) -> tuple[str, ...]:
    """Return patterns in which each name of `_NAMES` stands for one of its words."""
    for name, words in _NAMES.items():
        text = text.replace(f"{{{name}}}", rf"\b(?:{'|'.join(words.split())})\b")
    return patterns(text)


OTHER_NUMBERS = _numbers(
    r"""
    https?://\S+  www\.\S+  [^\s@]{1,64}@\S+
    (?:\+|\b00?)[\d(][\d ()/.-]{5,30}\d  {telephone}[^|]{0,40}
    \b\d{1,2}[:.h]\d\d\b(?: ?{hour})?  \b\d{1,2} {hour}  \b\d{1,2}(?:am|pm|h|uhr)\b
    \b(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])\b(?:[./-]\d{2,4}|\.)?
    \b(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])\b  \b\d{4}-\d\d-\d\d\b
    {weekday}\.?,?(?: the| den| le| el| dem)? \d{1,2}(?:st|nd|rd|th|\.)?(?!\d)
    \bam \d{1,2}\.(?= [a-z])
    {month}\.?,? \d{1,2}(?:st|nd|rd|th|\.)?(?!\d)  \b\d{1,2}(?:st|nd|rd|th|\.|er)?,? (?:of |de )?{month}
    \b\d+(?:st|nd|rd|th|er|eme)\b  {counted} #?\d+\b  \b\d+ ?[%€£$]  [€£$] ?\d+  \b\d+ {unit}
    \b\d{1,4}[a-z]?,? (?!by |on |via |the |a )(?:[a-z.'-]{3,20} ){1,2}{street}
    \b\d+ (?:more )?{vehicles}  \b\d+ (?:more )?{ticket}[- ]{tickets}
    {relative}(?:'s| is| was| ist| est| tiene| a)(?: only| just| now| already| almost| nearly| erst| schon)? \d{1,2}\b
    \b(?:mr_x|he|er|il|hij)(?: has| had)? {was} (?:[a-z]+ ){0,3}\d+\b(?![^|]*\b(?:i|we|there|ich|wir|da|je|yo|ik)\b)
    {strasse} \d{1,4}[a-z]?\b  \b[a-z-]{2,20}str\. ?\d{1,4}[a-z]?\b
    {rue}(?: (?!taxi|bus|metro)[a-z.'-]{2,20}){1,4},? \d{1,4}\b  \b\d{1,4}(?: ?bis)?,? {rue}
    {thing}\.? (?:pro |mini |s)?\d+\b
    """
)
