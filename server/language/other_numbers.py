"""Numbers of something else than a station, such as dates, times of day, telephone numbers, addresses and ages.

As in "on Monday 23", "at 8 pm", "turn 20", "+44 20 7946 0958" and "12 Baker Street". The files of the languages have
the words, and these are the forms: patterns for text in which "|" ends a sentence. They stand two blanks apart.
"""

import re
from functools import cache

from server.language import lexicon

_FORMS = r"""
    https?://\S+  www\.\S+  [^\s@]{1,64}@\S+
    (?:\+|\b00?)[\d(][\d ()/.-]{5,30}\d  \b{telephone}\b[^|]{0,40}
    \b\d{1,2}[:.h]\d\d\b(?: ?{hours}\b)?  \b\d{1,2} ?{hours}\b
    \b(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|1[0-2])\b(?:[./-]\d{2,4}|\.)?
    \b(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])\b  \b\d{4}-\d\d-\d\d\b
    \b{weekdays}\.?,?(?: {articles})? \d{1,2}(?:st|nd|rd|th|\.)?(?!\d)
    \bam \d{1,2}\.(?= [a-z])
    \b{months}\.?,? \d{1,2}(?:st|nd|rd|th|\.)?(?!\d)  \b\d{1,2}(?:st|nd|rd|th|\.|er)?,? (?:[a-z]{2} )?{months}\b
    \b\d+(?:st|nd|rd|th|er|eme)\b  \b{turns} #?\d+\b  \b\d+ ?[%€£$]  [€£$] ?\d+  \b\d+ {units}\b
    \b\d{1,4}[a-z]?,? (?!(?:{by}|{articles}) )(?:[a-z.'-]{3,20} ){1,2}{streets_behind}\b
    \b\d+ (?:more )?{vehicles}\b  \b\d+ (?:more )?{ticket_names}[- ]{tickets}\b
    \b{relatives}(?:'s| {is})(?: {only})? \d{1,2}\b
    \b{he}(?: {is})? {was} (?:[a-z]+ ){0,3}\d+\b(?![^|]*\b{self}\b)
    \b[a-z-]{3,20}{streets_glued}\.? \d{1,4}[a-z]?\b
    \b{streets_before}(?: (?!{ticket_names})[a-z.'-]{2,20}){1,4},? \d{1,4}\b  \b\d{1,4}(?: ?bis)?,? {streets_before}\b
    \b{things}\.? (?:pro |mini |s)?\d+\b
"""


@cache
def pattern() -> re.Pattern[str]:
    """Return the pattern of a number that is no station, with the words that say so."""
    return re.compile("|".join(_NAME.sub(_words, form) for form in re.split(r"\s{2,}", _FORMS.strip())))


_NAME = re.compile(r"\{([a-z_]+)\}")


def _words(name: re.Match[str]) -> str:
    if name[1] == "ticket_names":
        found = frozenset(word for word in lexicon.table("tickets") if len(word) > 1)
    else:
        found = lexicon.words("move" if name[1] in ("by", "articles") else "counted", name[1])
    return f"(?:{lexicon.alternatives(found)})"
