#!/bin/sh
# Opens a game against the house and plays it to its end as Mr. X, with nothing but curl and a Python to read JSON:
#
#     sh examples/curl.sh http://127.0.0.1:8000 bt_...
#
# It always goes the first way there is. The token needs the scopes read, play and host.
set -eu

URL=${1:?where the server is}
TOKEN=${2:?a token}
EVERY=${3:-5} # seconds between two looks
PYTHON=${PYTHON:-python3}
WANTED='{"edition": "condensed", "label": "played by curl", "options": {"log_windows": 6},
         "seats": [{"role": "mr_x", "player": "ME"}, {"role": "detective", "bot": "constable"}]}'

# ask METHOD PATH [curl's options]: the answer's body; an error is told and ends the script.
ask() {
    method=$1 path=$2
    shift 2
    curl --silent --show-error --fail-with-body --retry 5 --request "$method" \
        --header "Authorization: Bearer $TOKEN" "$@" "$URL/api/v1$path" || { echo >&2; return 1; }
}

# pick EXPRESSION: a value out of the JSON object `it` on standard input.
pick() { "$PYTHON" -Sc "import json, sys; it = json.load(sys.stdin); print($1)"; }

# A key of one's own makes it safe to send a request again: the second time the first answer is given.
key() { echo "Idempotency-Key: $GAME $1"; }

ME=$(ask GET /me | pick 'it["id"]')
GAME=$(ask POST /games --data "$(echo "$WANTED" | sed "s/ME/$ME/")" | pick 'it["id"]')
ask POST "/games/$GAME/start" --header "$(key start)" | pick '"%s has begun" % it["name"]'

while :; do
    # Turn and notation of the first legal move; nothing when it is not our turn.
    LEGAL=$(ask GET "/games/$GAME/legal-moves" | pick 'it["turn"], *(m["notation"] for m in it["moves"][:1]), sep="|"')
    TURN=${LEGAL%%|*}
    MOVE=${LEGAL#"$TURN"} MOVE=${MOVE#"|"}
    if [ -n "$MOVE" ]; then
        echo "turn $TURN: $MOVE"
        ask POST "/games/$GAME/moves" --header "$(key "$TURN")" \
            --data "{\"turn\": $TURN, \"notation\": \"$MOVE\"}" >/dev/null
    fi
    END=$(ask GET "/games/$GAME" | pick 'it["outcome"] and it["outcome"]["winner"] + ", " + it["outcome"]["reason"]')
    [ "$END" = None ] || break
    sleep "$EVERY"
done
echo "The game is over: $END"
